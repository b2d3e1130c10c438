"""Which tokens a configuration forbids after what text; that of every text are `suppressed`."""

from __future__ import annotations

from dataclasses import dataclass

PENALTIES = 1e-6, 1e6
"""The least and the largest repetition penalty: far beyond, scores are no numbers any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules that look at the text so far; the defaults forbid nothing.

    no_repeat and no_repeat_source: so many tokens in a row come only once in the text, and not at
    all where the encoder's text has them (a lone decoder's prompt stands in for it). phrases: of
    two tokens or more, which are never completed. min_length and min_new: no end token before the
    text is so long, with or without what was given. begin_suppressed: never the first that is
    chosen.
    """

    no_repeat: int = 0
    no_repeat_source: int = 0
    phrases: tuple[tuple[int, ...], ...] = ()
    min_length: int = 0
    min_new: int = 0
    begin_suppressed: tuple[int, ...] = ()
