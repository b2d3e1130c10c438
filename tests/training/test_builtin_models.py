"""The shipped models still say what the examples and the cards say they say."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from app.examples import masks_of, read
from core import load_model
from core.builtin import FOLDER
from tests.training.builtin import builtin, written
from training.grammar.fixed import TEXTBOOK

EXAMPLES = read()
MEGABYTE = 1e6


def test_all_models_together_are_small() -> None:
    sizes = {p.parent.name: p.stat().st_size / MEGABYTE for p in FOLDER.glob("*/model.safetensors")}
    assert set(sizes) == {"encoder", "decoder", "translator"}
    assert max(sizes.values()) < 20
    assert sum(p.stat().st_size for p in FOLDER.rglob("*")) / MEGABYTE < 60


@pytest.mark.parametrize("name", ["encoder", "decoder", "translator"])
def test_each_model_holds_what_its_card_says(name: str) -> None:
    model = builtin(name)
    assert model.tokenizer is not None
    assert model.spec.dtype == "float16"
    assert all(p.dtype == torch.float32 for p in model.network.parameters())
    heads = model.spec.heads
    assert heads.vocab is not None
    assert (heads.pair is not None, heads.classes is not None) == (name == "encoder",) * 2
    card = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    assert f"{model.parameters / 1e6:.2f} million" in card


@pytest.mark.parametrize(
    ("name", "layer", "head", "offset", "least"),
    [("encoder", 1, 5, -1, 0.8), ("encoder", 1, 6, 1, 0.8), ("decoder", 2, 8, -1, 0.5)],
)
def test_heads_that_look_next_door(
    name: str, layer: int, head: int, offset: int, least: float
) -> None:
    text = {e.model: e.text for e in EXAMPLES if "look" in e.title}[f"builtin:{name}"]
    site = f"{name}.self"
    pattern = builtin(name).trace(text).pattern(site, layer - 1, head=head - 1)
    assert float(pattern.diagonal(offset).mean()) > least


def test_the_head_that_looks_at_the_previous_token_does_so_in_every_row() -> None:
    """As its note says: not only on average, which a few rows may make large."""
    (example,) = [e for e in EXAMPLES if "previous token" in e.title]
    assert "in every row" in example.note
    assert "most of its weight" in example.note
    assert "nine tenths on average" in example.note
    pattern = (
        builtin("decoder")
        .trace(example.text)
        .pattern(example.site, example.layer - 1, head=(example.head or 0) - 1)
    )
    before = pattern.diagonal(-1)
    assert float(before.min()) > 0.5
    assert float(before.mean()) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(
    ("source", "target", "looks"),
    [
        ("我爱AI。", "I love AI.", {"<s>": "我", "I": "爱", "▁love": "AI"}),
        ("我今天去买了苹果。", "I went to buy apples today.", {"▁apples": "天", "<s>": "我"}),
        ("我热爱机器学习。", "I love machine learning.", {"I": "爱", "▁love": "器"}),
        ("I love machine learning.", "我热爱机器学习。", {"我": "▁love", "爱": "▁machine"}),
        (
            "汤姆买了一本书，他很喜欢它。",
            "Tom bought a book, and he likes it very much.",
            {"▁and": "他", "▁likes": "它"},
        ),
    ],
)
def test_cross_attention_chooses_the_next_word_where_it_stands(
    source: str, target: str, looks: dict[str, str]
) -> None:
    trace = builtin("translator").trace(source, target=target)
    queries, keys = (trace.tokens[stack].pieces for stack in ("decoder", "encoder"))
    mean = trace.pattern("decoder.cross", 2).mean(0)
    found = {query: keys[int(mean[queries.index(query)].argmax())] for query in looks}
    assert found == looks


def test_the_story_teller_begins_as_tales_do() -> None:
    text = written("decoder", "Once upon a time")
    assert text.lstrip(",").startswith(" there ")


def test_an_induction_head_finds_what_came_next_last_time() -> None:
    trace = builtin("decoder").trace("blue river seven lamp green stone. blue river seven")
    pieces = trace.tokens["decoder"].pieces
    row = trace.pattern("decoder.self", 3, head=2)[-1]
    assert pieces[int(row.argmax())] == "Ġlamp"
    assert row.max() > 0.8
    tokenizer = builtin("decoder").tokenizer
    assert tokenizer is not None
    assert tokenizer.piece(int(trace.logits[-1].argmax())) == "Ġlamp"


def test_lists_that_no_text_holds_are_copied() -> None:
    """Blind lists said twice: the second time at least half of the tokens are foretold."""
    model, size = builtin("decoder"), 24
    draw = torch.Generator().manual_seed(3)
    right = total = 0
    for _ in range(8):
        said = (2 + torch.randperm(4000, generator=draw)[:size]).tolist()
        told = model.trace(ids=[0, *said, *said]).logits[size + 4 : -1].argmax(-1)
        wanted = torch.tensor(said[4:])
        right, total = right + int((told == wanted).sum()), total + len(wanted)
    assert right / total > 0.5


@pytest.mark.parametrize(("zh", "en"), TEXTBOOK)
def test_textbook_sentences_are_translated_exactly_both_ways(zh: str, en: str) -> None:
    assert written("translator", zh) == en
    assert written("translator", en) == zh
    assert written("translator", f"<2en>{zh}") == en
    assert written("translator", f"<2zh>{en}") == zh


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The cat\nsat on the mat.", "The cat sat on the mat."),
        ("What\tis \r\n it?", "What is it?"),
        ("我爱AI。\n他喜欢苹果。", "我爱AI。 他喜欢苹果。"),
    ],
)
def test_white_space_of_any_kind_is_a_space_to_the_translator(text: str, plain: str) -> None:
    model = builtin("translator")
    assert model.trace(text).tokens["encoder"].ids == model.trace(plain).tokens["encoder"].ids
    assert "<unk>" not in model.trace(text).tokens["encoder"].pieces


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.title for e in EXAMPLES])
def test_every_example_can_be_shown(example: object) -> None:
    from app.examples import Example

    assert isinstance(example, Example)
    model = (
        load_model(example.model)
        if not example.model.startswith("builtin:")
        else builtin(example.model.removeprefix("builtin:"))
    )
    assert example.site in model.spec.sites
    assert not example.against or len(model.trace(example.against).tokens["encoder"]) > 3
    stack, _, part = example.site.partition(".")
    attention = model.spec.stack(stack).attention(part, example.layer - 1)
    assert example.head is None or 1 <= example.head <= attention.heads
    trace = model.trace(
        example.text,
        example.pair or None,
        example.target or None,
        masks=masks_of(example.mask, model.spec.sites),
    )
    pattern = trace.pattern(example.site, example.layer - 1)
    seen = trace.allowed(example.site, example.layer - 1)
    torch.testing.assert_close(pattern.sum(-1), seen.any(-1).expand(pattern.shape[:-1]).float())
    assert all(ord(c) < 0x3000 or c not in "￼�" for c in example.note)
    assert example.note.endswith(".")


def test_there_are_examples_enough() -> None:
    assert len(EXAMPLES) >= 20
    assert len({e.title for e in EXAMPLES}) == len(EXAMPLES)
    assert {e.model for e in EXAMPLES} == {
        f"builtin:{n}" for n in ("encoder", "decoder", "translator")
    }


def test_the_cards_are_beside_the_models() -> None:
    for name in ("encoder", "decoder", "translator"):
        folder: Path = FOLDER / name
        held = {p.name for p in folder.iterdir()}
        assert {"README.md", "config.json", "loss.csv", "loss.svg", "tokenizer.json"} <= held
