"""SentencePiece models, alone or as Marian's pair."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.errors import CheckpointError
from core.text.engine import Opened
from core.text.files import need, read_vocabulary
from core.text.layouts import fold, lay_out, lay_out_marian
from core.text.settings import Settings
from core.text.spm import Fold, SentencePieceEngine, open_model

MARIAN = ("source.spm", "target.spm", "vocab.json")
MARIAN_TWO = (*MARIAN, "target_vocab.json")
NAMES = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")


def open_sentences(path: Path, settings: Settings) -> Opened:
    """One model, numbered as its family does."""
    kind = settings.kind
    bare = kind.bare and not settings.switch("add_prefix_space", True)
    processor = open_model(path, bare=bare)
    # Since Llama 2 a space is put before a text alone, not before what follows a typed token.
    once = kind.bare and not bare and not settings.switch("legacy", False)
    vocabulary = lay_out(processor, settings, path)
    template, names = settings.template, settings.names()
    names["lang"] = settings.values.get("src_lang") or "en_XX"
    need(path, vocabulary.pieces, (names[role] for role in template.roles))
    engine = SentencePieceEngine(
        processor,
        vocabulary,
        template=template,
        names=names,
        fold=_fold(settings),
        by_punctuation=kind.cuts and settings.switch("split_by_punct", False),
        inner=open_model(path, bare=True) if once else None,
    )
    notes = settings.begins_unsaid(path.name)
    if not settings.kind_name:
        notes = (
            f"Nothing names the family of {path.name}; no special tokens are added to a text.",
        )
    return Opened(engine=engine, settings=settings, notes=notes)


def _fold(settings: Settings) -> Fold | None:
    """What the family's tokenizer changes before the model reads."""
    if settings.kind.folds:
        return fold(
            lower=settings.switch("do_lower_case", True),
            accents=settings.switch("keep_accents", False),
            quotes=True,
        )
    if settings.kind.cuts and settings.switch("do_lower_case", False):
        return fold(lower=True)
    return None


def open_marian(folder: Path, settings: Settings) -> Opened:
    """Two models, and one table of ids for both or one for each."""
    settings = replace(settings, kind_name="marian")
    tables = [folder / name for name in MARIAN_TWO[2:]]
    if not settings.switch("separate_vocabs", tables[1].is_file()):
        tables[1] = tables[0]
    elif not tables[1].is_file():
        raise CheckpointError(
            f"{folder} says that source and target have separate vocabularies, but holds no "
            f"{tables[1].name}"
        )
    source, target = (
        _marian(folder / name, path, settings)
        for name, path in zip(MARIAN[:2], tables, strict=True)
    )
    return Opened(engine=source, target=target, settings=settings)


def _marian(model: Path, path: Path, settings: Settings) -> SentencePieceEngine:
    processor, table = open_model(model), read_vocabulary(path)
    names = settings.names()
    need(path, table, (names["eos"],))
    vocabulary = lay_out_marian(processor, table, settings, path)
    return SentencePieceEngine(processor, vocabulary, template=settings.template, names=names)
