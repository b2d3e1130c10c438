"""`python -m training.backtranslate --data FOLDER`: more English to learn from, with a Chinese
side that the shipped translator writes itself (Sennrich et al. 2016, "Improving NMT models with
monolingual data"). `training.translator` reads it, into English only, where it is there.
"""

from __future__ import annotations

import argparse

import torch
from tokenizers import Tokenizer

from core.checkpoints.load import load_model
from training.data.everyday import everyday_sentences
from training.data.pairs import read_pairs, split_pairs
from training.data.stories import read_books, split_books
from training.evaluation.translation import translate
from training.folders import MODELS, WORK, add_data_option, checked
from training.lists import save_lists

PART = 2_000  # sentences between two words of progress


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser)
    folder = checked(parser.parse_args().data)
    torch.set_num_threads(1)
    network = load_model(MODELS / "translator").network
    tokenizer = Tokenizer.from_file(str(MODELS / "translator" / "tokenizer.json"))
    books, _ = split_books(read_books(folder))
    english = everyday_sentences(books, *split_pairs(read_pairs(folder)))
    english.sort(key=len)  # a batch of like lengths
    chinese: list[str] = []
    for start in range(0, len(english), PART):
        part = english[start : start + PART]
        chinese += translate(network, tokenizer, part, to_english=False)
        print(f"{len(chinese)} of {len(english)}: {part[-1]} → {chinese[-1]}", flush=True)
    for side, texts in (("zh", chinese), ("en", english)):
        save_lists(WORK / f"translator_back_{side}.npz", tokenizer, texts)


if __name__ == "__main__":
    main()
