"""SentencePiece models, alone or as Marian's pair."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.errors import CheckpointError
from core.text.engine import Opened
from core.text.files import need, read_vocabulary
from core.text.layouts import fold, lay_out, lay_out_marian
from core.text.settings import Settings
from core.text.spm import SentencePieceEngine, open_model

MARIAN = ("source.spm", "target.spm", "vocab.json")
NAMES = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")


def open_sentences(path: Path, settings: Settings) -> Opened:
    """One model, numbered as its family does."""
    processor = open_model(path)
    vocabulary = lay_out(processor, settings, path)
    template, names = settings.template, settings.names()
    names["lang"] = settings.values.get("src_lang") or "en_XX"
    need(path, vocabulary.pieces, (names[role] for role in template.roles))
    engine = SentencePieceEngine(
        processor,
        vocabulary,
        template=template,
        names=names,
        fold=fold(
            lower=settings.switch("do_lower_case", True),
            accents=settings.switch("keep_accents", False),
        )
        if settings.kind.folds
        else None,
    )
    notes: tuple[str, ...] = ()
    if not settings.kind_name:
        notes = (
            f"Nothing names the family of {path.name}; no special tokens are added to a text.",
        )
    return Opened(engine=engine, settings=settings, notes=notes)


def open_marian(folder: Path, settings: Settings) -> Opened:
    """Two models that share the ids of one vocab.json."""
    if settings.switch("separate_vocabs", False):
        raise CheckpointError(
            f"{folder} has separate vocabularies for source and target; a shared one is supported"
        )
    settings = replace(settings, kind_name="marian")
    path = folder / MARIAN[2]
    source, target = open_model(folder / MARIAN[0]), open_model(folder / MARIAN[1])
    vocabulary, target_ids = lay_out_marian((source, target), read_vocabulary(path), settings, path)
    names = settings.names()
    need(path, vocabulary.pieces, (names["eos"],))
    engine = SentencePieceEngine(
        source,
        vocabulary,
        template=settings.template,
        names=names,
        target=(target, target_ids),
    )
    return Opened(engine=engine, settings=settings)
