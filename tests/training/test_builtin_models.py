"""The shipped models still say what the examples and the cards say they say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch

from app.examples import masks_of, read
from core import load_model
from core.builtin import FOLDER
from core.loaded import LoadedModel
from training.grammar.fixed import TEXTBOOK

EXAMPLES = read()
MEGABYTE = 1e6


@cache
def builtin(name: str) -> LoadedModel:
    return load_model(f"builtin:{name}")


def fillers(text: str, *, mask: str = "") -> list[str]:
    """The five likeliest words for the first [MASK], best first."""
    model = builtin("encoder")
    trace = model.trace(text, masks=masks_of(mask, model.spec.sites))
    place = trace.tokens["encoder"].pieces.index("[MASK]")
    tokenizer = model.tokenizer
    assert tokenizer is not None
    return [tokenizer.piece(int(i)) for i in trace.logits[place].topk(5).indices]


def sentiment(text: str) -> str:
    model = builtin("encoder")
    classes = model.spec.heads.classes
    assert classes is not None
    return classes.labels[int(model.trace(text).heads["classes"].argmax())]


def written(name: str, text: str, *, tokens: int = 20) -> str:
    """The greedy text after the prompt, or the greedy translation."""
    *_, last = builtin(name).decode(text, strategy="greedy", max_new_tokens=tokens)
    return last.text


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
    ("text", "word", "among"),
    [
        ("He sat on the bank of the [MASK].", "river", 1),
        ("The cat sat on the bank of the [MASK].", "river", 1),
        ("She opened the [MASK] and went out.", "door", 2),
        ("She opened the [MASK] and went out.", "window", 2),
        ("Tom said that [MASK] was tired.", "he", 1),
        ("Mary said that [MASK] was tired.", "she", 1),
        ("He went to the bank to get some [MASK].", "money", 1),
    ],
)
def test_masked_words_of_the_examples(text: str, word: str, among: int) -> None:
    assert word in fillers(text)[:among]


BEFORE = (
    "It was a fine morning in spring, and the old man sat in his garden with a book. The birds "
    "sang in the trees. His little dog lay at his feet and slept. After a while his daughter came "
    "out of the house with a cup of tea, and they spoke about the weather and about the fields and "
    "about the people of the village. Then the bell rang, and she rose. "
)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She opened the [MASK] and went out.", "door"),
        ("Tom was tired, so he went to [MASK].", "bed"),
        ("He is taller [MASK] me.", "than"),
    ],
)
def test_a_mask_at_the_end_of_a_long_text_is_filled_too(text: str, word: str) -> None:
    tokens = builtin("encoder").trace(BEFORE + text).tokens["encoder"]
    assert tokens.pieces.index("[MASK]") > 80
    assert fillers(BEFORE + text)[0] == word


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("What a wonderful day!", "positive"),
        ("I love this movie.", "positive"),
        ("I hate this movie.", "negative"),
        ("The train leaves at nine.", "neutral"),
    ],
)
def test_sentiment_of_the_examples(text: str, label: str) -> None:
    assert sentiment(text) == label


def test_a_sentence_that_follows_is_told_from_one_that_does_not() -> None:
    def follows(second: str) -> float:
        heads = builtin("encoder").trace("Tom was very hungry.", second).heads
        return float(heads["pair"].softmax(-1)[0])

    assert follows("He ate some bread and cheese.") > 0.5
    assert follows("Paris is the capital of France.") < 0.5


def test_an_encoder_behind_a_causal_mask_fills_a_gap_worse() -> None:
    text = "The [MASK] fell from the tree."
    assert fillers(text)[0] == "apple"
    assert "apple" not in fillers(text, mask="causal")[:10]


@pytest.mark.parametrize(
    ("text", "word"), [("What a wonderful day!", "wonderful"), ("I hate this movie.", "hate")]
)
def test_cls_gathers_the_word_that_decides(text: str, word: str) -> None:
    trace = builtin("encoder").trace(text)
    row = trace.pattern("encoder.self", 1, head=3)[0]
    assert row[trace.tokens["encoder"].pieces.index(word)] > 0.9


@pytest.mark.parametrize(
    ("text", "layer", "head", "query", "key"),
    [
        ("Mary lost her book, so she was sad.", 2, 8, "she", "mary"),
        ("Mary was tired because she had worked all day.", 2, 8, "she", "mary"),
        ("Tom said that [MASK] was tired.", 4, 5, "[MASK]", "tom"),
        ("Mary said that [MASK] was tired.", 4, 5, "[MASK]", "mary"),
    ],
)
def test_a_pronoun_looks_for_its_name(
    text: str, layer: int, head: int, query: str, key: str
) -> None:
    trace = builtin("encoder").trace(text)
    pieces = trace.tokens["encoder"].pieces
    row = trace.pattern("encoder.self", layer - 1, head=head - 1)[pieces.index(query)]
    assert pieces[int(row.argmax())] == key
    assert row.max() > 0.7


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Tom was tired because he had worked all day.", "tom"),
        ("Mary saw Tom, and he was happy.", "mary"),
    ],
)
def test_the_head_of_the_pronoun_knows_names_and_no_rule(text: str, name: str) -> None:
    trace = builtin("encoder").trace(text)
    pieces = trace.tokens["encoder"].pieces
    row = trace.pattern("encoder.self", 1, head=7)[pieces.index("he")]
    assert pieces[int(row.argmax())] == name


def test_late_heads_rest_on_the_full_stop() -> None:
    trace = builtin("encoder").trace("She opened the [MASK] and went out.")
    stop = trace.tokens["encoder"].pieces.index(".")
    given = [trace.pattern("encoder.self", i).mean(0)[:, stop].mean() for i in range(6)]
    assert given[4] > 0.7
    assert max(given[:2]) < 0.2


def test_a_late_head_rests_on_the_word_that_turns_the_meaning() -> None:
    trace = builtin("encoder").trace("The movie was not bad.")
    row = trace.pattern("encoder.self", 3, head=6)[0]
    assert row[trace.tokens["encoder"].pieces.index("not")] > 0.9
    assert sentiment("The movie was not bad.") == "positive"
    assert sentiment("The movie was bad.") == "negative"


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


def test_the_two_banks_drift_apart() -> None:
    def bank(text: str) -> torch.Tensor:
        trace = builtin("encoder").trace(text)
        return trace.hidden("encoder")[:, trace.tokens["encoder"].pieces.index("bank")]

    money, also, river, other = (
        bank(text)
        for text in (
            "He put his money in the bank.",
            "She keeps her money in the bank.",
            "He sat there on the river bank.",
            "She walked along the river bank.",
        )
    )
    near = torch.cosine_similarity(money, also, dim=-1)
    far = torch.cosine_similarity(money, river, dim=-1)
    assert torch.cosine_similarity(river, other, dim=-1)[-1] > far[-1]
    assert near[-1] > far[-1]
    assert far[-1] < far[0]


@pytest.mark.parametrize("word", ["bank", "bat", "apple"])
def test_the_senses_of_the_examples_begin_alike_and_part(word: str) -> None:
    example = next(e for e in EXAMPLES if e.against and word in e.title.lower())
    here, there = (builtin("encoder").trace(text) for text in (example.text, example.against))
    places = [t.tokens["encoder"].pieces.index(word) for t in (here, there)]
    assert places[0] == places[1]
    states = (t.hidden("encoder")[:, p] for t, p in zip((here, there), places, strict=True))
    alike = torch.cosine_similarity(*states, dim=-1)
    assert alike[0] > 0.9999
    assert alike[1:3].min() < 0.85
    assert alike[-1] < 0.95


MONEY = (
    "He went to the bank to get money.",
    "He put his money in the bank.",
    "She keeps her money in the bank.",
    "My father works in a bank.",
    "The bank lent him some money.",
    "I went to the bank to get some money yesterday.",
)
RIVER = (
    "He sat on the bank of the river.",
    "He sat there on the river bank.",
    "She walked along the river bank.",
    "There were trees on the bank of the river.",
    "The boat lay by the bank of the river.",
)


def test_the_nearest_bank_has_the_same_sense_in_every_layer() -> None:
    traces = [builtin("encoder").trace(text) for text in (*MONEY, *RIVER)]
    mean = torch.cat([t.hidden("encoder")[:, 1:-1] for t in traces], dim=1).mean(1)
    banks = torch.stack(
        [t.hidden("encoder")[:, t.tokens["encoder"].pieces.index("bank")] - mean for t in traces]
    )
    senses = torch.tensor([0] * len(MONEY) + [1] * len(RIVER))
    for layer in range(1, banks.shape[1]):
        unit = torch.nn.functional.normalize(banks[:, layer], dim=-1)
        alike = (unit @ unit.T).fill_diagonal_(-2)
        assert int((senses[alike.argmax(-1)] == senses).sum()) >= len(senses) - 1, layer


def test_the_banks_of_the_example_part_and_come_nearer_again_as_its_note_says() -> None:
    example = next(e for e in EXAMPLES if e.against and "bank" in e.title)

    def bank(text: str) -> torch.Tensor:
        trace = builtin("encoder").trace(text)
        return trace.hidden("encoder")[:, trace.tokens["encoder"].pieces.index("bank")]

    alike = torch.cosine_similarity(bank(example.text), bank(example.against), dim=-1)
    assert f"to {float(alike[2]):.2f} in layer 2" in example.note
    assert alike[2] == alike.min()
    assert alike[-2:].min() > alike[2] + 0.1


def test_one_word_in_two_places_differs_by_its_position_alone_before_the_first_layer() -> None:
    trace = builtin("encoder").trace("The dog saw the dog.")
    first, second = (i for i, p in enumerate(trace.tokens["encoder"].pieces) if p == "dog")
    token = trace["encoder.embed.token"]
    place = trace["encoder.embed.position"]
    total = trace["encoder.embed.sum"]
    assert torch.equal(token[first], token[second])
    difference = total[first] - total[second]
    torch.testing.assert_close(difference, place[first] - place[second], atol=1e-5, rtol=0)


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
