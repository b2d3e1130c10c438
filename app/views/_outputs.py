"""What reads the last states: a box for each head, and the pooler that two of them share."""

from __future__ import annotations

from dataclasses import dataclass

from app.counting import short
from app.views._blueprint import Part
from app.views._parts import shape
from core.analysis import parameters
from core.spec import ClassHead, Heads, VocabHead

READS = {
    "first": "the first token's last state",
    "last": "the last token's last state",
    "mean": "the mean of all last states",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """direct: the heads that read the last states themselves; pooled: those behind the pooler."""

    direct: tuple[Part, ...] = ()
    pooler: Part | None = None
    pooled: tuple[Part, ...] = ()


def heads(spec: Heads, d_model: int, rows: int, *, decoder: bool) -> Outputs:
    """One box a head that the checkpoint holds. rows: how many positions run now."""
    weights = parameters.heads(spec, d_model)
    direct, pooled = [], []
    if spec.vocab is not None:
        direct.append(_vocabulary(spec.vocab, weights["vocab"], rows, decoder))
    if spec.replaced is not None:
        size = weights["replaced"]
        note = f"Replaced?: one number a token; {size:,} weights"
        direct.append(_head(f"Replaced?\n{shape(rows)} · {short(size)}", note))
    if spec.pair is not None:
        size = weights["pair"]
        note = f"Sentence pair, from the pooler: {size:,} weights"
        pooled.append(_head(f"Sentence pair\n{shape(2)} · {short(size)}", note))
    if spec.classes is not None:
        (pooled if spec.classes.pooler == "tanh" else direct).append(
            _classes(spec.classes, weights["classes"])
        )
    return Outputs(
        direct=tuple(direct),
        pooler=_pooler(d_model, weights["pooler"]) if pooled else None,
        pooled=tuple(pooled),
    )


def _pooler(d_model: int, weights: int) -> Part:
    return Part(
        text=f"Pooler of the first token\n{d_model} → {d_model} · {short(weights)}",
        kind="feedforward",
        note=f"Dense layer and tanh of {READS['first']}, the others are not read: {weights:,}"
        " weights",
        target="predictions",
    )


def _classes(spec: ClassHead, weights: int) -> Part:
    reads = "the pooler" if spec.pooler == "tanh" else READS[spec.of]
    own = ", through a dense layer of its own" if spec.pooler == "inner" else ""
    return _head(
        f"Classes\n{shape(len(spec.labels))} · {short(weights)}",
        f"Classes, from {reads}{own}: {weights:,} weights",
    )


def _vocabulary(spec: VocabHead, weights: int, rows: int, decoder: bool) -> Part:
    size = f"tied + {short(weights)}" if spec.tied and weights else "tied" if spec.tied else ""
    name = "Next token" if decoder else "Masked word"
    note = f"{name}: a score for each of {spec.vocab:,} tokens at each of {rows:,} positions"
    if spec.tied:
        note += ", with the token embedding as its matrix"
    return Part(
        text=f"{name} {shape(rows, spec.vocab)}\n{size or short(weights)}",
        kind="head",
        note=note,
        target="predictions",
    )


def _head(text: str, note: str) -> Part:
    return Part(text=text, kind="head", note=note, target="predictions")
