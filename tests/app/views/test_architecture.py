"""The architecture: parts in their order, shapes, weights, and where a click leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.counting import short
from app.figure import Diagram
from app.selection import Selection
from app.views import ViewOptions, _parts, view, views
from core.analysis import parameters
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import ExpertsSpec
from tests.app.views.architecture_drawn import box, draw
from tests.traces import KINDS, attention, sentence, spec, trace_of, variants, widened_first


def names(panel: Diagram, key: str) -> list[str]:
    """The first lines, without the width and weights of a norm."""
    found = [b.text.split("\n")[0] for b in panel.boxes if b.key.startswith(key)]
    return [name.split(" · ")[0].replace("Norm 16", "Norm") for name in found]


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
        "w5 w12 w19 w26 w33 w5 w12",
        "Tokenizer",
        "ids [7]",
        "Token embedding",
        "+ position",
        "+ segment",
        "LayerNorm",
    ]
    heads = ["Masked word [7 × 40]", "Replaced?", "Pooler of the first token"]
    heads += ["Sentence pair", "Classes"]
    assert names(panel, "head") == heads
    panel = draw(trace_of("rotary decoder"))[1]
    assert names(panel, "decoder.in")[1:] == ["Tokenizer", "ids [7]", "Token embedding"]
    assert names(panel, "head") == ["Next token [7 × 40]"]
    own = box(panel, "Self-attention")
    assert "rotary positions" in own.note
    assert "within a window of 5" in own.note
    assert own.text == "Self-attention\n4 heads × 4 · 816\n2 heads of K, V"


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


@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize("kind", ["translator", "relative translator"])
def test_the_encoders_last_layer_enters_every_decoder_layer(kind: str, layer: int) -> None:
    """Its line leaves the last box of the encoder and ends at cross-attention and at every box
    that stands for further decoder layers."""
    trace = trace_of(kind)
    selection = Selection(stack="decoder", part="cross", layer=layer)
    (panel,) = view("architecture").draw(trace, selection, ViewOptions()).panels
    assert isinstance(panel, Diagram)
    assert box(panel, "Encoder layer").text == "Encoder layer 3 of 3"
    key = "encoder.final" if kind.startswith("relative") else "encoder.layer"
    source = [b for b in panel.boxes if b.key.startswith(f"{key}.")][-1]
    start = (source.x + source.width / 2, source.y + source.height)
    (main,) = [a for a in panel.arrows if a.points[0] == start and len(a.points) == 5]
    ends = [a.points[-1] for a in panel.arrows if main.points[2][0] in [x for x, _ in a.points]]
    entered = [
        b for b in panel.boxes if any(x == b.x and b.y < y < b.y + b.height for x, y in ends)
    ]
    folded = {0: ["Layers 2–3"], 1: ["Layer 1", "Layer 3"], 2: ["Layers 1–2"]}[layer]
    assert {b.text.split("\n")[0] for b in entered} == {"Cross-attention", *folded}
    assert len(ends) == 1 + len(folded)


def test_layers_that_are_not_drawn_in_full_are_boxes_on_the_way() -> None:
    """From the embeddings through them into the chosen layer, and on to the end."""
    for layer, before, after in (
        (0, [], "Layers 2–3"),
        (1, "Layer 1", "Layer 3"),
        (2, "Layers 1–2", []),
    ):
        selection = Selection(stack="encoder", layer=layer)
        (panel,) = view("architecture").draw(trace_of("encoder"), selection, ViewOptions()).panels
        assert isinstance(panel, Diagram)
        assert names(panel, "encoder.before") == ([before] if before else [])
        assert names(panel, "encoder.after") == ([after] if after else [])
        starts, ends = zip(*((a.points[0], a.points[-1]) for a in panel.arrows), strict=True)
        frame = next(b for b in panel.boxes if b.kind == "group")
        for b in panel.boxes:
            if b.key.startswith(("encoder.before", "encoder.after")):
                assert b.target == "architecture"
                ((field, number),) = b.picks
                assert field == "layer"
                assert number == (layer - 1 if "before" in b.key else layer + 1)
                assert any(x == b.x or y == b.y for x, y in ends)
            if b.key.startswith("encoder.before"):
                assert (b.x + b.width / 2, b.y + b.height) in starts
                assert (b.x + b.width / 2, frame.y) in ends
    shared = Transformer(variants()["shared layers"]).eval()
    panel = draw(run(shared, RunRequest(source=sentence(4))))[1]
    assert names(panel, "encoder.after") == ["Layer 3"]
    assert box(panel, "Layer 3").text == "Layer 3 · the same weights"


def test_the_stream_and_what_is_handed_on_have_their_shapes() -> None:
    panel = draw(trace_of("translator", length=7, target=5))[1]
    captions = [b.text for b in panel.boxes if b.key.startswith("caption")]
    assert captions == ["x [7 × 16]", "x [5 × 16]", "m [7 × 16]"]
    assert box(panel, "Next token").text == "Next token [5 × 40]\ntied"
    crossing = box(panel, "Cross-attention").note
    assert "scores [4 × 5 × 7], out [5 × 16]" in crossing
    assert "[7 × 24] inside" in box(panel, "Feed-forward").note  # the encoder's
    for b in panel.boxes:
        if "LayerNorm" in b.text:
            assert b.text == "LayerNorm 16 · 32 weights"


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
        if b.kind != "group" and stack not in ("head", "caption"):
            assert dict(b.selects)["stack"] == stack
            found[stack, b.text.split("\n")[0].split(" · ")[0]] = (
                dict(b.selects)["part"],
                dict(b.picks).get("layer"),
            )
    assert found["encoder", "Self-attention"] == ("self", 2)  # the last, which the decoder reads
    assert found["encoder", "Feed-forward"] == ("self", 2)
    assert found["encoder", "Token embedding"] == ("self", None)
    assert found["decoder", "Self-attention"] == ("self", 1)
    assert found["decoder", "Cross-attention"] == ("cross", 1)
    assert found["decoder", "Feed-forward"] == ("cross", 1)  # where one looks already
    assert found["decoder", "Final RMSNorm 16"] == ("cross", 2)


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
    assert box(panel, "Next token").text == "Next token [3 × 40]\ntied"


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


def test_a_click_opens_the_view_that_shows_the_part() -> None:
    """The embeddings' norm is not inside a layer, a sum is, and the last norm ends the states."""
    panel = draw(trace_of("encoder"))[1]
    for b in panel.boxes:
        if b.key.startswith("encoder.in") and b.kind != "text":
            assert b.target == "embeddings", b.text
        if b.text == "+":
            assert b.target == "inside_layer"
            assert b.picks == (("layer", 1),)
    panel = draw(trace_of("decoder"))[1]
    assert box(panel, "Final LayerNorm").target == "hidden_states"
    projected = draw(run(Transformer(widened_first()).eval(), RunRequest(source=sentence(4))))[1]
    assert box(projected, "Projection").target == "embeddings"


def test_the_pooler_reads_the_first_token_for_two_heads() -> None:
    panel = draw(trace_of("encoder"))[1]
    made = spec("encoder")
    counted = parameters.heads(made.heads, 16)
    pooler, pair, classes = (box(panel, n) for n in ("Pooler", "Sentence pair", "Classes"))
    assert pooler.text == f"Pooler of the first token\n16 → 16 · {counted['pooler']}"
    assert pair.text == f"Sentence pair\n[2] · {counted['pair']}"
    assert classes.text == f"Classes\n[3] · {counted['classes']}"
    bottom = pooler.y + pooler.height
    into = {a.points[-1] for a in panel.arrows if a.points[0][1] == bottom}
    assert into == {(b.x, b.y + b.height / 2) for b in (pair, classes)}
    for name, text in (
        ("classes of the last token", "from the last token's last state"),
        ("classes of the mean", "from the mean of all last states, through a dense layer"),
    ):
        trace = run(Transformer(variants()[name]).eval(), RunRequest(source=sentence(4)))
        panel = draw(trace)[1]
        assert text in box(panel, "Classes").note
        assert not any(b.text.startswith("Pooler") for b in panel.boxes)


def test_weights_are_given_to_three_digits() -> None:
    for number, said in (
        (512, "512"),
        (1_234, "1.23 k"),
        (263_168, "263 k"),
        (999_600, "1 M"),
        (4_351_234, "4.35 M"),
        (1_540_000_000, "1.54 B"),
    ):
        assert short(number) == said


def test_one_head_is_not_heads() -> None:
    assert _parts.attention(attention(kv_heads=1), 10, "A").text.endswith("\n1 head of K, V")


def test_the_stream_enters_both_halves_of_a_parallel_layer() -> None:
    panel = draw(trace_of("parallel decoder"))[1]
    first = [b for b in panel.boxes if b.key.startswith("decoder.layer.0.")]
    ends = {arrow.points[-1] for arrow in panel.arrows}
    assert len(first) == 2
    assert {(b.x + b.width / 2, b.y) for b in first} <= ends
