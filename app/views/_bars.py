"""A vocabulary distribution as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.figure import Bar, Bars
from app.views import ViewOptions
from app.views._vectors import plain
from core.analysis.uncertainty import entropy_bits

if TYPE_CHECKING:
    from torch import Tensor

    from core.request import Candidate, Sampling

RULED_OUT = "ruled out by the checkpoint's settings"
NEVER_FILLED = "fills no mask"
ALLOWED = "probability among allowed tokens"
SEEN = 0.00005
"""The least probability that four digits show."""


def vocabulary_bars(
    title: str,
    logits: Tensor,
    options: ViewOptions,
    *,
    chosen: int | None = None,
    position: int | None = None,
    seen: Sequence[int] = (),
    allowed: Tensor | None = None,
) -> Bars:
    """The likeliest tokens of logits [vocab] after `options.sampling`; what it cuts is dimmed.

    A bar shows the probability that is drawn from, 0 where cut, so that the whole list sums to 1;
    its note the model's own. chosen: the token that decoding took. position: what a click on a bar
    names. seen: ids of the text so far, for the repetition penalty, as decoding counts them.
    allowed [vocab]: false for the tokens that the checkpoint rules out; None where it rules none.
    `options.asked` come with their rank, behind the others where they are not among them.
    """
    from core.decoding.filters import closed, of_token, probabilities, top

    sampling = options.sampling
    candidates = top(logits, sampling, options.top, seen, allowed)
    words = [token for token in options.asked if token < logits.shape[-1]]
    asked = [of_token(logits, sampling, token, seen, allowed) for token in words]
    ranks = {candidate.token: rank for candidate, rank in asked}
    listed = {candidate.token for candidate in candidates}
    candidates += tuple(candidate for candidate, _ in asked if candidate.token not in listed)
    narrowed = narrowed_by(sampling, penalised=bool(seen))
    after = probabilities(closed(logits, allowed), sampling, seen)
    rules = ruled(logits, allowed)
    return Bars(
        title=title,
        bars=tuple(_bar(c, options, chosen, ranks.get(c.token)) for c in candidates),
        note=_note(float(entropy_bits(after.numpy())), narrowed, rules),
        position=position,
        value_name=_value_name(narrowing(sampling, penalised=bool(seen)), rules),
    )


def never_filled(bars: Bars, mask: int | None) -> Bars:
    """The mask itself is no word to fill in, however likely the model holds it."""
    return replace(
        bars,
        bars=tuple(
            replace(bar, note=", ".join(filter(None, (bar.note, NEVER_FILLED))))
            if bar.token == mask
            else bar
            for bar in bars.bars
        ),
    )


def ruled(logits: Tensor, allowed: Tensor | None) -> str:
    """How the checkpoint changes the distribution, where that is to be seen in a list."""
    if allowed is None:
        return ""
    if int(allowed.sum()) == 1:
        return "with all but one token ruled out by the checkpoint's settings"
    lost = float(logits.softmax(-1)[~allowed].sum())
    return "without the tokens that the checkpoint's settings rule out" if lost >= SEEN else ""


def _value_name(narrowed: str, ruled: str) -> str:
    if narrowed:
        return f"probability after {narrowed}"
    return ALLOWED if ruled else "probability"


def _bar(candidate: Candidate, options: ViewOptions, chosen: int | None, rank: int | None) -> Bar:
    cut = candidate.kept == 0
    notes = [] if rank is None else [f"rank {rank:,}"]
    if candidate.token == chosen:
        notes.append("chosen")
    if cut or abs(candidate.kept - candidate.probability) > 5e-7:
        own = candidate.probability
        notes.append(f"model {own:.4f}" if own >= SEEN else "model <0.0001")
    if candidate.ruled_out:
        notes.append(RULED_OUT)
    return Bar(
        label=options.pieces(candidate.token),
        value=candidate.kept,
        token=candidate.token,
        note=", ".join(notes),
        state="cut" if cut else "",
    )


def _note(entropy: float, narrowed: list[str], ruled: str = "") -> str:
    """Entropy in bits, and how many equally likely words would be as uncertain."""
    alike = plain(2**entropy)
    like = "a single certain token" if alike == "1" else f"{alike} equally likely tokens"
    text = f"Entropy {entropy:z.2f} bits, like {like}"
    changed = [ruled] * bool(ruled) + [f"after {', '.join(narrowed)}"] * bool(narrowed)
    if not changed:
        return f"{text}."
    own = "So are the bars, 0 where cut; point at one for the model's own probability."
    return f"{text}, {', '.join(changed)}. {own}"


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


def narrowing(sampling: Sampling, *, penalised: bool) -> str:
    """What changes the model's own probabilities before one is drawn, in words; empty: nothing."""
    cut = sampling.top_k or sampling.top_p < 1 or sampling.min_p > 0
    kinds = ["penalty"] * (penalised and sampling.repetition_penalty != 1)
    kinds += ["temperature"] * (sampling.temperature != 1) + ["cut-offs"] * bool(cut)
    return " and ".join(filter(None, (", ".join(kinds[:-1]), *kinds[-1:])))
