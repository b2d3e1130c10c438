"""The examples of the menu, read from resources/examples.toml. Layers and heads count from 1."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
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


class Leaving:
    """When an example is left: it goes with what it had put beside its text, and comes back with it
    once its very text stands there again."""

    def __init__(self) -> None:
        self._left: Example | None = None
        self._beside: dict[str, str] = {}

    def follow(
        self, example: Example | None, source: str, inputs: Inputs, written: Collection[str]
    ) -> tuple[Example | None, Inputs]:
        """The example that `inputs` are of, and they as they are to be read. example: the one
        before; source: of the open model; written: the fields that are being written."""
        if example is not None:
            if still_of(example, inputs):
                self._left = None
                return example, inputs
            self._left, self._beside = example, _put_beside(example, inputs, written)
            gone: dict[str, Any] = dict.fromkeys(self._beside, "")
            return None, replace(inputs, **gone)
        left = self._left
        if left is None or "text" not in written:
            return None, inputs
        if (left.model, left.text) != (source, inputs.text):
            return None, inputs
        self._left = None
        back: dict[str, Any] = {
            name: text
            for name, text in self._beside.items()
            if name not in written and not getattr(inputs, name)
        }
        return left, replace(inputs, **back)


def still_of(example: Example, inputs: Inputs) -> bool:
    """Whether more than half of the words of the text, the last of which may only be begun, are of
    the example's own texts or quoted in its note: one may write what the note suggests. No word at
    all is not another text.
    """
    quoted = re.findall("“([^”]*)”", example.note)
    known = set(_words(example.text, example.pair, example.target, *quoted))
    written = _words(inputs.text)
    begun = written[-1:]
    alike = set(written) & known
    alike.update(word for word in begun if any(one.startswith(word) for one in known))
    return not written or 2 * len(alike) > len(set(written))


def _put_beside(example: Example, inputs: Inputs, written: Collection[str]) -> dict[str, str]:
    """What the example put beside its text, where nobody has touched it. written: the fields that
    are being written."""
    return {
        name: text
        for name in ("pair", "target")
        if name not in written and (text := getattr(example, name)) == getattr(inputs, name)
    }


def _words(*texts: str) -> list[str]:
    """In small letters; of Chinese, which writes no spaces, each character."""
    return re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", " ".join(texts).lower())


def without_own(masks: Mapping[str, MaskChoice]) -> dict[str, MaskChoice]:
    """Of masks, those that are not the model's own. A run under that is the same run whether or not
    it was named."""
    return {site: choice for site, choice in masks.items() if choice != type(choice)()}


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
