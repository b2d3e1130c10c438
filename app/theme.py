"""Colours as plain data, free of Qt: the light and the dark theme and their colour tables.

A colour table is [256, 3] uint8. Both themes keep three things apart at a glance: a weight of zero
(the low end of the sequential table), a masked cell (hatched grey), and the empty surface. The
accent, orange, stands against the blues and purples of the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the window's first paint needs no numpy
    import numpy as np
    from numpy.typing import NDArray

Table: TypeAlias = "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours as "#rrggbb".

    background: behind panels and docks. surface: under text fields and pictures. raised: buttons
    and chips. text, muted: reading text, secondary text. border: hairlines. accent, on_accent: what
    is selected, and text upon it. hatch, hatch_line: a masked cell and its stripes. dead_row: a
    query that may see nothing. kinds: the colour of each kind of token mark. lines: colours of
    curves, told apart by colour-blind readers too. warning: messages.
    sequential, diverging: (name, start, stop) of a perceptually uniform map of the `cmap` package.
    """

    name: str
    background: str
    surface: str
    raised: str
    text: str
    muted: str
    border: str
    accent: str
    on_accent: str
    hatch: str
    hatch_line: str
    dead_row: str
    warning: str
    kinds: dict[str, str]
    lines: tuple[str, ...]
    sequential: tuple[str, float, float]
    diverging: tuple[str, float, float]

    def table(self, scale: str) -> Table:
        """The [256, 3] uint8 table of a scale, "sequential" or "diverging"."""
        if scale not in ("sequential", "diverging"):
            raise ValueError(f"no colour scale {scale!r}: sequential and diverging are known")
        return _table(*(self.sequential if scale == "sequential" else self.diverging))

    def kind(self, kind: str) -> str:
        """The colour of a token mark; the border's for a kind nobody named."""
        return self.kinds.get(kind, self.border)


@cache
def _table(name: str, start: float, stop: float) -> Table:
    import numpy as np
    from cmap import Colormap  # a quarter of a second, and the window's first paint needs no table

    colours = Colormap(name)(np.linspace(start, stop, 256))
    table = np.rint(np.asarray(colours, dtype=np.float64)[:, :3] * 255).astype(np.uint8)
    table.setflags(write=False)
    return table


LIGHT = Theme(
    name="light",
    background="#f3f4f6",
    surface="#ffffff",
    raised="#fbfbfc",
    text="#1c2026",
    muted="#5c6570",
    border="#d3d8de",
    accent="#c2410c",
    on_accent="#ffffff",
    hatch="#efefef",
    hatch_line="#c4c4c4",
    dead_row="#e3d3c8",
    warning="#b42318",
    kinds={
        "special": "#8b5fbf",
        "padding": "#a3abb5",
        "masked": "#c2410c",
        "generated": "#1a7f4b",
        "segment_b": "#0f7b8a",
    },
    lines=("#2f5fb3", "#c2410c", "#1a7f4b", "#8b5fbf", "#0f7b8a", "#a66a00", "#b0367f", "#5c6570"),
    sequential=("cmocean:dense", 0.04, 1.0),
    diverging=("crameri:vik", 0.06, 0.94),
)

DARK = Theme(
    name="dark",
    background="#17191d",
    surface="#1e2126",
    raised="#2a2e35",
    text="#e8eaed",
    muted="#a2abb6",
    border="#3b414a",
    accent="#ff9650",
    on_accent="#221307",
    hatch="#2b2b2b",
    hatch_line="#474747",
    dead_row="#4a3a30",
    warning="#ff8a80",
    kinds={
        "special": "#b794e6",
        "padding": "#6f7883",
        "masked": "#ff9650",
        "generated": "#6fd39b",
        "segment_b": "#5fc6d4",
    },
    lines=("#7aa7f0", "#ff9650", "#6fd39b", "#b794e6", "#5fc6d4", "#e0b25a", "#f08cc0", "#a2abb6"),
    sequential=("cmocean:ice", 0.17, 1.0),
    diverging=("crameri:berlin", 0.0, 1.0),
)
