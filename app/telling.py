"""What is said to a person: sentences, with a capital letter and a full stop; free of Qt."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from app.whole_file import SaveError
from core.errors import CoreError

if TYPE_CHECKING:
    from core.loaded import LoadedModel


def sentence(text: str) -> str:
    """With a capital letter and a full stop, whatever the core left out."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def told(error: Exception, model: LoadedModel | None) -> str:
    """What went wrong, in one sentence."""
    if isinstance(error, (CoreError, SaveError)):
        text = str(error)
        name = model.name if model is not None else ""
        if name[:1].islower() and text.startswith(name):  # a name stays as it is written
            text = f"“{name}”{text.removeprefix(name)}"
    else:
        text = f"Something went wrong that Trifocal did not foresee: {error!r}"
        traceback.print_exception(error, file=sys.stderr)
    return sentence(text)
