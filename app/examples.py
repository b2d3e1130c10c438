"""The examples of the menu, read from resources/examples.toml. Layers and heads count from 1."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.choices import Inputs
from app.selection import Selection

if TYPE_CHECKING:
    from core.masks import MaskChoice

FILE = Path(__file__).resolve().parent.parent / "resources" / "examples.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Something worth looking at.

    against: a text to compare with. mask: as the command line takes it; against_mask: of the other
    text, empty: the same one. view: the key of the view it is looked at in. note: what to see in
    it.
    """

    title: str
    model: str
    text: str
    pair: str = ""
    target: str = ""
    against: str = ""
    mask: str = ""
    against_mask: str = ""
    site: str = ""
    layer: int = 1
    head: int | None = 1
    view: str = "attention"
    note: str = ""

    @property
    def inputs(self) -> Inputs:
        return Inputs(text=self.text, pair=self.pair, target=self.target)

    def selection(self) -> Selection:
        stack, _, part = (self.site or "encoder.self").partition(".")
        head = None if self.head is None else self.head - 1
        return Selection(stack=stack, part=part, layer=self.layer - 1, head=head)


def read(file: Path = FILE) -> tuple[Example, ...]:
    """All examples; none where the file is not there. Raises ValueError on a field it cannot be."""
    if not file.exists():
        return ()
    with file.open("rb") as opened:
        tables = tomllib.load(opened).get("example", [])
    return tuple(_example(table) for table in tables)


def _example(table: dict[str, Any]) -> Example:
    table = dict(table)
    if table.get("head") in ("mean", 0):
        table["head"] = None
    try:
        return Example(**table)
    except TypeError as error:
        raise ValueError(f"the example {table.get('title')!r} is not understood: {error}") from None


def left_of(example: Example | None, inputs: Inputs) -> bool:
    """Whether at least a third of the words of the text, whole or begun, are of the example's own
    texts or of its note: one may write what the note suggests. No word at all is not another text.
    """
    if example is None:
        return False
    known = _words(example.text, example.pair, example.target, example.note)
    written = _words(inputs.text)
    alike = sum(any(one.startswith(word) for one in known) for word in written)
    return 3 * alike >= len(written)


def without_its_own(example: Example, inputs: Inputs, written: Collection[str]) -> Inputs:
    """Without what the example put beside its text, where nobody has touched it. written: the
    fields that are being written."""
    its_own: dict[str, Any] = {
        name: ""
        for name in ("pair", "target")
        if name not in written and getattr(inputs, name) == getattr(example, name)
    }
    return replace(inputs, **its_own)


def _words(*texts: str) -> set[str]:
    """In small letters; of Chinese, which writes no spaces, each character."""
    return set(re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", " ".join(texts).lower()))


def masks_of(text: str, sites: tuple[str, ...]) -> dict[str, MaskChoice]:
    """Site -> MaskChoice from "causal" or "decoder.self=sliding_window:window=3".

    Several are separated by spaces. Without a site the first site of the model is meant; of several
    for one site, each hides what it hides. Raises RequestError for what does not exist.
    """
    from core.errors import RequestError
    from core.masks import choose

    found: dict[str, MaskChoice] = {}
    for item in text.split():
        # The "=" of a parameter stands behind the colon.
        site, equals, mask = item.partition("=")
        if not equals or ":" in site:
            site, mask = sites[0], item
        if site not in sites:
            raise RequestError(f"there is no attention site {site!r}; there are {', '.join(sites)}")
        chosen = choose(mask)
        found[site] = found[site] & chosen if site in found else chosen
    return found
