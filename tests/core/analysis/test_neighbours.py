from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.neighbours import neighbours
from core.errors import RequestError
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads, VocabHead
from tests.core.analysis.by_hand import array
from tests.traces import VOCAB, network, sentence, spec, trace_of


def by_hand(table: np.ndarray, token: int) -> list[tuple[int, float]]:
    row = table[token]
    found = [
        (i, float(row @ other / np.linalg.norm(row) / np.linalg.norm(other)))
        for i, other in enumerate(table)
        if i != token
    ]
    return sorted(found, key=lambda pair: -pair[1])


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_against_every_row_by_hand(stack: str) -> None:
    trace = trace_of("translator")
    found = neighbours(trace, stack, 12, 6)
    table = array(network("translator").stack(stack).embedding.token.weight)
    expected = by_hand(table, 12)[:6]
    assert found.tokens.tolist() == [i for i, _ in expected]
    assert found.cosine == pytest.approx([c for _, c in expected], abs=1e-6)
    assert neighbours(trace, stack, 12, 6) is found


def test_more_than_there_are() -> None:
    found = neighbours(trace_of("decoder"), "decoder", 3, 1000)
    assert len(found.tokens) == VOCAB - 1
    assert 3 not in found.tokens


def test_a_row_of_zeros_is_near_nothing() -> None:
    made = Transformer(spec("decoder")).eval().requires_grad_(False)
    assert made.decoder is not None
    made.decoder.embedding.token.weight[7] = 0
    found = neighbours(run(made, RunRequest(source=sentence(3))), "decoder", 5, VOCAB)
    assert found.cosine[found.tokens.tolist().index(7)] == 0


def test_an_output_matrix_of_its_own() -> None:
    heads = Heads(vocab=VocabHead(vocab=VOCAB, tied=False))
    made = Transformer(replace(spec("decoder"), heads=heads)).eval()
    trace = run(made, RunRequest(source=sentence(3)))
    found = neighbours(trace, "decoder", 9, 3, output=True)
    assert made.heads.vocab is not None
    assert made.heads.vocab.weight is not None
    expected = by_hand(array(made.heads.vocab.weight.weight), 9)[:3]
    assert found.tokens.tolist() == [i for i, _ in expected]
    with pytest.raises(RequestError, match="no output matrix of its own"):
        neighbours(trace_of("decoder"), "decoder", 9, 3, output=True)
