"""Vocabulary files of the time before tokenizer.json: WordPiece and byte-level BPE."""

from __future__ import annotations

from collections.abc import Mapping
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
from core.text.settings import Settings
from core.text.splits import cut_as

WORDS = ("vocab.txt",)
BYTES = ("vocab.json", "merges.txt")
_WORD_KINDS = {"bert", "distilbert", "electra", "mobilebert"}
_BYTE_KINDS = {
    "gpt2", "gptneo", "gptj", "codegen", "opt", "roberta", "bart", "longformer", "led", "deberta",
    "gptneox", "qwen2", "qwen3",
}  # fmt: skip
_COMPOSED = {"gptneox", "qwen2", "qwen3"}
"""Kinds that read a letter and its accent as one character (NFC)."""
_SPLITS = {"qwen2": "qwen2", "qwen3": "qwen2", "llama3": "llama-bpe"}
"""Kind -> how it cuts words, where that is not GPT-2's way."""
_LLAMA_LIKE = {"llama", "mistral", "mixtral"}
"""Models whose own tokenizers are of another kind: a byte-level one is another family's."""

_DIGITS = {*"0123456789"}


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
    engine, more = finish(path, made, settings, BERT, names)
    return Opened(engine=engine, settings=settings, notes=(*notes, *more))


def open_bytes(path: Path, settings: Settings) -> Opened:
    """Byte-level BPE (Radford et al. 2019), words cut as the family does.

    path: the vocab.json; merges.txt lies beside it.
    """
    _refuse_other(path, settings, _BYTE_KINDS)
    vocabulary = read_vocabulary(path)
    if any(piece.endswith("</w>") for piece in vocabulary):
        raise CheckpointError(
            f"{path} ends words with </w> and is not byte-level; it needs a tokenizer.json"
        )
    split = _SPLITS.get(settings.kind_name, "gpt-2")
    notes: tuple[str, ...] = ()
    if not settings.kind_name or settings.kind_name in _LLAMA_LIKE:
        kind, split, kin = _seen(vocabulary, settings)
        settings = replace(settings, kind_name=kind)
        notes = (f"Nothing names the family of {path.name}; by its pieces it is read as {kin}.",)
    merges = path.with_name(BYTES[1])
    whole_words = split == "llama-bpe"
    made = tokenizers.Tokenizer(
        built(
            merges,
            lambda: models.BPE.from_file(str(path), str(merges), ignore_merges=whole_words),
        )
    )
    if settings.kind_name in _COMPOSED:
        made.normalizer = normalizers.NFC()
    cut_as(made, split, space_first=settings.switch("add_prefix_space", False))
    engine, more = finish(path, made, settings, settings.template, settings.names())
    notes = (*notes, *settings.begins_unsaid(path.name), *more)
    return Opened(engine=engine, settings=settings, notes=notes)


def _seen(vocabulary: Mapping[str, int], settings: Settings) -> tuple[str, str, str]:
    """(kind, split, whose it is) of a byte-level vocabulary, by its pieces."""
    known = vocabulary.keys() | {added.content for added in settings.added.values()}
    if "<|begin_of_text|>" in known:
        return "llama3", _SPLITS["llama3"], "Llama 3's"
    # RoBERTa's and BART's vocabularies have a mask; GPT-2's and OPT's have none.
    if {"<s>", "</s>", "<pad>", "<mask>"} <= vocabulary.keys():
        return "roberta", "gpt-2", "RoBERTa's"
    # SmolLM, a Llama by its type, reads digit by digit, so none of its pieces joins one to more.
    joined = any(len(piece) > 1 and _DIGITS & {*piece} for piece in vocabulary)
    if settings.kind_name in _LLAMA_LIKE and not joined:
        return "gpt2", "smollm", "SmolLM's"
    return "gpt2", "gpt-2", "GPT-2's"


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
) -> tuple[LibraryEngine, tuple[str, ...]]:
    """Added and special tokens, and where these go. Notes name the tokens that the files beside it
    give the id of another piece, or one that leaves a gap: as in the reference, they have the next
    free id."""
    engine = LibraryEngine(made, unknown=settings.unknown, split=settings.splits_special)
    notes: list[str] = []
    for number, added in sorted(settings.added.items()):
        other = engine.piece(number)
        engine.recognise(replace(added, special=added.special or added.content in names.values()))
        found = engine.id_of(added.content)
        if found == number:
            continue
        why = "leaves a gap" if other is None else f"is that of {other!r}"
        notes.append(
            f"The files beside {path.name} give {added.content!r} the id {number}, which {why}; "
            f"it is read as {found}, as in transformers."
        )
    # A byte-level mask takes the space before it along, like the word it stands for.
    mask = names.get("mask") if engine.spelling == "bytes" else None
    appended = settings.appended
    for token in dict.fromkeys((*names.values(), *appended)):
        named = token in appended or engine.id_of(token) is not None
        if named and not engine.recognises(token):
            engine.recognise(settings.special(token, lstrip=token == mask))
    if template.roles:
        need(path, made.get_vocab(), (names[role] for role in template.roles))
        engine.use_template(template, names)
    return engine, tuple(notes)


def _refuse_other(path: Path, settings: Settings, kinds: AbstractSet[str]) -> None:
    """The same file names mean other rules to other tokenizers (Japanese BERT, CLIP)."""
    if settings.tokenizer_class is not None and settings.kind_name not in kinds:
        raise CheckpointError(
            f"{path} belongs to a {settings.tokenizer_class}, whose rules its vocabulary does not "
            "hold; a tokenizer.json beside it would"
        )
