"""How a family numbers the pieces of its SentencePiece model.

Llama, Gemma and ALBERT use SentencePiece's own ids. T5 appends sentinels, XLM-R and mBART (fairseq)
put four special tokens first, CamemBERT five, Pegasus 105, DeBERTa appends its mask. Marian has its
own table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from core.errors import CheckpointError
from core.text.settings import Settings
from core.text.spm import Fold, Vocabulary

_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
_CAMEMBERT = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED")
_PEGASUS = ("<pad>", "</s>", "<mask_1>", "<mask_2>")
_LANGUAGE = re.compile(r"[a-z]{2,3}_[A-Z]{2}")
_MARIAN_LANGUAGE = re.compile(r">>.+<<")
_PEGASUS_OFFSET = 103


def lay_out(processor: SentencePieceProcessor, settings: Settings, path: Path) -> Vocabulary:
    """The model's vocabulary as its family numbers it."""
    count = processor.get_piece_size()
    own = [processor.id_to_piece(i) for i in range(count)]
    layout = settings.kind.layout
    ids = list(range(count))
    more: list[str] = []
    pieces: list[str | None]
    if layout in ("fairseq", "languages"):
        pieces = [*_FAIRSEQ, *own[3:]]
        if layout == "languages":
            more = [token for token in settings.more if _LANGUAGE.fullmatch(token)]
            if not more:
                raise CheckpointError(
                    f"{path} needs the language codes listed as additional_special_tokens in "
                    "special_tokens_map.json or tokenizer_config.json, or a tokenizer.json"
                )
        more.append(settings.name("mask") or "<mask>")
        ids = [3, 0, 2, *range(4, count + 1)]
    elif layout == "camembert":
        pieces = [*_CAMEMBERT, *own[1:]]
        more = [*_CAMEMBERT, settings.name("mask") or "<mask>"]
        ids = [3, *range(5, count + 4)]
    elif layout == "pegasus":
        more = [*_PEGASUS, *(f"<unk_{i}>" for i in range(2, _PEGASUS_OFFSET))]
        pieces = [*more, *own[2:]]
        ids = [i if i < 2 else i + _PEGASUS_OFFSET for i in range(count)]
    else:
        pieces = list(own)
        if layout == "sentinels" and "<extra_id_0>" not in own:
            extra = int(settings.values.get("extra_ids", 100))
            more = [f"<extra_id_{i}>" for i in reversed(range(extra))]
        elif layout == "mask_last":
            more = ["[MASK]"]
    pieces += _absent(more, pieces)
    _complete(pieces, settings)
    control = [piece for i, piece in enumerate(own) if processor.is_control(i)]
    sentinels = [piece for piece in own if re.fullmatch(r"<extra_id_\d+>", piece)]
    return _vocabulary(pieces, ids, settings, [*control, *sentinels, *more])


def lay_out_marian(
    processor: SentencePieceProcessor, table: Mapping[str, int], settings: Settings, path: Path
) -> Vocabulary:
    """The vocabulary of a table, piece -> id, for the pieces a model cuts a text into."""
    unknown = table.get(settings.name("unk") or "<unk>")
    if unknown is None:
        raise CheckpointError(f"{path} has no <unk>, which Marian's vocabulary needs")
    pieces: list[str | None] = [None] * (max(table.values()) + 1)
    for piece, number in table.items():
        pieces[number] = piece
    _complete(pieces, settings)
    own = (processor.id_to_piece(i) for i in range(processor.get_piece_size()))
    ids = tuple(table.get(piece, unknown) for piece in own)
    languages = [piece for piece in table if _MARIAN_LANGUAGE.fullmatch(piece)]
    return _vocabulary(pieces, ids, settings, languages)


def _complete(pieces: list[str | None], settings: Settings) -> None:
    """Puts in what the files beside the model hold: tokens with an id, then those without."""
    for number, added in sorted(settings.added.items()):
        pieces += [None] * (number + 1 - len(pieces))
        pieces[number] = added.content
    pieces += _absent(settings.appended, pieces)


def _absent(tokens: Iterable[str], pieces: Sequence[str | None]) -> list[str]:
    present = set(pieces)
    return [token for token in tokens if token not in present]


def _vocabulary(
    pieces: list[str | None],
    ids: list[int] | tuple[int, ...],
    settings: Settings,
    special: list[str],
) -> Vocabulary:
    present = set(pieces)
    names = {*settings.kind.names.values(), *settings.said.values(), *settings.more, *special}
    added = {token.content: token for token in settings.added.values()}
    names |= {content for content, token in added.items() if token.special}
    plain = added.keys() - names
    stands_for_text = {*plain, settings.unknown}
    typed = plain if settings.splits_special else names | plain
    return Vocabulary(
        pieces=tuple(pieces),
        ids=tuple(ids),
        special=frozenset(
            i for i, piece in enumerate(pieces) if piece in names and piece not in stands_for_text
        ),
        typed=tuple(
            added.get(token) or settings.special(token)
            for token in sorted(typed)
            if token in present
        ),
    )


def fold(*, lower: bool, accents: bool = True, quotes: bool = False) -> Fold:
    """Changes before SentencePiece: lower case, accents off, ALBERT's `` and '' made one quote."""

    def folded(text: str) -> tuple[str, list[tuple[int, int]]]:
        found: list[str] = []
        origin: list[tuple[int, int]] = []
        at = 0
        while at < len(text):
            quote = quotes and text[at : at + 2] in ("``", "''")
            part = '"' if quote else text[at]
            if not accents:
                split = unicodedata.normalize("NFKD", part)
                part = "".join(c for c in split if not unicodedata.combining(c))
            part = part.lower() if lower else part
            found += part
            end = at + (2 if quote else 1)
            origin += [(at, end)] * len(part)
            at = end
        return "".join(found), origin

    return folded
