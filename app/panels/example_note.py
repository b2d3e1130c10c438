"""What to see in an example, and where, once something else is looked at."""

from __future__ import annotations

from app.arriving import OF_EXAMPLES
from app.choices import Inputs
from app.examples import Example, masks_of, without_own
from app.looking import fitted
from app.mask_names import mask_name
from app.panels.not_own import said_of
from app.panels.sites import SITE_NAMES
from app.selection import Selection
from app.store import State

HEEDED = frozenset(
    {
        "note",
        "example",
        "model",
        "inputs",
        "view",
        "selection",
        "masks",
        "narrowing",
        "decode",
        "kept",
    }
)
"""The fields of the store that it depends on."""
MOST_QUOTED = 40  # characters of a text that was read


def told(state: State) -> tuple[str, bool]:
    """The note, and whether the person is elsewhere. Of another text, layer, head or mask it would
    be untrue, so it says where it holds; in another view there is no room for it."""
    example, model = state.example, state.model
    if example is None or model is None or state.abilities is None:
        return state.note, False
    if state.view != example.view:
        return f"Example “{example.title}”.", True
    view = next(view for view in state.abilities.views if view.key == example.view)
    place = _place(fitted(example.selection(), model.spec), state.selection, view.looks)
    where = ", ".join(
        [
            *_texts(example, state.inputs),
            *place,
            *_masks(example, state),
            *_chances(state),
            *_decoded(state),
            *_compared(example, state),
        ]
    )
    return (f"{where[:1].upper()}{where[1:]}: {state.note}", True) if where else (state.note, False)


def _texts(example: Example, present: Inputs) -> list[str]:
    """What was read in the example, where something else is read now."""
    wanted = example.inputs
    found = []
    if present.text != wanted.text:
        found.append(f"of {_quoted(wanted.text)}")
    for name, now, then in (
        ("second sentence", present.pair, wanted.pair),
        ("target", present.target, wanted.target),
    ):
        if now != then:
            found.append(f"with the {name} {_quoted(then)}" if then else f"without a {name}")
    if present.pad_to != wanted.pad_to:
        found.append("without padding")
    if present.add_special != wanted.add_special:
        found.append("with special tokens")
    return found


def _chances(state: State) -> list[str]:
    return ["with the model's own probabilities"] if said_of(state) else []


def _decoded(state: State) -> list[str]:
    """How it is decoded in every example, where it is done otherwise now."""
    assert state.model is not None
    if state.model.spec.decoder is not None:
        return ["decoded greedily"] if state.decode.strategy != "greedy" else []
    return ["filled in order of confidence"] if state.decode.order != OF_EXAMPLES["order"] else []


def _compared(example: Example, state: State) -> list[str]:
    """With what, where the picture compares with something else: the last one that is kept."""
    assert state.model is not None
    if not example.against or not state.kept:
        return []
    sites = state.model.spec.sites
    masks = without_own(masks_of(example.mask, sites) | masks_of(example.against_mask, sites))
    last = state.kept[-1]
    wanted = Inputs(text=example.against), tuple(sorted(masks.items()))
    if (last.inputs, last.request.masks) == wanted:
        return []
    if example.against == example.text:
        from core.masks import MaskChoice

        mask = masks.get(example.selection().site, MaskChoice())
        return [f"compared with the run under {mask_name(mask)}"]
    return [f"compared with {_quoted(example.against)}"]


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED].rstrip() + '…'}”"


def _place(wanted: Selection, present: Selection, looks: frozenset[str]) -> list[str]:
    """Only what the view of the example heeds can make a difference there."""
    found = []
    if "site" in looks and present.site != wanted.site:
        found.append(SITE_NAMES[wanted.site].lower())
    if "layer" in looks and present.layer != wanted.layer:
        found.append(f"layer {wanted.layer + 1}")
    if "head" in looks and present.head != wanted.head:
        found.append("mean of the heads" if wanted.head is None else f"head {wanted.head + 1}")
    return found


def _masks(example: Example, state: State) -> list[str]:
    from core.masks import MaskChoice

    assert state.model is not None
    own, sites = MaskChoice(), state.model.spec.sites
    wanted = masks_of(example.mask, sites)
    return [
        f"with {mask_name(wanted.get(site, own))}"
        for site in sites
        if state.masks.get(site, own) != wanted.get(site, own)
    ]
