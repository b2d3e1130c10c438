"""A chosen mask by its name, within a sentence; free of Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.counting import counted

if TYPE_CHECKING:
    from core.masks import MaskChoice


def mask_name(choice: MaskChoice) -> str:
    """As the panel of masks calls it, with its numbers."""
    parts = (choice, *choice.also)
    if len(parts) == 1 and choice.key == "model":
        told = "the model's own mask"
    else:
        told = f"the mask “{f' {choice.how} '.join(_kind(part) for part in parts)}”"
    if choice.blocked:
        told += f", {counted(len(choice.blocked), 'cell')} painted out"
    return told if choice.hide_padding else f"{told}, padding not hidden"


def _kind(choice: MaskChoice) -> str:
    from core.mask_kinds import KINDS

    if choice.key == "model":
        return "The model's own"
    kind, chosen = KINDS[choice.key], dict(choice.params)
    numbers = (f", {p.label} {chosen.get(p.name, p.default)}" for p in kind.parameters)
    return kind.label + "".join(numbers)
