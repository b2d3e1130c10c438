"""The list of classes tells which token was read where that is not the text's last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.figure import Bars
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.request import RunRequest
from core.run import run
from core.spec import Heads
from core.tokens import Tokens
from tests.traces import LAST_TOKEN, sentence, spec


@pytest.mark.parametrize("padded", [4, 6])
@pytest.mark.parametrize(
    ("pad", "note"),
    [(None, ""), (-1, "It reads “{}”, the last token that is not the padding token.")],
)
def test_a_padding_token_at_the_end(padded: int, pad: int | None, note: str) -> None:
    text = sentence(4)
    head = replace(LAST_TOKEN, pad=None if pad is None else text.ids[pad])
    made = Transformer(replace(spec("decoder"), heads=Heads(classes=head))).eval()
    trace = run(made, RunRequest(source=text.padded(padded, pad=0, piece="[PAD]")))
    panels = view("predictions").draw(trace, Selection(), ViewOptions(compact=True)).panels
    (classes,) = (panel for panel in panels if isinstance(panel, Bars))
    assert classes.note == note.format(text.pieces[2])


def test_a_text_of_padding_tokens_alone() -> None:
    """As in the reference, whose search for another one ends at the first place."""
    text = Tokens.of_ids([7, 7, 7])
    made = Transformer(
        replace(spec("decoder"), heads=Heads(classes=replace(LAST_TOKEN, pad=7)))
    ).eval()
    trace = run(made, RunRequest(source=text))
    classes, _ = view("predictions").draw(trace, Selection(), ViewOptions(compact=True)).panels
    assert isinstance(classes, Bars)
    assert classes.note.startswith("It reads the first token, as all are the padding token.")
    (curves,) = view("lens").draw(trace, Selection(), ViewOptions()).panels
    assert "from the first token of each layer" in curves.title
