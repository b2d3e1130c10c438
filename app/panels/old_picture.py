"""What is still shown, where the text that was asked for has no run."""

from __future__ import annotations

from app.choices import Inputs
from app.store import Answer

_MOST = 60  # characters of the older text that are quoted


def still_shown(answer: Answer, asked: Inputs) -> str:
    """The older text by its beginning; by its length too, where the new one begins alike."""
    shown = answer.inputs
    if shown == asked:
        return "Old picture: it still shows this text under the mask before."
    old, new = (" ".join(one.text.split()) for one in (shown, asked))
    text = old if len(old) <= _MOST else old[: _MOST - 1] + "…"
    stop = "" if text.endswith((".", "!", "?", "…")) else "."
    alike = old == new or (text != old and new.startswith(text[:-1]))
    which = f"the text of {_tokens(answer)} " if alike else ""
    return f"Old picture: it still shows {which}“{text}”{stop}"


def _tokens(answer: Answer) -> str:
    """Of source and target where a model has both."""
    counts = [len(tokens) for tokens in answer.trace.tokens.values()]
    return " + ".join(map(str, counts)) + (" token" if counts == [1] else " tokens")
