from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Box, Diagram, Figure
from app.selection import Selection
from app.views import ViewOptions, _parts, architecture, view, views
from app.views._parts import count
from core.analysis import parameters
from core.model import Transformer
from core.request import RunRequest, Step
from core.run import run
from core.spec import ExpertsSpec
from core.trace import Trace
from tests.traces import KINDS, attention, sentence, spec, trace_of, widened_first


def draw(trace: Trace, **more: object) -> tuple[Figure, Diagram]:
    stack = trace.spec.main_stack.name
    options = ViewOptions(**more)  # type: ignore[arg-type]
    figure = view("architecture").draw(trace, Selection(stack=stack, layer=1), options)
    (panel,) = figure.panels
    assert isinstance(panel, Diagram)
    return figure, panel


def names(panel: Diagram, key: str) -> list[str]:
    return [b.text.split("\n")[0] for b in panel.boxes if b.key.startswith(key)]


LAYERS = {
    "encoder": "Self-attention|+|LayerNorm|Feed-forward|+|LayerNorm",
    "decoder": "LayerNorm|Self-attention|+|LayerNorm|Feed-forward|+",
    "rotary decoder": "RMSNorm|Self-attention|+|RMSNorm|Gated feed-forward|+",
    "parallel decoder": "LayerNorm|LayerNorm|Self-attention|Feed-forward|+",
    "sandwich decoder": ("RMSNorm|Self-attention|RMSNorm|+|RMSNorm|Gated feed-forward|RMSNorm|+"),
    "joint encoder": "Self-attention|Feed-forward|+|LayerNorm",
    "translator": (
        "Self-attention|+|LayerNorm|Cross-attention|+|LayerNorm|Feed-forward|+|LayerNorm"
    ),
    "relative translator": (
        "RMSNorm|Self-attention|+|RMSNorm|Cross-attention|+|RMSNorm|Feed-forward|+"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_has_its_real_parts_in_their_real_order(kind: str) -> None:
    made = spec(kind)
    panel = draw(trace_of(kind))[1]
    assert names(panel, f"{made.main_stack.name}.layer.") == LAYERS[kind].split("|")
    for stack in made.stacks:
        final = names(panel, f"{stack.name}.final")
        assert len(final) == (stack.final_norm is not None)


def test_embeddings_and_heads_are_those_there_are() -> None:
    panel = draw(trace_of("encoder", length=7))[1]
    assert names(panel, "encoder.in") == [
        "7 tokens",
        "Token embedding",
        "+ position",
        "+ segment",
        "LayerNorm",
    ]
    heads = ["Masked word", "Sentence pair", "Classes", "Replaced?"]
    assert names(panel, "head") == heads
    panel = draw(trace_of("rotary decoder"))[1]
    assert names(panel, "decoder.in") == ["7 tokens", "Token embedding"]
    assert names(panel, "head") == ["Next token"]
    own = box(panel, "Self-attention")
    assert "rotary positions" in own.note
    assert "within a window of 5" in own.note
    assert own.text == "Self-attention\n4 heads × 4 · 816\n2 heads of K, V"


def box(panel: Diagram, name: str) -> Box:
    return next(b for b in panel.boxes if b.text.startswith(name))


@pytest.mark.parametrize("kind", KINDS)
def test_every_box_leads_to_a_view_that_exists_and_lies_inside(kind: str) -> None:
    panel = draw(trace_of(kind))[1]
    known = {v.key for v in views()}
    assert {b.target for b in panel.boxes if b.target is not None} <= known
    keys = [b.key for b in panel.boxes]
    assert len(set(keys)) == len(keys)
    for b in panel.boxes:
        assert b.x >= 0
        assert b.y >= 0
        assert b.x + b.width <= panel.width
        assert b.y + b.height <= panel.height
    for arrow in panel.arrows:
        assert all(0 <= x <= panel.width and 0 <= y <= panel.height for x, y in arrow.points)


def test_the_encoder_enters_cross_attention() -> None:
    for kind in ("translator", "relative translator"):
        panel = draw(trace_of(kind))[1]
        cross = box(panel, "Cross-attention")
        ends = [a for a in panel.arrows if a.points[-1] == (cross.x, cross.y + cross.height / 2)]
        assert len(ends) == 1
        (x, y) = ends[0].points[0]
        key = "encoder.final" if kind.startswith("relative") else "encoder.layer"
        source = [b for b in panel.boxes if b.key.startswith(f"{key}.")][-1]
        assert (x, y) == (source.x + source.width / 2, source.y + source.height)


@pytest.mark.parametrize("kind", KINDS)
def test_residual_connections_skip_what_they_add_to(kind: str) -> None:
    panel = draw(trace_of(kind))[1]
    detours = [a for a in panel.arrows if a.kind == "residual"]
    pluses = [b for b in panel.boxes if b.text == "+"]
    joints = {b.y + b.height / 2 for b in pluses}
    assert {a.points[-1][1] for a in detours} == joints
    assert len(detours) == len(pluses) + (kind == "joint encoder")


def test_a_click_goes_to_the_stack_and_site_of_the_part() -> None:
    trace = trace_of("relative translator")
    selection = Selection(stack="decoder", part="cross", layer=1)
    (panel,) = view("architecture").draw(trace, selection, ViewOptions()).panels
    assert isinstance(panel, Diagram)
    found = {}
    for b in panel.boxes:
        stack, _, _ = b.key.partition(".")
        if b.kind != "group" and stack != "head":
            assert dict(b.selects)["stack"] == stack
            found[stack, b.text.split("\n")[0]] = (
                dict(b.selects)["part"],
                dict(b.picks).get("layer"),
            )
    assert found["encoder", "Self-attention"] == ("self", 0)
    assert found["encoder", "Feed-forward"] == ("self", 0)
    assert found["encoder", "Token embedding"] == ("self", None)
    assert found["decoder", "Self-attention"] == ("self", 1)
    assert found["decoder", "Cross-attention"] == ("cross", 1)
    assert found["decoder", "Feed-forward"] == ("cross", 1)  # where one looks already
    assert found["decoder", "Final RMSNorm"] == ("cross", 2)


def test_the_title_counts_all_weights() -> None:
    made = spec("encoder")
    figure = draw(trace_of("encoder"))[0]
    total = parameters.model(made)
    assert figure.title == f"The encoder · encoder-only · {total / 1000:.3g} k weights"


def test_tied_and_shared_weights_are_named() -> None:
    made = replace(spec("translator"), shared_embedding=True)
    request = RunRequest(source=sentence(4), target=sentence(3))
    panel = draw(run(Transformer(made).eval(), request))[1]
    tables = [b.text for b in panel.boxes if b.text.startswith("Token embedding")]
    assert tables == ["Token embedding\n40 × 16 · 640", "Token embedding\n40 × 16 · shared"]
    assert box(panel, "Next token").text == "Next token\n→ 40 · tied"


def test_a_projection_stands_where_it_is_made() -> None:
    panel = draw(run(Transformer(widened_first()).eval(), RunRequest(source=sentence(4))))[1]
    order = ["Token embedding", "Projection", "+ position", "+ segment", "LayerNorm"]
    assert [name for name in names(panel, "encoder.in") if name in order] == order
    assert box(panel, "Projection").text == "Projection\n10 → 16 · 160"
    assert box(panel, "+ position").text.startswith("+ position\n600 × 16")


def test_experts_are_named() -> None:
    made = spec("rotary decoder")
    assert made.decoder is not None
    block = made.decoder.blocks[0]
    mixed = replace(block.feedforward, experts=ExpertsSpec(count=8, top=2, d_ff=8))
    blocks = (block, replace(block, feedforward=mixed), block)
    made = replace(made, decoder=replace(made.decoder, blocks=blocks))
    figure, panel = draw(run(Transformer(made).eval(), RunRequest(source=sentence(4))))
    assert box(panel, "Mixture of experts").text.startswith("Mixture of experts\n2 of 8")
    assert box(panel, "Decoder layer 2").text == "Decoder layer 2 of 3"
    assert "Layers of the decoder differ; the chosen one is drawn." in figure.note


def test_a_table_of_biases_makes_no_difference_between_layers() -> None:
    assert "differ" not in draw(trace_of("relative translator"))[0].note


def test_weights_are_counted_once_and_to_three_digits() -> None:
    """The pooler serves two heads: it counts with the first, and the second says so."""
    panel = draw(trace_of("encoder"))[1]
    made = spec("encoder")
    counted = parameters.heads(made.heads, 16)
    pair, classes = box(panel, "Sentence pair"), box(panel, "Classes")
    assert pair.text.endswith(f"→ 2 · {counted['pair'] + counted['pooler']}")
    assert classes.text.endswith(f"→ 3 · pooler + {counted['classes']}")
    assert f"{counted['pooler']:,} of them the pooler's" in pair.note
    assert "beside the pooler of the sentence pair" in classes.note
    alone = replace(made, heads=replace(made.heads, pair=None))
    trace = run(Transformer(alone).eval(), RunRequest(source=sentence(4)))
    classes = box(draw(trace)[1], "Classes")
    assert classes.text.endswith(f"→ 3 · {counted['classes'] + counted['pooler']}")
    for number, said in (
        (512, "512"),
        (1_234, "1.23 k"),
        (263_168, "263 k"),
        (999_600, "1 M"),
        (4_351_234, "4.35 M"),
        (1_540_000_000, "1.54 B"),
    ):
        assert count(number) == said


def test_one_head_is_not_heads() -> None:
    assert _parts.attention(attention(kv_heads=1), 10, "A").text.endswith("\n1 head of K, V")


def test_the_stream_enters_both_halves_of_a_parallel_layer() -> None:
    panel = draw(trace_of("parallel decoder"))[1]
    first = [b for b in panel.boxes if b.key.startswith("decoder.layer.0.")]
    ends = {arrow.points[-1] for arrow in panel.arrows}
    assert len(first) == 2
    assert {(b.x + b.width / 2, b.y) for b in first} <= ends


def step(trace: Trace, index: int) -> Step:
    return Step(
        surprise=1.0,
        entropy=2.0,
        index=index,
        token=5,
        piece="w",
        probability=0.5,
        text="w",
        pending=0,
        candidates=(),
        logits=trace.logits[-1],
        trace=trace,
        tokens=trace.tokens["decoder"],
        cache_positions=5,
        cache_bytes=0,
    )


def test_a_decoding_step_shows_what_runs() -> None:
    trace = trace_of("translator", length=7, target=5)
    figure, panel = draw(trace, step=step(trace, 2))
    kinds = {b.kind for b in panel.boxes if b.key.startswith("encoder.layer.")}
    assert kinds == {"plain"}
    assert "attention" in {b.kind for b in panel.boxes if b.key.startswith("decoder.layer.")}
    assert "runs for position 4 alone" in figure.note
    assert "The encoder does not run again." in figure.note
    figure, panel = draw(trace, step=step(trace, 0))
    assert "attention" in {b.kind for b in panel.boxes if b.key.startswith("encoder.layer.")}
    assert "prompt's own run" in figure.note


def test_the_beginning_of_a_text_is_cut_by_its_width() -> None:
    for text, cut in (
        ("The cat sat on the mat.", "The cat sat on the mat."),
        ("The cat sat on the mats of", "The cat sat on the mats…"),
        ("我喜欢在早上喝一杯热茶", "我喜欢在早上喝一杯热茶"),
        ("<2en>我喜欢在早上喝一杯热茶", "<2en>我喜欢在早上喝一…"),
    ):
        assert architecture._beginning(text, 24) == cut
