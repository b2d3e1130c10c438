"""What a batch is drawn from: shares of each kind of row, and little padding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from training import encoder, translator
from training.lists import listed

WORDS = range(20, 200)


def write(folder: Path, name: str, texts: list[list[int]]) -> None:
    lists = listed(texts)
    np.savez(folder / f"translator_{name}.npz", ids=lists.ids, starts=lists.starts)


@pytest.fixture
def batches(tmp_path: Path) -> translator.TranslatorBatches:
    """Each kind of pair has a word of its own."""
    rng = np.random.default_rng(0)
    for word, kind in enumerate(("everyday", "grammar", "back"), start=6):
        sizes = rng.integers(2, 30, size=400)
        write(tmp_path, f"{kind}_zh", [[word, *rng.choice(WORDS, size=n)] for n in sizes])
        write(tmp_path, f"{kind}_en", [[word + 3, *rng.choice(WORDS, size=n)] for n in sizes])
    return translator.TranslatorBatches(tmp_path)


@pytest.mark.parametrize("progress", [0.0, 1.0])
def test_back_translations_serve_into_english_alone_and_say_what_they_are(
    batches: translator.TranslatorBatches, progress: float
) -> None:
    rng = np.random.default_rng(1)
    rows = [batches.row(rng, progress) for _ in range(4000)]
    back = [row for row in rows if {8, 11} & set(row[0] + row[1])]
    assert all(source[:2] == [translator.START, 8] and target[1] == 11 for source, target in back)
    told_apart = [row for row in rows if row not in back]
    assert all(source[0] != translator.START for source, _ in told_apart)
    grammar = (translator.GRAMMAR_FIRST, translator.GRAMMAR_LAST)[int(progress)]
    share = (translator.BACK_FIRST, translator.BACK_LAST)[int(progress)]
    assert len(back) / len(rows) == pytest.approx(0.5 * (1 - grammar) * share, rel=0.15)


def test_without_back_translations_there_are_pairs_alone(tmp_path: Path) -> None:
    for kind in ("everyday", "grammar"):
        for side in ("zh", "en"):
            write(tmp_path, f"{kind}_{side}", [[6, 7]])
    found = translator.TranslatorBatches(tmp_path)
    rng = np.random.default_rng(1)
    assert all(found.row(rng, 0.0)[0][0] != translator.START for _ in range(200))


def test_every_row_comes_once_in_batches_of_like_size(
    batches: translator.TranslatorBatches,
) -> None:
    rng = np.random.default_rng(2)
    rows = sorted((batches.row(rng, 0.5) for _ in range(900)), key=lambda row: len(row[1]))
    parts = list(translator.batched(rows))
    assert [row for part in parts for row in part] == rows
    sizes = [
        sum(side.numel() for side in (batch.source, batch.target))
        for batch in map(translator.collate, parts)
    ]
    assert max(sizes) <= translator.BATCH_TOKENS
    assert min(sizes[:-1]) > 0.9 * translator.BATCH_TOKENS


def test_a_row_longer_than_a_batch_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translator, "BATCH_TOKENS", 10)
    rows = [([1, 2], [1, 3, 2]), ([1] * 9, [2] * 9), ([1, 2], [1, 2])]
    assert list(translator.batched(rows)) == [[row] for row in rows]


@pytest.mark.parametrize("share", [0.15, 0.3])
def test_a_share_of_the_words_is_masked_and_no_special_token(share: float) -> None:
    batches = object.__new__(encoder.EncoderBatches)
    batches.vocab = 100
    rows: list[encoder.Row] = [(list(range(5, 35)), list(range(40, 60)), 0)] * 200
    batch = batches.collate(rows, 64, np.random.default_rng(3), masked_share=share)
    words = batch.masked[:, 1:31].numel() + batch.masked[:, 32:52].numel()
    assert batch.masked.sum() == len(batch.targets)
    assert int(batch.masked.sum()) / words == pytest.approx(share, rel=0.1)
    assert int(batch.targets.min()) >= encoder.SPECIALS
    assert not batch.masked[:, [0, 31, 52, 53]].any()


@pytest.mark.parametrize("length", [encoder.MIDDLE, encoder.LONG])
def test_a_running_row_is_two_texts_of_the_book_that_fill_it(length: int) -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 30, size=4000)
    ends = np.cumsum(sizes)
    stories = listed([list(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)])
    rows = [encoder.running_row(stories, rng, length=length) for _ in range(200)]
    for a, b, strange in rows:
        assert len(encoder.framed(a, b)) == length
        assert length * 5 // 16 <= len(a) <= length * 5 // 8
        # The last sentence of the first text may be cut; the second begins with the one after it.
        assert (b[0] in ends and 0 < b[0] - a[-1] < 30) is (strange == 0)
        assert [*np.diff(a), *np.diff(b)] == [1] * (len(a) + len(b) - 2)  # running text
    assert 60 < sum(strange for _, _, strange in rows) < 140


def test_some_long_rows_are_one_text_from_end_to_end() -> None:
    rng = np.random.default_rng(2)
    batches = object.__new__(encoder.EncoderBatches)
    batches.vocab = 5000
    batches.stories = listed([list(range(at, at + 10)) for at in range(5, 5000, 10)])
    rows = [batches.long_row(rng, 64) for _ in range(400)]
    alone = [row for row in rows if not row[1]]
    assert len(alone) / len(rows) == pytest.approx(encoder.ALONE_SHARE, abs=0.06)
    for text, _, pair in alone:
        assert text == list(range(text[0], text[0] + 62))
        assert pair == encoder.NO_PAIR
    batch = batches.collate(alone, 64, rng, masked_share=0.15)
    assert not batch.padding.any() and not batch.segments.any()


@pytest.mark.parametrize("hidden", [0.8, 0.9])
def test_words_asked_for_are_mostly_hidden(hidden: float) -> None:
    targets = np.full(20_000, 50)
    shown = encoder.disguised(targets, 5000, np.random.default_rng(4), hidden=hidden)
    assert (shown == encoder.MASK).mean() == pytest.approx(hidden, abs=0.01)
    assert (shown == targets).mean() == pytest.approx((1 - hidden) / 2, abs=0.01)
    others = shown[(shown != encoder.MASK) & (shown != targets)]
    assert others.min() >= encoder.SPECIALS and len(set(others.tolist())) > 500
