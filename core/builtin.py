"""The trained models that ship with the project: checkpoint folders in resources/models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import CheckpointError
from core.spec import Architecture

PREFIX = "builtin:"
FOLDER = Path(__file__).resolve().parent.parent / "resources" / "models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A built-in model. source: what `load_model` takes."""

    source: str
    title: str
    architecture: Architecture
    description: str


_MODELS = (
    Listed(
        source="builtin:encoder",
        title="Encoder (BERT)",
        architecture="encoder",
        description="Fills masked words, tells whether sentences follow, judges sentiment",
    ),
    Listed(
        source="builtin:decoder",
        title="Story teller (Llama)",
        architecture="decoder",
        description="Continues an English tale, word by word",
    ),
    Listed(
        source="builtin:translator",
        title="Translator (Transformer 2017)",
        architecture="encoder-decoder",
        description="Translates short sentences, Chinese to English and back",
    ),
)


def available() -> tuple[Listed, ...]:
    """The built-in models whose folders are there."""
    return tuple(m for m in _MODELS if (_folder(m.source) / "config.json").is_file())


def find(source: str) -> tuple[Path, Listed]:
    """Folder and description of "builtin:…"; CheckpointError says which there are."""
    here = available()
    for listed in here:
        if listed.source == source:
            return _folder(source), listed
    names = ", ".join(m.source for m in here) or "none in this installation"
    raise CheckpointError(f"there is no model {source!r}; built in are {names}")


def _folder(source: str) -> Path:
    return FOLDER / source.removeprefix(PREFIX)
