"""`trifocal render`: load, run, draw, save."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.examples import masks_of
from app.figure import Figure, Words
from app.looking import heads_at, layers_at, lengths_at
from app.selection import Selection
from app.theme import DARK, LIGHT

if TYPE_CHECKING:
    from core.loaded import LoadedModel
    from core.spec import ModelSpec
    from core.trace import Trace

WRITING = ("beams", "branches")  # views of what only a decoder does
HINTS = {
    "beams": "--beams N searches for a continuation first",
    "branches": "--steps N decodes so many tokens first",
    "over_time": "--steps N decodes so many tokens, or fills so many masks, first",
    "compare": "--against TEXT gives it a text to compare with",
    "two_runs": "--against TEXT gives it a text to compare with, --against-mask its mask",
}


def render(asked: Namespace) -> None:
    """Raises CoreError, OSError or ValueError with one sentence; nothing half-written stays."""
    from app.render import export
    from app.render_decoding import decoded
    from app.render_options import kept, options_of
    from app.views import view, views
    from core import load_model

    known = {v.key for v in views()}
    if asked.view not in known:
        raise ValueError(f"There is no view {asked.view!r}; there are {', '.join(sorted(known))}.")
    if asked.against and "--against" not in HINTS.get(asked.view, ""):
        raise ValueError(f"The view {asked.view} compares no texts; compare and two_runs do.")
    if not asked.text.strip():
        raise ValueError("The text is empty; give at least one word to read.")
    model = load_model(asked.model, device=asked.device)
    selection = _selection(asked, model)
    masks = masks_of(" ".join(asked.mask), model.spec.sites)
    request = model.request(
        asked.text,
        asked.pair,
        asked.target,
        masks=masks,
        pad_to=asked.pad_to,
        pad_side=asked.pad_side,
    )
    wanted = view(asked.view)
    options = options_of(asked, model)
    found = decoded(asked, model, request)
    options = found.shown_in(options)
    if found.last is not None:
        trace, selection = found.last.trace, replace(selection, step=found.last.index)
    else:
        trace = model.run(request)
    options = replace(options, kept=kept(asked, model, masks))
    _check_pins(selection, trace)
    for said in filter(None, (model.trouble(trace), *trace.notes)):
        print(f"trifocal: {said}", file=sys.stderr)
    application = QGuiApplication.instance() or QGuiApplication(["trifocal"])
    figure = wanted.draw(trace, selection, options)
    if all(isinstance(panel, Words) for panel in figure.panels):
        raise ValueError(_why_nothing(asked.view, figure, model.spec))
    theme = DARK if asked.theme == "dark" else LIGHT
    try:
        export.save(figure, asked.out, width=asked.width, theme=theme)
    except export.ExportError as error:
        raise ValueError(str(error)) from None
    finally:
        del application


def _why_nothing(key: str, figure: Figure, spec: ModelSpec) -> str:
    """Why there is no picture, in one sentence; the figure's own talks of the window."""
    hint = HINTS.get(key)
    if hint is None or (key in WRITING and spec.decoder is None):
        return " ".join(panel.text for panel in figure.panels if isinstance(panel, Words))
    return f"The view {key} has nothing to show; {hint}."


def _selection(asked: Namespace, model: LoadedModel) -> Selection:
    """Counted from 1 by the person, from 0 by everyone else."""
    spec = model.spec
    site = asked.site or spec.sites[0]
    if site not in spec.sites:
        raise ValueError(f"{model.name} has no site {site!r}; it has {', '.join(spec.sites)}.")
    layers = layers_at(spec, site)
    if not 1 <= asked.layer <= layers:
        raise ValueError(f"At {site} there are layers 1 to {layers}, not {asked.layer}.")
    heads = heads_at(spec, site, asked.layer - 1)
    head = None
    if asked.head != "mean":
        if not asked.head.isdecimal() or not 1 <= int(asked.head) <= heads:
            raise ValueError(
                f"At {site} there are heads 1 to {heads}, or mean, not {asked.head!r}."
            )
        head = int(asked.head) - 1
    stack, part = site.split(".")
    return Selection(
        stack=stack,
        part=part,
        layer=asked.layer - 1,
        head=head,
        query=asked.query,
        key=asked.key,
    )


def _check_pins(selection: Selection, trace: Trace) -> None:
    lengths = lengths_at(trace, selection.site)
    for name, index, count in zip(
        ("query", "key"), (selection.query, selection.key), lengths, strict=True
    ):
        if index is not None and not 0 <= index < count:
            raise ValueError(f"There are {count} positions, 0 to {count - 1}, not {name} {index}.")
