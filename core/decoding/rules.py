"""The tokens that a checkpoint's settings forbid after the text so far.

Each as the reference has it (transformers' `generation/logits_process.py`), with padding left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.spec import ModelSpec
from core.tokens import Tokens
from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What the next token follows, without padding.

    read: ids of the decoder's text. new: how many of them, the last ones, are no part of what was
    given. source: ids of the encoder's text; of a lone decoder, what was given.
    """

    read: tuple[int, ...]
    new: int
    source: tuple[int, ...]


def past(trace: Trace, new: int, end: int | None = None) -> Past:
    """The first `end` tokens that the decoder read (None: all of them), `new` of all of them
    generated."""
    tokens = trace.tokens["decoder"]
    read, given = _ids(tokens, end), tokens.real() - new
    source = trace.tokens.get("encoder")
    return Past(
        read=read,
        new=max(0, len(read) - given),
        source=read[:given] if source is None else _ids(source),
    )


def forbidden(spec: ModelSpec, past: Past) -> set[int]:
    """Ids that may not come next, some perhaps outside the vocabulary."""
    rules, read = spec.rules, past.read
    found = set(spec.special.suppressed)
    found |= _repeating(read, read, rules.no_repeat)
    found |= _repeating(past.source, read, rules.no_repeat_source)
    found |= {last for *before, last in rules.phrases if _ends(read, before)}
    if len(read) < rules.min_length or past.new < rules.min_new:
        found.update(spec.special.end)
    if past.new == _first_chosen(spec, past):
        found.update(rules.begin_suppressed)
    return found


def _repeating(text: Sequence[int], read: Sequence[int], length: int) -> set[int]:
    """What would make the last `length` tokens of `read` some that are in `text`."""
    if not 0 < length <= len(read) + 1:
        return set()
    before = read[len(read) + 1 - length :]
    starts = range(len(text) + 1 - length)
    return {text[i + length - 1] for i in starts if text[i : i + length - 1] == before}


def _ends(read: Sequence[int], words: Sequence[int]) -> bool:
    return len(words) <= len(read) and list(read[len(read) - len(words) :]) == list(words)


def _first_chosen(spec: ModelSpec, past: Past) -> int:
    """The step whose token is the first that nothing sets."""
    return int(spec.special.forced_first is not None and len(past.read) - past.new == 1)


def _ids(tokens: Tokens, end: int | None = None) -> tuple[int, ...]:
    pairs = zip(tokens.ids[:end], tokens.padding[:end], strict=True)
    return tuple(token for token, hidden in pairs if not hidden)
