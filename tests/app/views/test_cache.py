"""The cache view shows the recorded keys, the sharing and the bytes of this very model."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from app.figure import Bars, Diagram, Heatmap, WordGrid, Words
from app.selection import Selection
from app.views import ViewOptions, view
from core.analysis.sharing import share
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from tests.traces import HEADS, LAYERS, WIDTH, network, sentence, trace_of, variants


def panels(kind: str, **more: object) -> tuple:  # type: ignore[type-arg]
    return view("cache").draw(trace_of(kind, **more), Selection(), ViewOptions()).panels


def test_norms_of_every_cached_key() -> None:
    trace = trace_of("rotary decoder", length=9)
    figure = view("cache").draw(trace, Selection(), ViewOptions())
    keys = figure.panels[0]
    assert isinstance(keys, Heatmap)
    assert keys.values.shape == (LAYERS * 2, 9)
    k = trace["decoder.1.self.k"][1, 4].double().numpy()
    assert keys.values[3, 4] == pytest.approx(np.sqrt((k**2).sum()), rel=1e-5)
    assert keys.rows.labels[3] == "2 · 2"
    per_token = LAYERS * 2 * 2 * (WIDTH // HEADS) * 4
    assert "9 positions" in figure.title
    costs = figure.panels[2]
    assert isinstance(costs, WordGrid)
    assert costs.rows.labels == ("MHA 4", "GQA 2", "MQA 1", "MLA")
    assert costs.row == 1
    assert costs.columns.labels == ("1", "1k", "8k", "128k")
    assert [row[0].text for row in costs.cells] == [
        "384 B",
        "192 B",
        "96 B",
        "216 B",
    ]
    assert costs.cells[1][0].text == f"{per_token} B"
    assert costs.cells[1][2].text == "1.54 MB"
    assert f"{per_token} B" in figure.note


def test_sharing_draws_a_box_a_head() -> None:
    sharing = panels("rotary decoder")[1]
    assert isinstance(sharing, Diagram)
    assert sum(box.key.startswith("q") for box in sharing.boxes) == HEADS
    assert sum(box.key.startswith("kv") for box in sharing.boxes) == 2
    assert len(sharing.arrows) == HEADS
    notes = {box.key: box.note for box in sharing.boxes}
    assert notes["q2"] == "query head 3 reads K/V head 2"
    assert notes["kv1"] == "K/V head 2 serves query heads 3 to 4"
    assert "grouped-query, 4 heads on 2 K/V" in sharing.title


@pytest.mark.parametrize("tried", [(1,), (2, 1)])
def test_what_is_tried_is_drawn_and_the_bytes_stay(tried: tuple[int, ...]) -> None:
    """Of several the fewest heads, which come last."""
    trace = trace_of("decoder")  # 4 heads with keys and values of their own
    shared = tuple(share(network("decoder"), trace, count) for count in tried)
    panels = view("cache").draw(trace, Selection(), ViewOptions(shared=shared)).panels
    _, sharing, costs, moved = panels
    assert isinstance(sharing, Diagram)
    assert sharing.title == "What if, layer 1: multi-query, 4 heads on one K/V"
    assert [box.note for box in sharing.boxes if box.key.startswith("kv")] == [
        "K/V head 1 serves query heads 1 to 4"
    ]
    assert {b.note for b in sharing.boxes if b.key.startswith("q")} == {
        f"query head {head} reads K/V head 1" for head in range(1, 5)
    }
    assert len(sharing.arrows) == HEADS
    assert isinstance(costs, WordGrid)
    assert costs.rows.labels[costs.row or 0] == "MHA 4"
    assert isinstance(moved, Bars)
    assert [bar.value for bar in moved.bars] == [one.mean_kl for one in shared]


def test_an_encoder_decoder_keeps_two_caches() -> None:
    own, cross, *_ = panels("translator", length=6, target=3)
    assert own.values.shape == (LAYERS * HEADS, 3)
    assert cross.values.shape == (LAYERS * HEADS, 6)
    assert "computed once" in cross.title
    trace = trace_of("translator", length=6, target=3)
    title = view("cache").draw(trace, Selection(), ViewOptions()).title
    assert trace.cache is not None
    kept = LAYERS * 2 * WIDTH * 4 * (3 + 6)  # keys and values of both kinds of attention
    assert trace.cache.bytes == kept
    assert title == f"Key/value cache · 3 positions + 6 of source · {kept / 1000:.3g} kB"


def test_an_encoder_says_why_it_keeps_none() -> None:
    (words,) = panels("encoder")
    assert isinstance(words, Words)
    assert "writes no text, so it keeps no cache" in words.text


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["latent", "latent, direct"])
def test_of_latent_attention_what_is_held_is_told(name: str, dtype: torch.dtype) -> None:
    """The keys and values of every head, not the latent vector they are made from."""
    made = Transformer(variants()[name]).eval().requires_grad_(False).to(dtype)
    shorter, trace = (run(made, RunRequest(source=sentence(n))) for n in (6, 7))
    assert shorter.cache is not None
    assert trace.cache is not None
    added = trace.cache.bytes - shorter.cache.bytes
    figure = view("cache").draw(trace, Selection(), ViewOptions())
    assert f"Each new token adds {added} B." in figure.note
    assert "here the keys and values made from it are held" in figure.note
    costs = figure.panels[2]
    assert isinstance(costs, WordGrid)
    assert costs.row == 0
    assert costs.cells[costs.row][0].text == f"{added} B"
    assert costs.rows.labels[-1] == "MLA"
    assert costs.cells[-1][0].value < added
    assert f"({8 * dtype.itemsize}-bit numbers)" in costs.title
