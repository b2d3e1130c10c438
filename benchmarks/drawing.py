"""Looking elsewhere: Figure and paint, without running the model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from benchmarks import models
from benchmarks.measure import Row, absolute
from core.request import LAST


def rows(*, quick: bool = False) -> Iterator[Row]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QApplication

    from app.render.widget import FigureWidget
    from app.selection import Selection
    from app.views import ViewOptions, views

    application = QApplication.instance() or QApplication([])
    by_key = {view.key: view for view in views()}
    options = ViewOptions()
    pair = models.gpt2()
    widget = FigureWidget()
    widget.resize(1000, 800)
    widget.show()
    pixels = QPixmap(widget.size())

    def paint(view: str, selection: Selection, trace: object) -> None:
        widget.show_figure(by_key[view].draw(trace, selection, options))
        widget.render(pixels)  # a hidden or offscreen widget would skip `repaint`

    repeats = 9 if quick else 61
    for count in (128, 512):
        trace = pair.ours.run(pair.request(count, LAST))
        turn = 0

        def next_head(trace: object = trace) -> None:
            nonlocal turn
            turn += 1
            where = Selection(stack="decoder", layer=turn // 12 % 12, head=turn % 12)
            paint("attention", where, trace)

        yield absolute(
            f"another head of {count} tokens, drawn and painted / 16 ms",
            next_head,
            goal_ms=16,
            repeats=repeats,
        )
    trace = pair.ours.run(pair.request(128, LAST))
    base = Selection(stack="decoder")
    paint("all_heads", base, trace)
    turn = 0

    def another_tile() -> None:
        nonlocal turn
        turn += 1
        paint("all_heads", replace(base, layer=turn % 12, head=turn % 12), trace)

    yield absolute(
        "144 heads of 128 tokens as one mosaic, drawn and painted / 16 ms",
        another_tile,
        goal_ms=16,
        repeats=repeats,
    )
    widget.close()
    application.processEvents()
