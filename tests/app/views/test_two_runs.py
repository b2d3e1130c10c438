"""A kept run beside this one: both maps and their difference against fresh runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.figure import Figure, Heatmap, Words
from app.render.readout import cell
from app.selection import Selection
from app.views import ViewOptions, view
from core import load_model
from core.edits import Edit
from core.masks import MaskChoice, choose
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.traces import sentence, trace_of, variants

SITES = [
    ("encoder", "encoder.self"),
    ("decoder", "decoder.self"),
    ("rotary decoder", "decoder.self"),  # two key/value heads for four
    ("translator", "encoder.self"),
    ("translator", "decoder.self"),
    ("translator", "decoder.cross"),
]


def weights(trace: Trace, site: str, layer: int, head: int | None) -> np.ndarray:
    """softmax of the scores of allowed keys, of one head or the mean of all."""
    scores = trace.scores(site, layer).double().numpy()
    allowed = trace.allowed(site, layer).numpy()
    powers = np.where(allowed, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    sums = powers.sum(axis=-1, keepdims=True)
    maps = np.divide(powers, sums, out=np.zeros_like(powers), where=sums > 0)
    return maps.mean(axis=0) if head is None else maps[head]


def drawn(trace: Trace, *kept: Trace, site: str = "encoder.self", **more: object) -> Figure:
    stack, part = site.split(".")
    selection = Selection(stack=stack, part=part, layer=1, **more)  # type: ignore[arg-type]
    return view("two_runs").draw(trace, selection, ViewOptions(kept=kept))


def maps(figure: Figure) -> tuple[Heatmap, Heatmap, Heatmap]:
    first, second, third = figure.panels[:3]
    assert isinstance(first, Heatmap)
    assert isinstance(second, Heatmap)
    assert isinstance(third, Heatmap), third
    return first, second, third


@pytest.mark.parametrize("head", [2, None])
@pytest.mark.parametrize(("kind", "site"), SITES)
def test_the_maps_of_two_masks_and_their_difference(kind: str, site: str, head: int | None) -> None:
    masks = ((site, choose("local:window=2")),)
    kept, own = trace_of(kind, length=7, target=6), trace_of(kind, length=7, target=6, masks=masks)
    first, second, third = maps(drawn(own, kept, site=site, head=head))
    before, after = (weights(t, site, 1, head) for t in (kept, own))
    assert first.values == pytest.approx(before, abs=1e-5)
    assert second.values == pytest.approx(after, abs=1e-5)
    assert abs(after - before).max() > 0.01, "else this shows nothing"
    assert third.values == pytest.approx(after - before, abs=1e-5)
    assert third.limits[0] == -third.limits[1]
    assert abs(third.values).max() <= third.limits[1] <= 1.4 * abs(third.values).max()
    masked = [~t.allowed(site, 1).numpy() for t in (kept, own)]
    assert first.hidden is not None and second.hidden is not None and third.hidden is not None
    assert (first.hidden == masked[0]).all()
    assert (second.hidden == masked[1]).all()
    assert (third.hidden == masked[0] & masked[1]).all()
    assert first.limits == second.limits == (0.0, 1.0)


def test_titles_tell_the_runs_by_mask_and_text() -> None:
    words = Tokens.of_ids([5, 6, 7], ["the", "bank", "pays"])
    painted = MaskChoice(key="causal", blocked=((2, 1),))
    own = trace_of("encoder", source=words, masks=(("encoder.self", painted),))
    figure = drawn(own, trace_of("encoder", source=words), head=1)
    assert figure.title == "Two runs · encoder self-attention · layer 2 of 3 · head 2 of 4"
    assert [panel.title for panel in figure.panels[:3]] == [
        "Kept: model's own mask · “the bank pays”",
        "This run: mask “Causal”, 1 cell painted out · “the bank pays”",
        "This run − kept",
    ]
    assert "Not read alike" not in figure.note, "the titles say it"
    kept = trace_of("encoder", source=Tokens.of_ids([5, 8, 7], ["the", "boss", "pays"]))
    titles = [panel.title for panel in drawn(trace_of("encoder", source=words), kept).panels]
    assert titles[:2] == [
        "Kept: “the boss pays” · model's own mask",
        "This run: “the bank pays” · model's own mask",
    ], "first what is not the same"
    assert "Masked counts as 0." in figure.note


def test_masks_of_other_sites_are_told() -> None:
    masks = (("encoder.self", choose("causal")),)
    kept, own = trace_of("translator"), trace_of("translator", masks=masks)
    figure = drawn(own, kept, site="decoder.cross", head=1)
    assert figure.note.startswith(
        "Not read alike: the kept run with the model's own mask in encoder self-attention,"
        " this one with the mask “Causal” in encoder self-attention. "
    )
    assert "only one run masks" not in figure.note


def test_a_masked_weight_is_no_zero() -> None:
    masks = (("encoder.self", choose("causal")),)
    kept, own = trace_of("encoder"), trace_of("encoder", masks=masks)
    third = maps(drawn(own, kept, head=1))[2]
    assert cell(third, 1, 4).endswith("· this run –")
    assert " · kept 0." in cell(third, 1, 4)
    third = maps(drawn(kept, own, head=1))[2]
    assert " · kept – · this run 0." in cell(third, 1, 4)


def test_rows_that_see_nothing_in_both() -> None:
    blind = MaskChoice(blocked=tuple((2, key) for key in range(7)))
    kept, own = (
        trace_of("encoder", masks=(("encoder.self", mask),))
        for mask in (blind, replace(blind, key="causal"))
    )
    first, second, third = maps(drawn(own, kept, head=1))
    assert first.dead_rows == second.dead_rows == third.dead_rows == (2,)
    third = maps(drawn(own, trace_of("encoder"), head=1))[2]
    assert third.dead_rows == ()


def test_padded_rows_are_masked_in_all_three() -> None:
    source = sentence(5).padded(8, pad=0, piece="[PAD]")
    masks = (("encoder.self", choose("local:window=1")),)
    kept, own = trace_of("encoder", source=source), trace_of("encoder", source=source, masks=masks)
    for panel in maps(drawn(own, kept, head=1)):
        assert panel.hidden is not None
        assert panel.hidden[:, 5:].all()
        assert not panel.hidden[2, 2]
    typed = replace(source, padding=(False,) * 8)
    other = trace_of("encoder", source=typed, masks=masks)
    assert isinstance(drawn(other, kept, head=1).panels[2], Words), "the same ids, not padding"


def test_one_run_again_under_another_name_of_its_mask() -> None:
    masks = (("encoder.self", choose("bidirectional")),)
    third = maps(drawn(trace_of("encoder", masks=masks), trace_of("encoder"), head=1))[2]
    assert third.title == "This run − kept: no weight differs"
    assert third.limits == (-1.0, 1.0)
    assert abs(third.values).max() < 1e-5


def test_an_edited_run_is_another_run() -> None:
    off = Edit(site="encoder.0.self.context", at=(("head", 1),))
    kept, own = trace_of("encoder"), trace_of("encoder", edits=(off,))
    third = maps(drawn(own, kept, head=1))[2]
    assert third.values == pytest.approx(
        weights(own, "encoder.self", 1, 1) - weights(kept, "encoder.self", 1, 1), abs=1e-5
    )


def test_other_tokens_have_no_difference() -> None:
    kept = trace_of("encoder", source=Tokens.of_ids([5, 6, 7], ["the", "bank", "pays"]))
    own = trace_of("encoder", source=Tokens.of_ids([5, 9, 7], ["the", "boss", "pays"]))
    figure = drawn(own, kept, head=1, query=1)
    why = figure.panels[2]
    assert isinstance(why, Words)
    assert why.text.endswith(
        "not the same: at position 1 this run has “boss”, the kept one “bank”."
    )
    first, second = figure.panels[:2]
    assert isinstance(first, Heatmap) and isinstance(second, Heatmap)
    assert first.values == pytest.approx(weights(kept, "encoder.self", 1, 1), abs=1e-5)
    assert (first.row, first.picks) == (None, (None, None)), "its places are of another text"
    assert (second.row, second.picks) == (1, ("query", "key"))
    longer = trace_of("encoder", source=Tokens.of_ids([5, 6, 7, 8], list("abcd")))
    why = drawn(longer, kept, head=1).panels[2]
    assert isinstance(why, Words)
    assert why.text.endswith("this run has 4 tokens, the kept one 3.")


def test_across_from_one_target_to_two_sources() -> None:
    kept, own = trace_of("translator", length=7), trace_of("translator", length=9)
    figure = drawn(own, kept, site="decoder.cross", head=1, query=2, key=3)
    why, first = figure.panels[2], figure.panels[0]
    assert isinstance(why, Words) and isinstance(first, Heatmap)
    assert why.text.endswith("this run has 9 keys, the kept one 7.")
    assert (first.row, first.column, first.picks) == (2, None, ("query", None))
    maps(drawn(own, kept, site="decoder.self", head=1))


@pytest.mark.parametrize("source", ["random:decoder", "random:encoder-decoder"])
def test_steps_grow_the_maps_of_this_run_alone(source: str) -> None:
    model = load_model(source)
    kept = model.trace("ab")
    steps = tuple(model.decode("ab", max_new_tokens=3))
    last = steps[-1]
    options = ViewOptions(kept=(kept,), step=last, steps=steps)
    selection = Selection(stack="decoder", layer=1, head=1, step=2)
    figure = view("two_runs").draw(last.trace, selection, options)
    first, second, why = figure.panels[:3]
    assert isinstance(first, Heatmap) and isinstance(second, Heatmap) and isinstance(why, Words)
    short, grown = len(kept.tokens["decoder"]), len(last.trace.tokens["decoder"])
    assert grown == short + 2
    assert why.text.endswith(f"this run has {grown} tokens, the kept one {short}.")
    assert first.values == pytest.approx(weights(kept, "decoder.self", 1, 1), abs=1e-5)
    assert second.values == pytest.approx(weights(last.trace, "decoder.self", 1, 1), abs=1e-5)
    assert "generated" not in [kind for _, kind in first.rows.marks]
    assert [kind for _, kind in second.rows.marks][-2:] == ["generated"] * 2
    assert (first.row, second.row) == (None, grown - 1)
    assert f"(position {short - 1}) kept, " in figure.panels[3].title
    assert figure.panels[3].title.endswith(f"(position {grown - 1}) in this run")


def test_fitted_colours_are_the_same_in_both() -> None:
    masks = (("encoder.self", choose("causal")),)
    kept, own = trace_of("encoder"), trace_of("encoder", masks=masks)
    options = ViewOptions(kept=(own,), limits="auto")
    first, second, _ = maps(view("two_runs").draw(kept, Selection(layer=1), options))
    most = max(first.values.max(), second.values.max())
    assert first.limits == second.limits == (0.0, pytest.approx(most))
    assert first.limits_note.startswith("colours scaled to both maps: 0 to ")


def test_what_is_left_out_is_blank_in_all_three() -> None:
    tokens = replace(sentence(6), special=(True, False, False, False, False, True))
    masks = (("encoder.self", choose("local:window=3")),)
    kept, own = trace_of("encoder", source=tokens), trace_of("encoder", source=tokens, masks=masks)
    options = ViewOptions(kept=(kept,), drop_sinks=True)
    figure = view("two_runs").draw(own, Selection(layer=1), options)
    first, second, third = maps(figure)
    assert third.left_out is not None
    assert third.left_out[:, 0].any() and third.left_out[:, 5].any()
    assert not third.left_out[:, 1:5].any()
    shown = ~third.left_out
    assert third.values[shown] == pytest.approx((second.values - first.values)[shown], abs=1e-6)
    assert figure.title.endswith(" · sinks left out")
    assert "the rest is rescaled" in figure.note


def test_the_last_run_of_this_model_that_is_not_this_one() -> None:
    masks = {key: (("encoder.self", choose(key)),) for key in ("causal", "no_self")}
    causal, no_self = (trace_of("encoder", masks=one) for one in masks.values())
    own, again = trace_of("encoder"), trace_of("encoder")
    alien = trace_of("joint encoder")
    first = maps(drawn(own, causal, no_self, again, alien, head=1))[0]
    assert first.title.startswith("Kept: mask “Not itself” · “[2] ")
    first = maps(drawn(own, no_self, causal, own, head=1))[0]
    assert first.title.startswith("Kept: mask “Causal” · “[2] ")


def test_nothing_kept_or_kept_from_another_model() -> None:
    for kept in ((), (trace_of("joint encoder"),)):
        (words,) = drawn(trace_of("encoder"), *kept).panels
        assert isinstance(words, Words)
        assert words.text.startswith("Keep this text (View, Keep the text to compare) and then")
    (words,) = drawn(trace_of("encoder"), trace_of("encoder")).panels
    assert isinstance(words, Words)
    assert words.text.startswith("This run is kept. Now change the mask or the text")
    (words,) = drawn(trace_of("encoder"), trace_of("encoder"), site="decoder.self").panels
    assert isinstance(words, Words)


def test_a_dear_mean_is_prepared_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.looking.QUICK", 0)
    chosen, selection = view("two_runs"), Selection(head=None)
    assert chosen.prepare is not None and chosen.ready is not None
    masks = (("encoder.self", choose("causal")),)
    kept, own = trace_of("encoder"), trace_of("encoder", masks=masks)
    view("attention").prepare(own, selection, ViewOptions(), None)  # type: ignore[misc]
    options = ViewOptions(kept=(kept,))
    assert not chosen.ready(own, selection, options)
    chosen.prepare(own, selection, options, None)
    assert chosen.ready(own, selection, options)
    assert view("attention").ready(kept, selection, ViewOptions())  # type: ignore[misc]


@pytest.mark.parametrize("name", variants())
def test_rarer_models(name: str) -> None:
    made = variants()[name]
    target = sentence(4, offset=3) if made.architecture == "encoder-decoder" else None
    site = f"{made.main_stack.name}.self"
    ready = Transformer(made).eval()
    asked = RunRequest(source=sentence(6), target=target)
    kept = run(ready, asked)
    own = run(ready, replace(asked, masks=((site, choose("local:window=1")),)))
    third = maps(drawn(own, kept, site=site, head=1))[2]
    expected = weights(own, site, 1, 1) - weights(kept, site, 1, 1)
    assert third.values == pytest.approx(expected, abs=1e-5)
