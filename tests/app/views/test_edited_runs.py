"""What views say of a run that a script edited."""

from __future__ import annotations

from app.selection import Selection
from app.views import ViewOptions, view
from core.edits import Edit
from tests.traces import trace_of

OFF = Edit(site="encoder.0.self.context", at=(("head", 0),))


def note(key: str, *edits: Edit) -> str:
    trace = trace_of("encoder", length=6, edits=edits)
    selection = Selection(stack="encoder", part="self", layer=0, head=0, query=2)
    return view(key).draw(trace, selection, ViewOptions()).note


def test_an_edit_of_what_a_head_gives_is_told() -> None:
    for key, words in (
        ("contribution", "What this run's edits keep from arriving adds nothing."),
        ("inside_head", "This run edits what the head or the attention gives"),
        ("ablation", "With the heads of this run the likeliest is"),
    ):
        assert words in note(key, OFF)
        assert words not in note(key)
    assert "With all heads the likeliest is" in note("ablation")
