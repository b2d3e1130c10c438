"""`python -m training.evaluate --data FOLDER`: held-out figures of the built-in models.

Prints one table; the model cards quote it. With --run the figures are of a training run in
training/work instead of the shipped model.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from core.checkpoints.load import load_model
from core.model import Transformer
from training.data.pairs import Pair, read_pairs, split_pairs
from training.data.sentiment import Opinion, read_sentiment, split_sentiment
from training.data.stories import read_books, split_books
from training.decoder import END
from training.evaluation.continuation import bits_per_character, continuations
from training.evaluation.ngram import Fillers
from training.evaluation.translation import scores, translate
from training.evaluation.words import half_rows, masked_words, sentiment, stories_of
from training.export import load_run
from training.folders import MODELS, WORK, add_data_option, checked
from training.grammar.fixed import COURTESIES, TEXTBOOK
from training.grammar.opinions import opinion
from training.grammar.parallel import held_out_sentences

GRAMMAR_SENTENCES = 500
WRITTEN_OPINIONS = 1000
BEAMS = 4  # Vaswani et al. 2017, section 6.1
Figures = dict[str, float]


def encoder_figures(folder: Path, network: Transformer, tokenizer: Tokenizer) -> Figures:
    """Masked words, next sentence, sentiment."""
    trained, books = split_books(read_books(folder))
    _, opinions = split_sentiment(read_sentiment(folder))
    rng = random.Random(99)
    written = [Opinion(text=t, label=k) for t, k in (opinion(rng) for _ in range(WRITTEN_OPINIONS))]
    seen, stories = stories_of(trained, tokenizer), stories_of(books, tokenizer)
    vocab = network.stack("encoder").spec.embedding.vocab
    fillers = Fillers(seen.ids.astype(np.int64), vocab=vocab)
    return (
        masked_words(network, stories, fillers)
        | half_rows(network, stories, fillers)
        | sentiment(network, tokenizer, opinions, "sentiment, unseen comments")
        | sentiment(network, tokenizer, written, "sentiment, template sentences (seen kind)")
    )


def decoder_figures(folder: Path, network: Transformer, tokenizer: Tokenizer) -> Figures:
    """Bits per character and loops; the continuations are printed."""
    trained, books = split_books(read_books(folder))
    chapters = ["\n".join(chapter) for book in trained for chapter in book.chapters]
    encoded = tokenizer.encode_batch(chapters, add_special_tokens=False)
    seen = np.array([i for e in encoded for i in (*e.ids, END)], dtype=np.uint16)
    found = bits_per_character(network, tokenizer, books, seen)
    texts = continuations(network, tokenizer)
    for prompt, text, looping in texts:
        print(f"    {prompt}|{text}{'   (loops)' if looping else ''}".replace("\n", " / "))
    return found | {"greedy continuations that loop": sum(t[2] for t in texts) / len(texts)}


def translator_figures(folder: Path, network: Transformer, tokenizer: Tokenizer) -> Figures:
    """chrF, BLEU, exact sentences; the textbook ones are printed."""
    _, pairs = split_pairs(read_pairs(folder))
    grammar = [Pair(zh=s.chinese, en=s.english) for s in held_out_sentences(GRAMMAR_SENTENCES)]
    found = scores(network, tokenizer, pairs, "Tatoeba")
    found |= scores(network, tokenizer, pairs, f"Tatoeba, {BEAMS} beams", beams=BEAMS)
    found |= scores(network, tokenizer, grammar, "grammar")
    for name, fixed, ways in (
        ("textbook sentences, both ways", TEXTBOOK, (True, False)),
        ("courtesies, zh → en", COURTESIES, (True,)),
    ):
        right = total = 0
        for to_english in ways:
            sources = [zh if to_english else en for zh, en in fixed]
            wanted = [en if to_english else zh for zh, en in fixed]
            for s, w, g in zip(
                sources,
                wanted,
                translate(network, tokenizer, sources, to_english=to_english),
                strict=True,
            ):
                total, right = total + 1, right + (g == w)
                if g != w or fixed is TEXTBOOK:
                    print(f"    {s} → {g}{'' if g == w else f'   (expected {w})'}")
        found[f"{name}: exact"] = right / total
    return found


FIGURES = {
    "encoder": encoder_figures,
    "decoder": decoder_figures,
    "translator": translator_figures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FIGURES)} (default: all)")
    parser.add_argument("--run", action="store_true", help="the training runs, not what is shipped")
    given = parser.parse_args()
    folder = checked(given.data)
    torch.set_num_threads(1)
    for name in given.names or FIGURES:
        at = WORK / name / "tokenizer.json" if given.run else MODELS / name / "tokenizer.json"
        network = load_run(name) if given.run else load_model(MODELS / name).network
        print(f"{name}")
        figures = FIGURES[name](folder, network, Tokenizer.from_file(str(at)))
        for key, value in figures.items():
            shown = f"{value:.1f}" if "chrF" in key or "BLEU" in key else f"{value:.3f}"
            print(f"  {key:<52}{shown:>8}", flush=True)


if __name__ == "__main__":
    main()
