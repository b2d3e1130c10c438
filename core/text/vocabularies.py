"""Vocabulary files of the time before tokenizer.json: WordPiece and byte-level BPE."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from core.errors import CheckpointError
from core.text.engine import Opened
from core.text.files import built, need, read_text, read_vocabulary
from core.text.kinds import BERT, SQUARE, Template
from core.text.library import LibraryEngine
from core.text.settings import Added, Settings

WORDS = ("vocab.txt",)
BYTES = ("vocab.json", "merges.txt")
_WORD_KINDS = {"bert", "distilbert", "electra", "mobilebert"}
_BYTE_KINDS = {
    "gpt2", "gptneo", "gptj", "codegen", "opt", "roberta", "bart", "longformer", "led", "deberta",
}  # fmt: skip


def open_words(path: Path, settings: Settings) -> Opened:
    """WordPiece with BERT's rules (Devlin et al. 2018)."""
    _refuse_other(path, settings, _WORD_KINDS)
    words = [line.rstrip("\r") for line in read_text(path).removesuffix("\n").split("\n")]
    vocabulary = {word: i for i, word in enumerate(words)}
    settings = replace(settings, kind_name=settings.kind_name or "bert")
    names = {**SQUARE, **settings.names()}
    need(path, vocabulary, (names["unk"],))
    notes: tuple[str, ...] = ()
    lower = settings.values.get("do_lower_case")
    if lower is None:
        lower, notes = _reads_lower(words, names, path)
    made = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=names["unk"]))
    made.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.switch("tokenize_chinese_chars", True),
        strip_accents=settings.values.get("strip_accents"),
        lowercase=bool(lower),
    )
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(prefix="##")
    engine = finish(path, made, settings, BERT, names)
    return Opened(engine=engine, settings=settings, notes=notes)


def open_bytes(path: Path, settings: Settings) -> Opened:
    """Byte-level BPE with GPT-2's way of cutting words (Radford et al. 2019).

    path: the vocab.json; merges.txt lies beside it.
    """
    _refuse_other(path, settings, _BYTE_KINDS)
    vocabulary = read_vocabulary(path)
    if any(piece.endswith("</w>") for piece in vocabulary):
        raise CheckpointError(
            f"{path} ends words with </w> and is not byte-level; it needs a tokenizer.json"
        )
    merges = path.with_name(BYTES[1])
    made = tokenizers.Tokenizer(built(merges, lambda: models.BPE.from_file(str(path), str(merges))))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=settings.switch("add_prefix_space", False)
    )
    made.decoder = decoders.ByteLevel()
    notes: tuple[str, ...] = ()
    if not settings.kind_name:
        # RoBERTa's and BART's vocabularies have a mask; GPT-2's and OPT's have none.
        masked = {"<s>", "</s>", "<pad>", "<mask>"} <= vocabulary.keys()
        settings = replace(settings, kind_name="roberta" if masked else "gpt2")
        kin = "RoBERTa's" if masked else "GPT-2's"
        notes = (f"Nothing names the family of {path.name}; by its pieces it is read as {kin}.",)
    engine = finish(path, made, settings, settings.template, settings.names())
    return Opened(engine=engine, settings=settings, notes=notes)


def _reads_lower(
    words: list[str], names: dict[str, str], path: Path
) -> tuple[bool, tuple[str, ...]]:
    """A vocabulary with capital letters cannot be reached by lower-cased text."""
    plain = (w for w in words if w not in names.values() and not w.startswith("[unused"))
    lower = not any(word != word.lower() for word in plain)
    case = "lower-cased" if lower else "read as typed"
    note = f"Nothing says whether {path.name} wants lower case; by its words, text is {case}."
    return lower, (note,)


def finish(
    path: Path,
    made: tokenizers.Tokenizer,
    settings: Settings,
    template: Template,
    names: dict[str, str],
) -> LibraryEngine:
    """Added and special tokens, and where these go."""
    engine = LibraryEngine(made, unknown=settings.unknown)
    for number, added in sorted(settings.added.items()):
        engine.recognise(added)
        if engine.id_of(added.content) != number:
            raise CheckpointError(
                f"{added.content!r} has the id {engine.id_of(added.content)} by {path}, "
                f"but {number} by the files beside it"
            )
    for role, token in names.items():
        if engine.id_of(token) is not None and not engine.recognises(token):
            # A byte-level mask takes the space before it along, like the word it stands for.
            engine.recognise(
                Added(content=token, lstrip=role == "mask" and engine.spelling == "bytes")
            )
    for token in settings.more:
        if not engine.recognises(token):
            engine.recognise(Added(content=token))
    if template.roles:
        need(path, made.get_vocab(), (names[role] for role in template.roles))
        engine.use_template(template, names)
    return engine


def _refuse_other(path: Path, settings: Settings, kinds: AbstractSet[str]) -> None:
    """The same file names mean other rules to other tokenizers (Japanese BERT, CLIP, Qwen)."""
    if settings.tokenizer_class is not None and settings.kind_name not in kinds:
        raise CheckpointError(
            f"{path} belongs to a {settings.tokenizer_class}, whose rules its vocabulary does not "
            "hold; a tokenizer.json beside it would"
        )
