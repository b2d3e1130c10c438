"""What a loaded model brings with it, without a window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.arriving import MOST_RECENT, Load, arrived
from app.by_architecture import ByArchitecture
from app.choices import Architecture, Inputs
from app.examples import Example
from app.mask_memory import write_masks
from app.selection import Selection
from app.store import State
from core.errors import RequestError
from core.masks import MaskChoice
from tests.app.driver import loaded

CAUSAL = MaskChoice(key="causal")
BEFORE = Inputs(text="what stood there")


def load(before: Inputs = BEFORE, **fields: Any) -> Load:
    return Load(source="random:decoder", device="cpu", before=before, **fields)


def state(of: Architecture | None = "encoder", **fields: Any) -> State:
    model = loaded(f"random:{of}") if of is not None else None
    return State(**({"model": model, "inputs": BEFORE} | fields))


def arrive(load: Load, state: State, known: ByArchitecture) -> tuple[Inputs, dict[str, Any]]:
    """A decoder comes."""
    return arrived(load, loaded("random:decoder"), state, known, "encoder")


def test_another_architecture_gets_what_it_was_last_given() -> None:
    known = ByArchitecture(
        texts={"decoder": Inputs(text="my own")},
        masks={"decoder": write_masks({"decoder.self": MaskChoice(key="bidirectional")})},
        places={"decoder": Selection(stack="decoder", layer=1, head=None, query=3)},
    )
    kept, changes = arrive(load(), state(masks={"encoder.self": CAUSAL}), known)
    assert kept == BEFORE
    assert changes["model"] is loaded("random:decoder")
    assert changes["inputs"] == Inputs(text="my own")
    assert changes["masks"] == {"decoder.self": MaskChoice(key="bidirectional")}
    assert changes["selection"] == Selection(stack="decoder", layer=1, head=None)
    assert (changes["note"], changes["example"]) == ("", None)


def test_the_same_architecture_takes_over_what_is_there() -> None:
    looked = Selection(stack="decoder", layer=90, head=1, query=2, key=1, step=4)
    now = state(
        "decoder", inputs=Inputs(text="now"), masks={"decoder.self": CAUSAL}, selection=looked
    )
    kept, changes = arrive(load(), now, ByArchitecture())
    assert kept == changes["inputs"] == Inputs(text="now")
    assert changes["masks"] == {"decoder.self": CAUSAL}
    place = changes["selection"]
    assert (place.layer, place.head, place.query, place.key) == (3, 1, None, None)


@pytest.mark.parametrize(
    ("now", "given"),
    [
        (Inputs(text="written since"), Inputs(text="written since")),
        (replace(BEFORE, pair="a pair"), replace(BEFORE, pair="a pair")),
        (Inputs(text="what stood there "), Inputs(text="my own")),  # Space also plays
        (replace(BEFORE, pad_to=9), Inputs(text="my own", pad_to=9)),
    ],
)
def test_what_was_written_meanwhile_is_for_the_other_architecture(
    now: Inputs, given: Inputs
) -> None:
    known = ByArchitecture(texts={"decoder": Inputs(text="my own")})
    kept, changes = arrive(load(), state(inputs=now), known)
    assert kept == BEFORE
    assert changes["inputs"] == given


@pytest.mark.parametrize(
    ("now", "given"), [(BEFORE, "my own"), (Inputs(text="early bird"), "early bird")]
)
def test_the_first_model_reads_what_was_written_before_it(now: Inputs, given: str) -> None:
    known = ByArchitecture(texts={"decoder": Inputs(text="my own")})
    _, changes = arrive(load(), state(None, inputs=now), known)
    assert changes["inputs"].text == given


def test_an_example_goes_before_all_else() -> None:
    example = Example(
        title="Two", model="random:decoder", text="ab", mask="bidirectional", layer=2, note="See."
    )
    written = state(inputs=Inputs(text="written since"))
    kept, changes = arrive(load(example=example), written, ByArchitecture())
    assert kept == BEFORE
    assert changes["inputs"] == Inputs(text="ab")
    assert changes["masks"] == {"decoder.self": MaskChoice(key="bidirectional")}
    assert (changes["selection"].site, changes["selection"].layer) == ("decoder.self", 1)
    assert (changes["note"], changes["view"]) == ("See.", "attention")
    assert changes["example"] is example


def test_an_examples_mask_that_cannot_be_is_refused() -> None:
    bad = Example(title="Bad", model="random:decoder", text="a", mask="opaque")
    with pytest.raises(RequestError, match="opaque"):
        arrive(load(example=bad), state(), ByArchitecture())


def test_a_folder_is_the_first_of_the_recent_ones_and_no_other_source_is(tmp_path: Path) -> None:
    recent = tuple(f"/models/{number}" for number in range(MOST_RECENT))
    now = state(recent=(*recent[:-1], str(tmp_path)))
    folder = replace(load(), source=str(tmp_path))
    assert arrive(folder, now, ByArchitecture())[1]["recent"] == (
        str(tmp_path),
        *recent[:-1],
    )
    full = arrive(folder, state(recent=recent), ByArchitecture())[1]["recent"]
    assert full == (str(tmp_path), *recent[:-1])
    assert arrive(load(), now, ByArchitecture())[1]["recent"] == now.recent
