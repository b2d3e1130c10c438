"""A vocabulary distribution as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.figure import Bar, Bars
from app.views import ViewOptions
from core.analysis.uncertainty import entropy_bits

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import Candidate, Sampling


def vocabulary_bars(
    title: str, logits: Tensor, options: ViewOptions, *, chosen: int | None = None
) -> Bars:
    """The likeliest tokens of logits [vocab] after `options.sampling`; what it cuts is dimmed.

    A bar shows the probability after sampling; a dimmed one the model's own. chosen: the token that
    decoding took.
    """
    from core.decoding.filters import probabilities, top

    sampling = options.sampling
    candidates = top(logits, sampling, options.top)
    entropy = float(entropy_bits(probabilities(logits, sampling).numpy()))
    return Bars(
        title=title,
        bars=tuple(_bar(c, options, chosen) for c in candidates),
        note=_note(entropy, sampling),
    )


def _bar(candidate: Candidate, options: ViewOptions, chosen: int | None) -> Bar:
    cut = candidate.kept == 0
    notes = ["chosen"] if candidate.token == chosen else []
    if cut:
        notes.append("cut by sampling")
    elif abs(candidate.kept - candidate.probability) > 5e-7:
        notes.append(f"model {candidate.probability:.4f}")
    return Bar(
        label=options.pieces(candidate.token),
        value=candidate.probability if cut else candidate.kept,
        token=candidate.token,
        note=", ".join(notes),
        dimmed=cut,
    )


def _note(entropy: float, sampling: Sampling) -> str:
    """Entropy in bits, and how many equally likely words would be as uncertain."""
    text = f"Entropy {entropy:.2f} bits, like {2**entropy:.3g} equally likely tokens"
    narrowed = []
    if sampling.temperature != 1:
        narrowed.append(f"temperature {sampling.temperature:g}")
    if sampling.top_k:
        narrowed.append(f"top-k {sampling.top_k}")
    if sampling.top_p < 1:
        narrowed.append(f"top-p {sampling.top_p:g}")
    return f"{text}, after {', '.join(narrowed)}." if narrowed else f"{text}."
