"""Whether a vocabulary head's matrix is the embedding, or one of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Move
from core.checkpoints.files import Checkpoint
from core.spec import Heads, ModelSpec

OUTPUT = "heads.vocab.weight.weight"

JUDGES = (
    "ForSequenceClassification",
    "ForTokenClassification",
    "ForQuestionAnswering",
    "ForMultipleChoice",
)
"""How classes are called that say nothing of the next token."""


def untie(spec: ModelSpec, matched: Matched) -> ModelSpec:
    """A separate output matrix in the file counts, whatever the configuration says; whether it
    differs from the embedding is seen when both are read."""
    if spec.heads.vocab is None or OUTPUT not in matched.targets or not spec.heads.vocab.tied:
        return spec
    return with_vocab(spec, tied=_table(spec) not in matched.targets)


def without_words(spec: ModelSpec, config: Config) -> ModelSpec:
    """Of a class without a vocabulary head the embedding alone must not be taken for one."""
    vocab = spec.heads.vocab
    alone = vocab is not None and vocab.tied and vocab.transform is None
    if not alone or not config.architecture.endswith(JUDGES):
        return spec
    return replace(spec, heads=replace(spec.heads, vocab=None))


def named_by_output(spec: ModelSpec, matched: Matched) -> Matched:
    """A tied matrix stored only as the output matrix is the embedding."""
    if spec.heads.vocab is None or not spec.heads.vocab.tied or OUTPUT not in matched.targets:
        return matched
    moves = tuple(
        replace(m, targets=(_table(spec),)) if m.targets == (OUTPUT,) else m for m in matched.moves
    )
    return replace(matched, moves=moves)


def _table(spec: ModelSpec) -> str:
    """The parameter an output matrix is tied to."""
    name = "encoder" if spec.shared_embedding else spec.main_stack.name
    return f"{name}.embedding.token.weight"


def with_vocab(spec: ModelSpec, *, tied: bool) -> ModelSpec:
    assert spec.heads.vocab is not None
    heads: Heads = replace(spec.heads, vocab=replace(spec.heads.vocab, tied=tied))
    return replace(spec, heads=heads)


def really_tied(checkpoint: Checkpoint, spec: ModelSpec, moves: Sequence[Move]) -> bool:
    """True when the file's output matrix is the embedding once more, as .bin files have it."""
    sources = {t: m.source for m in moves for t in m.targets}
    table = _table(spec)
    if OUTPUT not in sources or table not in sources or not _same_shape(spec):
        return False
    return equal(checkpoint.read(sources[OUTPUT]), checkpoint.read(sources[table]))


def _same_shape(spec: ModelSpec) -> bool:
    vocab = spec.heads.vocab
    return vocab is not None and (vocab.d_transform or spec.main_stack.d_model) == (
        spec.main_stack.embedding.width
    )


def equal(first: Tensor, second: Tensor) -> bool:
    if first.data_ptr() == second.data_ptr() and first.shape == second.shape:
        return True
    return torch.equal(first, second)
