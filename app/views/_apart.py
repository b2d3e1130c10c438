"""What is not the same in two runs and stands in no title of their maps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.counting import counted
from app.views import ViewOptions, _kept
from core.analysis.segments import has_pair

if TYPE_CHECKING:
    from core.tokens import Tokens
    from core.trace import Trace

TEXTS = {"encoder": "source", "decoder": "target"}


def apart(trace: Trace, other: Trace, stack: str) -> str:
    """In sentences, of this run and a kept one of the same model; stack: whose text the titles
    tell."""
    found = [_text(trace, other, one) for one in other.tokens if one != stack]
    if "encoder" in other.tokens:
        found.append(_pair(trace.tokens["encoder"], other.tokens["encoder"]))
    found.append(_edits(trace, other))
    return " ".join(sentence for sentence in found if sentence)


def without_filter(
    trace: Trace, other: Trace, stack: str, options: ViewOptions
) -> tuple[ViewOptions, str]:
    """Sentences are told apart only where both runs read two: else the options without that
    choice, and one sentence that says so."""
    pairs = [has_pair(one.tokens[stack]) for one in (trace, other)]
    if options.sentences is None or pairs[0] == pairs[1]:
        return options, ""
    return replace(options, sentences=None), "Both maps are shown whole."


def _text(trace: Trace, other: Trace, stack: str) -> str:
    here, there = trace.tokens[stack], other.tokens[stack]
    if here.ids == there.ids and here.padding == there.padding:
        return ""
    if _words(here) == _words(there):
        return f"The {TEXTS[stack]} text is padded otherwise."
    own, kept = (_kept.short(one, stack) for one in (trace, other))
    if own == kept:
        return f"The {TEXTS[stack]} text differs, though it begins alike."
    return f"The {TEXTS[stack]} text differs: kept “{kept}”, this run “{own}”."


def _words(tokens: Tokens) -> list[int]:
    """The ids of what is no padding."""
    return [i for i, padded in zip(tokens.ids, tokens.padding, strict=True) if not padded]


def _pair(here: Tokens, there: Tokens) -> str:
    if has_pair(here) != has_pair(there):
        return f"Only {'this run' if has_pair(here) else 'the kept run'} has a second sentence."
    if not here.pair or not there.pair or here.pair == there.pair:
        return ""
    own, kept = (_kept.beginning(one.pair or "") for one in (here, there))
    if own == kept:
        return "The second sentence differs, though it begins alike."
    return f"The second sentence differs: kept “{kept}”, this run “{own}”."


def _edits(trace: Trace, other: Trace) -> str:
    here, there = trace.request.edits, other.request.edits
    if here == there:
        return ""
    if len(here) == len(there):
        return "The edits differ."
    own, kept = (counted(len(one), "edit") if one else "no edit" for one in (here, there))
    return f"The edits differ: kept {kept}, this run {own}."
