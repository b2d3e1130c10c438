"""Every view can be saved as PNG, SVG and CSV, in both themes."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtGui import QImage

from app.render.export import save
from app.selection import Selection
from app.theme import DARK, LIGHT
from app.views import ViewOptions, view, views
from tests.traces import sentence, trace_of


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kind", ["encoder", "rotary decoder", "translator"])
@pytest.mark.parametrize("key", [v.key for v in views()])
def test_every_view_becomes_a_file(key: str, kind: str, tmp_path: Path) -> None:
    source = sentence(9, masked=(4,)) if kind == "encoder" else None
    trace = trace_of(kind, length=9, target=6, source=source)
    stack = trace.spec.main_stack.name
    for query, theme in ((None, LIGHT), (2, DARK)):
        selection = Selection(stack=stack, layer=1, head=1, query=query)
        figure = view(key).draw(trace, selection, ViewOptions())
        save(figure, tmp_path / "map.png", width=900, theme=theme)
        image = QImage(str(tmp_path / "map.png"))
        assert image.width() == 900
        assert len({image.pixel(x, y) for x in range(0, 900, 7) for y in range(0, 60, 3)}) > 1
        save(figure, tmp_path / "map.svg", theme=theme)
        root = ET.fromstring((tmp_path / "map.svg").read_text(encoding="utf-8"))
        texts = {"".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")}
        assert any(figure.title.startswith(text.rstrip("…")) for text in texts if text)
        save(figure, tmp_path / "map.csv")
        rows = list(csv.reader(io.StringIO((tmp_path / "map.csv").read_text("utf-8-sig"))))
        assert len(rows) > 1
