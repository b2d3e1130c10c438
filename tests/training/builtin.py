"""The shipped models as the tests ask them."""

from __future__ import annotations

from functools import cache

from app.examples import masks_of
from core import load_model
from core.loaded import LoadedModel


@cache
def builtin(name: str) -> LoadedModel:
    return load_model(f"builtin:{name}")


def fillers(text: str, *, mask: str = "") -> list[str]:
    """The five likeliest words for the first [MASK], best first."""
    model = builtin("encoder")
    trace = model.trace(text, masks=masks_of(mask, model.spec.sites))
    place = trace.tokens["encoder"].pieces.index("[MASK]")
    tokenizer = model.tokenizer
    assert tokenizer is not None
    return [tokenizer.piece(int(i)) for i in trace.logits[place].topk(5).indices]


def sentiment(text: str) -> str:
    model = builtin("encoder")
    classes = model.spec.heads.classes
    assert classes is not None
    return classes.labels[int(model.trace(text).heads["classes"].argmax())]


def written(name: str, text: str, *, tokens: int = 20) -> str:
    """The greedy text after the prompt, or the greedy translation."""
    *_, last = builtin(name).decode(text, strategy="greedy", max_new_tokens=tokens)
    return last.text
