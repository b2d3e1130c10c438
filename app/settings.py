"""What is remembered between sessions, typed; the only file that reads or writes QSettings.

A value that is missing, or of another version's making, gives the default: a settings file can
never keep the window from opening.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from PySide6.QtCore import QByteArray, QSettings

from app.by_architecture import ByArchitecture
from app.choices import (
    ARCHITECTURES,
    Architecture,
    DecodeChoice,
    Display,
    FillOrder,
    HeadOrder,
    Inputs,
    Limits,
    Narrowing,
    PictureSize,
    Sentences,
    Side,
    Strategy,
    ThemeChoice,
    one_line,
)
from app.groups import GROUPS
from app.selection import Selection

_SITES = ("encoder.self", "decoder.self", "decoder.cross")
_MEAN = "mean"
_PENALTY = "penalty_chosen"  # beside the number: whether a person chose it

T = TypeVar("T", Inputs, Narrowing, DecodeChoice, Display)

_ALLOWED: dict[str, tuple[str, ...]] = {
    "theme": get_args(ThemeChoice),
    "picture_size": get_args(PictureSize),
    "limits": get_args(Limits),
    "sentences": get_args(Sentences),
    "heads_by": get_args(HeadOrder),
    "pad_side": get_args(Side),
    "strategy": get_args(Strategy),
    "order": get_args(FillOrder),
}
_RANGES: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 5.0),
    "top_k": (0, 1_000_000),
    "top_p": (0.01, 1.0),
    "min_p": (0.0, 1.0),
    # `core.spec.PENALTIES`, which takes too long to import before the window is there.
    "repetition_penalty": (1e-6, 1e6),
    "seed": (0, 2**31 - 1),
    "max_new_tokens": (1, 10_000),
    "speed": (1, 20),
    "beams": (1, 16),
    "length_penalty": (-5.0, 5.0),
    "pad_to": (0, 100_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The last choices. view: the one in front; fronts: of each group. Of a place where attention
    was looked at, site, layer and head are kept, not the pins."""

    source: str = ""
    device: str = "cpu"
    view: str = "attention"
    fronts: dict[str, str] = field(default_factory=dict)
    display: Display = field(default_factory=Display)
    narrowing: Narrowing = field(default_factory=Narrowing)
    decode: DecodeChoice = field(default_factory=DecodeChoice)
    recent: tuple[str, ...] = ()
    by_architecture: ByArchitecture = field(default_factory=ByArchitecture)
    geometry: QByteArray = field(default_factory=QByteArray)
    layout: QByteArray = field(default_factory=QByteArray)


class Settings:
    """Reads and writes `Remembered`."""

    def __init__(self, path: Path | None = None) -> None:
        """path: an .ini file; None: where this system keeps settings."""
        ini = QSettings.Format.IniFormat
        self._file = (
            QSettings(str(path), ini)
            if path is not None
            else QSettings(ini, QSettings.Scope.UserScope, "Trifocal", "Trifocal")
        )

    def load(self) -> Remembered:
        return Remembered(
            source=self._text("source"),
            device=self._text("device") or "cpu",
            view=self._text("view") or "attention",
            fronts=self._fronts(),
            display=self._read(Display(), "display"),
            narrowing=self._narrowing("narrowing"),
            decode=self._read(DecodeChoice(), "decode"),
            recent=tuple(line for line in self._text("recent").split("\n") if line),
            by_architecture=self._by_architecture(),
            geometry=self._bytes("geometry"),
            layout=self._bytes("layout"),
        )

    def save(self, remembered: Remembered) -> None:
        put = self._file.setValue
        put("source", remembered.source)
        put("device", remembered.device)
        put("view", remembered.view)
        for group, front in remembered.fronts.items():
            put(f"fronts/{group}", front)
        for group in ("display", "narrowing", "decode"):
            self._write(getattr(remembered, group), group)
        put("recent", "\n".join(remembered.recent))
        known = remembered.by_architecture
        for architecture, inputs in known.texts.items():
            self._write(inputs, architecture)
        for architecture, chosen in known.masks.items():
            put(f"{architecture}/masks", chosen)
        for architecture in ARCHITECTURES:
            if source := known.sources.get(architecture):
                put(f"{architecture}/source", source)
            else:  # what could not be opened must not come back
                self._file.remove(f"{architecture}/source")
        for architecture, place in known.places.items():
            put(f"{architecture}/site", place.site)
            put(f"{architecture}/layer", place.layer)
            put(f"{architecture}/head", _MEAN if place.head is None else place.head)
        for architecture, decode in known.decodings.items():
            self._write(decode, f"{architecture}/decode")
        for architecture, narrowing in known.narrowings.items():
            self._write(narrowing, f"{architecture}/narrowing")
        put("geometry", remembered.geometry)
        put("layout", remembered.layout)
        self._file.sync()

    def _fronts(self) -> dict[str, str]:
        found = {group.key: self._text(f"fronts/{group.key}") for group in GROUPS}
        return {group: front for group, front in found.items() if front}

    def _by_architecture(self) -> ByArchitecture:
        known = ByArchitecture()
        for architecture in ARCHITECTURES:
            if f"{architecture}/text" in self._file.allKeys():
                found = self._read(Inputs(), architecture)
                pair, target = one_line(found.pair), one_line(found.target)
                known.texts[architecture] = replace(found, pair=pair, target=target)
            if chosen := self._text(f"{architecture}/masks"):
                known.masks[architecture] = chosen
            if source := self._text(f"{architecture}/source"):
                known.sources[architecture] = source
            if place := self._place(architecture):
                known.places[architecture] = place
            if f"{architecture}/decode/strategy" in self._file.allKeys():
                known.decodings[architecture] = self._read(DecodeChoice(), f"{architecture}/decode")
            if f"{architecture}/narrowing/temperature" in self._file.allKeys():
                known.narrowings[architecture] = self._narrowing(f"{architecture}/narrowing")
        return known

    def _place(self, architecture: Architecture) -> Selection | None:
        site, layer, head = (
            self._text(f"{architecture}/{part}") for part in ("site", "layer", "head")
        )
        if site not in _SITES or not layer.isdecimal() or not (head.isdecimal() or head == _MEAN):
            return None
        stack, part = site.split(".")
        found = None if head == _MEAN else int(head)
        return Selection(stack=stack, part=part, layer=int(layer), head=found)

    def _write(self, value: Any, group: str) -> None:
        for name, part in asdict(value).items():
            self._file.setValue(f"{group}/{name}", part)
        if isinstance(value, Narrowing):
            self._file.setValue(f"{group}/{_PENALTY}", value.repetition_penalty is not None)

    def _read(self, default: T, group: str) -> T:
        found = {
            f.name: self._value(f"{group}/{f.name}", f.name, getattr(default, f.name))
            for f in fields(default)
        }
        return type(default)(**found)

    def _narrowing(self, group: str) -> Narrowing:
        """Before there was the key beside it, a penalty of 1 was written where none was chosen."""
        found = self._read(Narrowing(), group)
        old = f"{group}/{_PENALTY}" not in self._file.allKeys()
        none = old and found.repetition_penalty == 1
        return replace(found, repetition_penalty=None) if none else found

    def _value(self, key: str, name: str, default: Any) -> Any:
        """A value of the default's type and in its range, else the default; a number where the
        default is none."""
        text = self._text(key)
        if isinstance(default, bool):
            return {"true": True, "false": False}.get(text, default)
        if default is None or isinstance(default, (int, float)):
            try:
                number = float(text) if default is None else type(default)(text)
            except ValueError:
                return default
            least, most = _RANGES[name]
            return number if least <= number <= most else default
        if name in _ALLOWED:
            return text if text in _ALLOWED[name] else default
        return text if key in self._file.allKeys() else default

    def _text(self, key: str) -> str:
        value = self._file.value(key, "")
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list):  # an .ini value with commas that Qt took for a list
            return ", ".join(str(part) for part in value)
        return "" if value is None else str(value)

    def _bytes(self, key: str) -> QByteArray:
        value = self._file.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()
