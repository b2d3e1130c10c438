"""Which files of a checkpoint folder make its tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from core.disk.unreadable import reading
from core.errors import CheckpointError
from core.text import ranks, sentences, vocabularies, whole
from core.text.engine import Opened
from core.text.files import refuse_pointer
from core.text.settings import Settings

SUPPORTED = (
    "tokenizer.json, vocab.txt (WordPiece), vocab.json with merges.txt (byte-level BPE), "
    "Llama 3's tokenizer.model and qwen.tiktoken, "
    "a SentencePiece .model or .spm, and Marian's source.spm, target.spm and vocab.json (with "
    "target_vocab.json where the target has its own)"
)
_SUFFIXES = (".model", ".spm", ranks.SUFFIX)


GROUPS: tuple[tuple[str, ...], ...] = (
    (whole.NAME,),
    vocabularies.WORDS,
    vocabularies.BYTES,
    sentences.MARIAN_TWO,
    sentences.MARIAN,
    *((name,) for name in sentences.NAMES),
    (ranks.QWEN,),
)
"""Files that make a tokenizer together, the ones to use first."""


def sources(folder: Path) -> list[tuple[str, ...]]:
    """The groups of tokenizer files in a folder, the one to use first. CheckpointError for a folder
    that may not be looked into."""
    with reading(folder):
        return groups(p.name for p in folder.iterdir() if p.is_file()) if folder.is_dir() else []


def groups(files: Iterable[str]) -> list[tuple[str, ...]]:
    """The groups among the names of a folder's files, the one to use first."""
    there = {*files}
    found = [names for names in GROUPS if there.issuperset(names)]
    # Marian's models know pieces but not their ids; alone they would give wrong ones.
    lone = (name for name in sorted(there - {*sentences.MARIAN}) if name.endswith(_SUFFIXES))
    return found or [(name,) for name in lone]


def open_folder(folder: Path, family: str | None) -> tuple[Opened, str]:
    """(tokenizer, names of the files it was made of).

    CheckpointError when there is none, or the one there is cannot be understood.
    """
    found = sources(folder)
    if not found:
        _refuse_part_of_marian(folder)
        raise CheckpointError(f"{folder} holds no tokenizer; supported are {SUPPORTED}")
    opened = _open(folder, found[0], Settings.from_folder(folder, family))
    source = " + ".join(found[0])
    others = [" + ".join(names) for names in found[1:] if not {*names} <= {*found[0]}]
    if others:
        note = f"The tokenizer is {source}; {', '.join(others)} was left unread."
        opened = replace(opened, notes=(*opened.notes, note))
    return opened, source


def _refuse_part_of_marian(folder: Path) -> None:
    held, lost = (
        [name for name in sentences.MARIAN if (folder / name).is_file() == there]
        for there in (True, False)
    )
    if any(name.endswith(".spm") for name in held):
        raise CheckpointError(
            f"{folder} holds {' and '.join(held)} but not {' and '.join(lost)}; Marian's tokenizer "
            "needs all three"
        )


def open_file(path: Path, family: str | None) -> Opened:
    """A lone tokenizer.json or SentencePiece model; nothing beside it is read."""
    if not path.is_file():
        raise CheckpointError(f"{path} is not a file")
    return _open(path.parent, (path.name,), Settings.of_family(family))


def _open(folder: Path, names: tuple[str, ...], settings: Settings) -> Opened:
    path = folder / names[0]
    for name in names:
        refuse_pointer(folder / name)
    if names == vocabularies.WORDS:
        return vocabularies.open_words(path, settings)
    if names == vocabularies.BYTES:
        return vocabularies.open_bytes(path, settings)
    if names in (sentences.MARIAN_TWO, sentences.MARIAN):
        return sentences.open_marian(folder, settings)
    if path.suffix == ranks.SUFFIX or (path.suffix in _SUFFIXES and ranks.is_ranks(path)):
        return ranks.open_ranks(path, settings)
    if path.suffix in _SUFFIXES:
        return sentences.open_sentences(path, settings)
    return whole.open_whole(path, settings)
