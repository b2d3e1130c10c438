"""One word in two senses: where the shipped encoder parts them, as its card and examples say."""

from __future__ import annotations

import pytest
import torch

from app.examples import read
from tests.training.builtin import builtin

EXAMPLES = read()
MONEY = (
    "He went to the bank to get money.",
    "He put his money in the bank.",
    "She keeps her money in the bank.",
    "My father works in a bank.",
    "The bank lent him some money.",
    "I went to the bank to get some money yesterday.",
)
RIVER = (
    "He sat on the bank of the river.",
    "He sat there on the river bank.",
    "She walked along the river bank.",
    "There were trees on the bank of the river.",
    "The boat lay by the bank of the river.",
)


def test_the_two_banks_drift_apart() -> None:
    def bank(text: str) -> torch.Tensor:
        trace = builtin("encoder").trace(text)
        return trace.hidden("encoder")[:, trace.tokens["encoder"].pieces.index("bank")]

    money, also, river, other = (
        bank(text)
        for text in (
            "He put his money in the bank.",
            "She keeps her money in the bank.",
            "He sat there on the river bank.",
            "She walked along the river bank.",
        )
    )
    near = torch.cosine_similarity(money, also, dim=-1)
    far = torch.cosine_similarity(money, river, dim=-1)
    assert torch.cosine_similarity(river, other, dim=-1)[-1] > far[-1]
    assert near[-1] > far[-1]
    assert far[-1] < far[0]


@pytest.mark.parametrize("word", ["bank", "bat", "apple"])
def test_the_senses_of_the_examples_begin_alike_and_part(word: str) -> None:
    example = next(e for e in EXAMPLES if e.against and word in e.title.lower())
    here, there = (builtin("encoder").trace(text) for text in (example.text, example.against))
    places = [t.tokens["encoder"].pieces.index(word) for t in (here, there)]
    assert places[0] == places[1]
    states = (t.hidden("encoder")[:, p] for t, p in zip((here, there), places, strict=True))
    alike = torch.cosine_similarity(*states, dim=-1)
    assert alike[0] > 0.9999
    assert alike[1:3].min() < 0.85
    assert alike[-1] < 0.95


def test_the_nearest_bank_has_the_same_sense_in_every_layer() -> None:
    traces = [builtin("encoder").trace(text) for text in (*MONEY, *RIVER)]
    mean = torch.cat([t.hidden("encoder")[:, 1:-1] for t in traces], dim=1).mean(1)
    banks = torch.stack(
        [t.hidden("encoder")[:, t.tokens["encoder"].pieces.index("bank")] - mean for t in traces]
    )
    senses = torch.tensor([0] * len(MONEY) + [1] * len(RIVER))
    for layer in range(1, banks.shape[1]):
        unit = torch.nn.functional.normalize(banks[:, layer], dim=-1)
        alike = (unit @ unit.T).fill_diagonal_(-2)
        assert int((senses[alike.argmax(-1)] == senses).sum()) >= len(senses) - 1, layer


def test_the_banks_of_the_example_part_and_come_nearer_again_as_its_note_says() -> None:
    example = next(e for e in EXAMPLES if e.against and "bank" in e.title)

    def bank(text: str) -> torch.Tensor:
        trace = builtin("encoder").trace(text)
        return trace.hidden("encoder")[:, trace.tokens["encoder"].pieces.index("bank")]

    alike = torch.cosine_similarity(bank(example.text), bank(example.against), dim=-1)
    assert f"to {float(alike[2]):.2f} in layer 2" in example.note
    assert alike[2] == alike.min()
    assert alike[-2:].min() > alike[2] + 0.1


def test_one_word_in_two_places_differs_by_its_position_alone_before_the_first_layer() -> None:
    trace = builtin("encoder").trace("The dog saw the dog.")
    first, second = (i for i, p in enumerate(trace.tokens["encoder"].pieces) if p == "dog")
    token = trace["encoder.embed.token"]
    place = trace["encoder.embed.position"]
    total = trace["encoder.embed.sum"]
    assert torch.equal(token[first], token[second])
    difference = total[first] - total[second]
    torch.testing.assert_close(difference, place[first] - place[second], atol=1e-5, rtol=0)
