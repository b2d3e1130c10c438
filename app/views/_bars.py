"""A vocabulary distribution as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.figure import Bar, Bars
from app.views import ViewOptions
from app.views._vectors import plain
from core.analysis.uncertainty import entropy_bits

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import Candidate, Sampling


def vocabulary_bars(
    title: str,
    logits: Tensor,
    options: ViewOptions,
    *,
    chosen: int | None = None,
    position: int | None = None,
    seen: Sequence[int] = (),
) -> Bars:
    """The likeliest tokens of logits [vocab] after `options.sampling`; what it cuts is dimmed.

    A bar shows the probability after sampling, 0 where cut, so that the whole list sums to 1; its
    note the model's own. chosen: the token that decoding took. position: what a click on a bar
    names. seen: ids of the text so far, for the repetition penalty, as decoding counts them.
    `options.asked` come with their rank, behind the others where they are not among them.
    """
    from core.decoding.filters import of_token, probabilities, top

    sampling = options.sampling
    candidates = top(logits, sampling, options.top, seen)
    asked = [of_token(logits, sampling, t, seen) for t in options.asked if t < logits.shape[-1]]
    ranks = {candidate.token: rank for candidate, rank in asked}
    listed = {candidate.token for candidate in candidates}
    candidates += tuple(candidate for candidate, _ in asked if candidate.token not in listed)
    narrowed = narrowed_by(sampling, penalised=bool(seen))
    entropy = float(entropy_bits(probabilities(logits, sampling, seen).numpy()))
    return Bars(
        title=title,
        bars=tuple(_bar(c, options, chosen, ranks.get(c.token)) for c in candidates),
        note=_note(entropy, narrowed),
        position=position,
        value_name="probability after sampling" if narrowed else "probability",
    )


def _bar(candidate: Candidate, options: ViewOptions, chosen: int | None, rank: int | None) -> Bar:
    cut = candidate.kept == 0
    notes = [] if rank is None else [f"rank {rank:,}"]
    if candidate.token == chosen:
        notes.append("chosen")
    if cut or abs(candidate.kept - candidate.probability) > 5e-7:
        own = candidate.probability
        notes.append(f"model {own:.4f}" if own >= 0.00005 else "model <0.0001")
    return Bar(
        label=options.pieces(candidate.token),
        value=candidate.kept,
        token=candidate.token,
        note=", ".join(notes),
        state="cut" if cut else "",
    )


def _note(entropy: float, narrowed: list[str]) -> str:
    """Entropy in bits, and how many equally likely words would be as uncertain."""
    alike = plain(2**entropy)
    like = "a single certain token" if alike == "1" else f"{alike} equally likely tokens"
    text = f"Entropy {entropy:z.2f} bits, like {like}"
    if not narrowed:
        return f"{text}."
    own = "So are the bars, 0 where cut; point at one for the model's own probability."
    return f"{text}, after {', '.join(narrowed)}. {own}"


def narrowed_by(sampling: Sampling, *, penalised: bool) -> list[str]:
    """What changes the model's own distribution. penalised: whether there is a text so far."""
    narrowed = []
    if penalised and sampling.repetition_penalty != 1:
        narrowed.append(f"repetition penalty {sampling.repetition_penalty:g}")
    if sampling.temperature != 1:
        narrowed.append(f"temperature {sampling.temperature:g}")
    if sampling.top_k:
        narrowed.append(f"top-k {sampling.top_k}")
    if sampling.top_p < 1:
        narrowed.append(f"top-p {sampling.top_p:g}")
    if sampling.min_p > 0:
        narrowed.append(f"min-p {sampling.min_p:g}")
    return narrowed
