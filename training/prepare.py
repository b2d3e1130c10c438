"""`python -m training.prepare --data FOLDER`: tokenizers and encoded texts into training/work."""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.data.pairs import Pair, read_pairs, split_pairs
from training.data.sentiment import Opinion, read_sentiment, split_sentiment
from training.data.stories import Book, prose_of, read_books, sentences_of, split_books
from training.decoder import END
from training.folders import MODELS, WORK, add_data_option, checked
from training.grammar.english import consequence, fact, simple
from training.grammar.fixed import COURTESIES, TEXTBOOK
from training.grammar.opinions import opinion
from training.grammar.parallel import training_sentences
from training.grammar.tales import tale
from training.lists import save_lists
from training.vocabularies import (
    decoder_tokenizer,
    encoder_tokenizer,
    flat,
    translator_tokenizer,
)

GRAMMAR_PAIRS = 60_000
SIMPLE_SENTENCES = 30_000
FOLLOWING_PAIRS = 6_000
FACTS = 4_000
TALES = 12_000
OPINIONS = 8_000
COURTESY_TIMES, TEXTBOOK_TIMES = 40, 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser)
    parser.add_argument(
        "--keep-vocabularies",
        action="store_true",
        help="encode with the tokenizers of resources/models, to go on training those models",
    )
    given = parser.parse_args()
    folder = checked(given.data)
    kept = MODELS if given.keep_vocabularies else None
    WORK.mkdir(exist_ok=True)
    everything = read_books(folder)
    books, _ = split_books(everything)
    prose = prose_of(everything)
    pairs, _ = split_pairs(read_pairs(folder))
    opinions, _ = split_sentiment(read_sentiment(folder))
    rng = random.Random(0)
    tales = [tale(rng) for _ in range(TALES)]
    plain = [simple(rng) for _ in range(SIMPLE_SENTENCES)]
    grammar = training_sentences(GRAMMAR_PAIRS)
    english = list(dict.fromkeys(pair.en for pair in pairs))
    written = [phrase.english for phrase in grammar[: GRAMMAR_PAIRS // 4]]
    prepare_encoder(books, prose, english + written, plain, opinions, rng, kept)
    prepare_decoder(books, prose, english + plain, tales, kept)
    parallel = [Pair(zh=phrase.chinese, en=phrase.english) for phrase in grammar]
    prepare_translator(pairs, parallel, kept)


def prepare_encoder(
    books: list[Book],
    prose: list[Book],
    english: list[str],
    plain: list[str],
    opinions: list[Opinion],
    rng: random.Random,
    kept: Path | None,
) -> None:
    """encoder.json, books by sentence, single sentences, following pairs and opinions."""
    paragraphs = [p for book in books for chapter in book.chapters for p in chapter]
    texts = [o.text for o in opinions]
    tokenizer = vocabulary(
        "encoder", kept, lambda: encoder_tokenizer(flat((paragraphs, english, plain, texts)))
    )
    sentences = [s for book in books + prose for s in sentences_of(book)]
    save_lists(WORK / "encoder_stories.npz", tokenizer, sentences)
    save_lists(WORK / "encoder_single.npz", tokenizer, english + plain)
    facts = [fact(rng) for _ in range(FACTS)]
    save_lists(WORK / "encoder_facts.npz", tokenizer, facts)
    follow = [consequence(rng) for _ in range(FOLLOWING_PAIRS)]
    save_lists(WORK / "encoder_follow.npz", tokenizer, [part for pair in follow for part in pair])
    written = [opinion(rng) for _ in range(OPINIONS)]
    labels = [o.label for o in opinions] + [label for _, label in written]
    save_lists(
        WORK / "encoder_opinions.npz",
        tokenizer,
        texts + [text for text, _ in written],
        labels=labels,
    )


def prepare_decoder(
    books: list[Book],
    prose: list[Book],
    english: list[str],
    tales: list[str],
    kept: Path | None,
) -> None:
    """decoder.json and four streams of tokens: stories, adult prose, single sentences, tales."""
    chapters, adult = (
        ["\n".join(chapter) for book in kind for chapter in book.chapters]
        for kind in (books, prose)
    )
    tokenizer = vocabulary(
        "decoder", kept, lambda: decoder_tokenizer(flat((chapters, english, tales)))
    )
    random.Random(1).shuffle(english)
    streams = {"stories": chapters, "prose": adult, "single": english, "tales": tales}
    for name, texts in streams.items():
        ids = [i for e in tokenizer.encode_batch(texts) for i in (*e.ids, END)]
        np.save(WORK / f"decoder_{name}.npy", np.array(ids, dtype=np.uint16))


def prepare_translator(pairs: list[Pair], grammar: list[Pair], kept: Path | None) -> None:
    """translator.json and the two sides of every pair, everyday and grammar apart."""
    everyday = pairs + [Pair(zh=zh, en=en) for zh, en in COURTESIES * COURTESY_TIMES]
    textbook = [Pair(zh=zh, en=en) for zh, en in TEXTBOOK * TEXTBOOK_TIMES]
    seen = [text for pair in pairs + grammar[: GRAMMAR_PAIRS // 3] for text in (pair.zh, pair.en)]
    tokenizer = vocabulary("translator", kept, lambda: translator_tokenizer(seen))
    for name, group in (("everyday", everyday), ("grammar", grammar + textbook)):
        for side in ("zh", "en"):
            texts = [getattr(pair, side) for pair in group]
            save_lists(WORK / f"translator_{name}_{side}.npz", tokenizer, texts)


def vocabulary(name: str, kept: Path | None, trained: Callable[[], Tokenizer]) -> Tokenizer:
    """The tokenizer in kept/<name>, or a newly trained one; a copy goes to training/work."""
    path = WORK / f"{name}.json"
    if kept is None:
        trained().save(str(path))
    else:
        shutil.copyfile(kept / name / "tokenizer.json", path)
    return Tokenizer.from_file(str(path))


if __name__ == "__main__":
    main()
