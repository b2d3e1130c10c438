"""What a chosen mask lets a token see, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from app.telling import sentence

if TYPE_CHECKING:
    from core.mask_kinds import MaskKind
    from core.masks import MaskChoice
    from core.spec import AttentionSpec
    from core.tokens import Tokens

PADDING = {
    "left": "Padding is seen; where distance counts, all of it stands before the first token.",
    "right": "Padding is seen; where distance counts, all of it stands at the last token.",
}
NO_PADDING = "Padding would be seen, but there is none."
ACROSS = {
    "bidirectional": "Every target token sees every source token.",
    "padding": "Every target token sees every source token that is not padding.",
    "local": "A target token sees the source tokens that stand less than “window” positions from "
    "its own position.",
}
"""What kinds mean at cross-attention, where a query is not among the keys."""

HIDDEN = "But no token sees padding."
JOINED = {"and": "Only what every kind allows is seen.", "or": "What any one kind allows is seen."}


def words(
    choice: MaskChoice,
    kinds: Mapping[str, MaskKind],
    own: Iterable[AttentionSpec],
    pad_side: str,
    padded: bool = False,
    site: str = "self",
    beyond: int = 0,
) -> str:
    """own: the attention of each layer, for the model's own mask. pad_side: "left" or "right".
    padded: whether there is padding among the keys. site: "self" or "cross". beyond: how many
    painted cells the text that is looked at has no tokens for."""
    parts = (choice, *choice.also)
    # A kind that only hides padding says so itself.
    hidden = padded and choice.hide_padding and {c.key for c in parts} != {"padding"}
    told = [
        own_words(own, hidden, site) if c.key == "model" else explained(kinds[c.key], site)
        for c in parts
    ]
    if len(told) > 1:
        told = [f"{number}. {text}" for number, text in enumerate(told, 1)]
        told.append(JOINED[choice.how])
    if hidden and any(c.key != "model" for c in parts):
        told.append(HIDDEN)
    if not choice.hide_padding and choice.key != "padding":
        told.append(PADDING[pad_side] if padded else NO_PADDING)
    if choice.blocked:
        count = len(choice.blocked)
        cells = "1 cell is" if count == 1 else f"{count} cells are"
        # Cells have places, not words: in another text they hide others.
        text = f"But {cells} painted out, in every text{_beyond(beyond, count)}"
        told.append(f"{text} (<a href='clear'>clear</a>).")
    return " ".join(told)


def _beyond(beyond: int, count: int) -> str:
    """Cells that no map of this text shows."""
    if not beyond:
        return ""
    if count == 1:
        return "; it lies beyond this one"
    which = "all of them lie" if beyond == count else f"{beyond} of them lie"
    return f"; {'1 of them lies' if beyond == 1 else which} beyond this one"


def beyond_text(choice: MaskChoice, tokens: Tokens) -> str:
    """A sentence for each parameter that counts more of the first tokens than there are."""
    from core import masks

    return " ".join(sentence(said) for said in masks.beyond_text(choice, tokens.real()))


def explained(kind: MaskKind, site: str) -> str:
    """What a kind of mask lets a token see at "self" or "cross"-attention."""
    return ACROSS.get(kind.key, kind.explanation) if site == "cross" else kind.explanation


def own_words(attentions: Iterable[AttentionSpec], hidden: bool = False, site: str = "self") -> str:
    """The model's own mask; a window may hold in some layers only. hidden: whether there is padding
    that it hides."""
    who, every = "a token", "every token"
    if site == "cross":
        who, every = "a target token", "every source token"
    layers = tuple(attentions)
    causal = all(layer.causal for layer in layers)
    seen = "itself and the tokens before it, none after it" if causal else every
    if hidden:
        seen += ", and no padding" if causal else " but padding"
    windows = [layer.window for layer in layers if layer.window is not None]
    text = f"As the model is built: {who} sees {seen}."
    if not windows:
        return text
    where = "" if len(windows) == len(layers) else f" in {len(windows)} of {len(layers)} layers"
    sizes = " or ".join(str(size) for size in sorted(set(windows)))
    # The token itself is one of them; a window of both sides reaches as far on each.
    near = f"the nearest {sizes} of them" if causal else f"those less than {sizes} positions away"
    return f"{text[:-1]}; but only {near}{where}."
