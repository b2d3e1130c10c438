"""`python -m training.heads --data FOLDER`: what each attention head of the built-in models does.

For every head the mean weight it gives to the previous, the next and the first token, to
separators, to an earlier copy of the token, and (decoder) to the token after an earlier copy; for
the translator how often its strongest source token is the right one by the grammar's word order.
Layers and heads count from 1 here, as everywhere a person reads them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from core.checkpoints.load import load_model
from core.loaded import LoadedModel
from training.data.stories import read_books, split_books
from training.encoder import CLS, SEP
from training.evaluation.words import stories_of
from training.folders import MODELS, add_data_option, checked
from training.grammar.parallel import held_out_sentences
from training.grammar.phrase import UNALIGNED, Phrase, Word
from training.translator import END, START, TO_CHINESE, TO_ENGLISH

TEXTS, LENGTH = 40, 48
SPAN, GAP = 24, 16
SENTENCES = 200
Table = dict[str, NDArray[np.float64]]  # name -> [layer, head]


def places(model: LoadedModel, site: str, rows: Sequence[list[int]], separators: set[int]) -> Table:
    """Mean weight to each kind of place, over the queries that have such a place."""
    sums: dict[str, NDArray[np.float64]] = {}
    counts: dict[str, int] = {}
    for ids in rows:
        size = len(ids)
        same = np.equal.outer(ids, ids)
        earlier = np.tril(np.ones((size, size), dtype=bool), -1)
        kinds = {
            "previous": np.eye(size, k=-1, dtype=bool),
            "next": np.eye(size, k=1, dtype=bool),
            "itself": np.eye(size, dtype=bool),
            "first": np.arange(size)[None, :].repeat(size, 0) == 0,
            "separator": np.isin(ids, list(separators))[None, :].repeat(size, 0),
            "same earlier": same & earlier,
            "after same": np.roll(same & earlier, 1, axis=1) & earlier,
        }
        if site == "decoder.self":
            del kinds["next"], kinds["separator"]
        pattern = patterns(model, site, ids)
        for name, wanted in kinds.items():
            asked = wanted.any(1)
            asked[0] = False
            given = (pattern * wanted).sum(-1)[:, :, asked].sum(-1)
            sums[name] = sums.get(name, np.zeros(given.shape)) + given
            counts[name] = counts.get(name, 0) + int(asked.sum())
    return {name: sums[name] / max(counts[name], 1) for name in sums}


def patterns(
    model: LoadedModel, site: str, ids: list[int], target: list[int] | None = None
) -> NDArray[np.float64]:
    """[layer, head, query, key]."""
    trace = model.trace(ids=ids, target_ids=target)
    layers = model.spec.stack(site.partition(".")[0]).layers
    made = torch.stack([trace.pattern(site, layer) for layer in range(layers)])
    found: NDArray[np.float64] = made.double().numpy()
    return found


def induction(model: LoadedModel, stream: Sequence[int]) -> NDArray[np.float64]:
    """[layer, head]: in a span said again later, weight to the token that came next before."""
    total: NDArray[np.float64] | None = None
    count = 0
    rng = np.random.default_rng(5)
    for _ in range(TEXTS):
        a, b = (int(i) for i in rng.integers(len(stream) - SPAN - GAP, size=2))
        span, gap = list(stream[a : a + SPAN]), list(stream[b : b + GAP])
        pattern = patterns(model, "decoder.self", [0, *span, *gap, *span])
        for step in range(4, SPAN - 1):
            query, key = 1 + SPAN + GAP + step, 1 + step + 1
            weight = pattern[:, :, query, key]
            total, count = weight if total is None else total + weight, count + 1
    assert total is not None
    return total / count


def alignment(
    model: LoadedModel, tokenizer: Tokenizer, sentences: Sequence[Phrase], *, to_english: bool
) -> Table:
    """Share of linked target tokens whose strongest source token is linked to them: in the row of
    the token itself, and in the row before, which predicts it. Among the words of the source alone,
    with the direction as the first token, as in training; and, in "everything read", as the window
    shows a sentence: without a direction, and the end token counts as a (wrong) place too. The last
    row of each is the mean of all heads of a layer."""
    right: Table = {}
    count = 0
    for sentence in sentences:
        source = sentence.zh if to_english else sentence.en
        target = sentence.en if to_english else sentence.zh
        texts = (sentence.chinese, sentence.english)
        source_text, target_text = texts if to_english else texts[::-1]
        source_ids, source_labels = labelled(tokenizer, source_text, source)
        target_ids, target_labels = labelled(tokenizer, target_text, target)
        direction = TO_ENGLISH if to_english else TO_CHINESE
        read, written = [*source_ids, END], [START, *target_ids]
        told = with_mean(patterns(model, "decoder.cross", [direction, *read], written))
        untold = with_mean(patterns(model, "decoder.cross", read, written))
        among_words, everything = told[..., 1:-1].argmax(-1), untold.argmax(-1)
        for place, label in enumerate(target_labels):
            linked = [i for i, other in enumerate(source_labels) if other == label]
            if label == UNALIGNED or not linked:
                continue
            for name, strongest, row in (
                ("own row", among_words, place + 1),
                ("predicting row", among_words, place),
                ("everything read", everything, place),
            ):
                hit = np.isin(strongest[:, :, row], linked).astype(np.float64)
                right[name] = right.get(name, np.zeros(hit.shape)) + hit
            count += 1
    return {name: value / count for name, value in right.items()}


def with_mean(made: NDArray[np.float64]) -> NDArray[np.float64]:
    """[layer, head + 1, query, key]: the mean of a layer's heads as one more head."""
    return np.concatenate([made, made.mean(1, keepdims=True)], axis=1)


def labelled(tokenizer: Tokenizer, text: str, words: Sequence[Word]) -> tuple[list[int], list[str]]:
    """Token ids of the text and the label of the word that each belongs to."""
    spans, start = [], 0
    for word in words:
        start = text.lower().index(word.text.lower(), start)
        spans.append((start, start + len(word.text), word.label))
        start += len(word.text)
    encoded = tokenizer.encode(text, add_special_tokens=False)
    labels = []
    for _, end in encoded.offsets:
        # A piece with its space begins before the word: its last character decides.
        found = [label for first, last, label in spans if first < end <= last]
        labels.append(found[0] if found else UNALIGNED)
    return encoded.ids, labels


def show(title: str, table: Table) -> None:
    """One line a head."""
    print(title)
    print("  layer head  " + "".join(f"{name:>17}" for name in table))
    layers, heads = next(iter(table.values())).shape
    for layer in range(layers):
        for head in range(heads):
            values = "".join(f"{values[layer, head]:17.2f}" for values in table.values())
            name = "mean" if title.startswith("translator") and head == heads - 1 else str(head + 1)
            print(f"  {layer + 1:>5} {name:>4}  {values}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser)
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("names", nargs="*", default=["encoder", "decoder", "translator"])
    given = parser.parse_args()
    _, books = split_books(read_books(checked(given.data)))
    torch.set_num_threads(1)
    rng = np.random.default_rng(3)
    for name in given.names:
        model = load_model(given.models / name)
        tokenizer = Tokenizer.from_file(str(given.models / name / "tokenizer.json"))
        stream = stories_of(books, tokenizer).ids.tolist()
        starts = rng.integers(len(stream) - LENGTH, size=TEXTS)
        texts = [stream[s : s + LENGTH] for s in starts]
        if name == "encoder":
            rows = [[CLS, *text, SEP] for text in texts]
            show("encoder, self-attention", places(model, "encoder.self", rows, {SEP}))
        elif name == "decoder":
            rows = [[0, *text] for text in texts]
            table = places(model, "decoder.self", rows, set())
            show("decoder, self-attention", table | {"induction": induction(model, stream)})
        else:
            sentences = held_out_sentences(SENTENCES)
            for way, to_english in (("zh → en", True), ("en → zh", False)):
                table = alignment(model, tokenizer, sentences, to_english=to_english)
                show(f"translator, cross-attention, {way}", table)


if __name__ == "__main__":
    main()
