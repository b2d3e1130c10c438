"""What comes before the first layer: text, tokens, ids, and what the embedding adds up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from app.counting import short
from app.views._blueprint import Part
from app.views._parts import norm, shape
from app.views._tokens import labels
from core.analysis import parameters
from core.spec import EmbeddingSpec, LearnedPositions, SinusoidalPositions
from core.spelling import CONTINUATION, piece_bytes, readable

if TYPE_CHECKING:
    from core.tokens import Tokens

WIDE = 26  # letters that find room in a box


def text(tokens: Tokens, *, changed: bool, growing: bool, raw: bool) -> list[Part]:
    """The text, its tokens, their ids. changed: it is no longer as it was typed. growing: it is
    being written, and its end is shown rather than its beginning."""
    words = written(tokens) if changed or growing else tokens.text or written(tokens)
    cut = ending if growing else beginning
    number = f"{len(tokens)} token" + "s" * (len(tokens) != 1)
    names = labels(tokens, raw)
    room = WIDE - len(number) - 2
    ids = [str(i) for i in tokens.ids]
    words = " ".join(words.split())
    return [
        Part(
            text=cut(words, WIDE) or "(nothing yet)",
            kind="text",
            note=f"The text{' so far' * growing}: {words or 'nothing yet'}",
            height=16,
        ),
        Part(
            text=f"Tokenizer\n{number}: {_some(names, ' ', room, last=growing)}",
            note="The text cut into tokens; the view Embeddings has one row for each",
            target="embeddings",
        ),
        Part(
            text=f"ids {shape(len(tokens))}\n{_some(ids, ', ', WIDE, last=growing)}",
            note="The number of each token in the vocabulary",
            target="embeddings",
        ),
    ]


def written(tokens: Tokens) -> str:
    """What the tokens spell, without padding and special ones that nobody typed."""
    pieces = [
        piece
        for piece, special, padding, span in zip(
            tokens.pieces, tokens.special, tokens.padding, tokens.spans, strict=True
        )
        if not (padding or (special and span is None))
    ]
    if tokens.spelling in ("bytes", "sentencepiece"):
        spelled = b"".join(piece_bytes(piece, tokens.spelling) for piece in pieces)
        return readable(spelled)[0].strip()
    return " ".join(pieces).replace(f" {CONTINUATION}", "")


def _some(words: Sequence[str], between: str, room: int, *, last: bool) -> str:
    """As many whole words as find room, from the beginning or from the end; at least one."""
    shown: list[str] = []
    taken = 0
    for word in reversed(words) if last else words:
        taken += _width(word) + len(between)
        if shown and taken > room:
            break
        shown.append(word)
    left = ["…"] if len(shown) < len(words) else []
    return between.join([*left, *reversed(shown)] if last else [*shown, *left])


def _width(word: str) -> int:
    """In letters, of which a Chinese character takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in word)


def beginning(words: str, room: int) -> str:
    """As much of a text as fits into so many letters, at least one."""
    taken = 0
    for place, letter in enumerate(words):
        taken += _width(letter)
        if taken > room:
            return words[: max(0, place - 1)].rstrip() + "…"
    return words


def ending(words: str, room: int) -> str:
    """The same from the end."""
    return beginning(words[::-1], room)[::-1]


def embedding(spec: EmbeddingSpec, *, shared: bool) -> list[Part]:
    """Token + position + segment, then what is done to the sum. shared: the encoder's table."""
    projection = _projection(spec)
    weights = parameters.embedding(spec)
    size = "shared" if shared else short(weights["token"])
    parts = [
        Part(
            text=f"Token embedding\n{spec.vocab:,} × {spec.width} · {size}",
            kind="embedding",
            note=_token_note(spec) + (", shared with the encoder" if shared else ""),
            target="embeddings",
        )
    ]
    if spec.project_first:
        parts += projection
    match spec.positions:
        case LearnedPositions(size=rows):
            parts.append(
                Part(
                    text=f"+ position\n{rows:,} × {spec.sum_width} · {short(weights['position'])}",
                    kind="embedding",
                    note="One learned vector for each position, added to the token's",
                    target="embeddings",
                )
            )
        case SinusoidalPositions():
            parts.append(
                Part(
                    text="+ sines and cosines\nfixed, not learned",
                    kind="embedding",
                    note="Sinusoidal positions (Vaswani et al. 2017), added to the token's vector",
                    target="embeddings",
                )
            )
    if spec.segments:
        parts.append(
            Part(
                text=f"+ segment\n{spec.segments} × {spec.sum_width} · {short(weights['segment'])}",
                kind="embedding",
                note="One learned vector for sentence A and one for B, added",
                target="embeddings",
            )
        )
    if spec.norm is not None:
        of = "the sum of the embeddings" if len(parts) > 1 else "the token's vector"
        parts.append(norm(spec.norm, weights["norm"], of, target="embeddings"))
    return parts if spec.project_first else parts + projection


def _projection(spec: EmbeddingSpec) -> list[Part]:
    """Where the token table is narrower than the layers."""
    if spec.d_embed is None:
        return []
    what = "token's vector" if spec.project_first else "embedding"
    weights = parameters.embedding(spec)["project"]
    return [
        Part(
            text=f"Projection\n{spec.width} → {spec.d_model} · {short(weights)}",
            kind="embedding",
            note=f"The {what} is narrower than the layers and widened here",
            target="embeddings",
        )
    ]


def _token_note(spec: EmbeddingSpec) -> str:
    scaled = "" if spec.scale == 1 else f", times {spec.scale:.4g}"
    return f"One row of {spec.width} numbers for each of {spec.vocab:,} tokens{scaled}"
