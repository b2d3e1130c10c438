"""A step as plain data, for JSON lines and CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from core.decoding.fill import Fill
from core.request import Candidate, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How tokens are written, by id. piece: the tokenizer's own spelling, as in `Step.piece`.
    label: as a person reads it."""

    piece: Callable[[int], str]
    label: Callable[[int], str]


def as_dict(step: Step, *, candidates: int = 10, names: Names | None = None) -> dict[str, Any]:
    """Numbers and texts only. Without names no labels, and candidates by their ids alone."""
    return {
        "step": step.index + 1,
        **_token(step, names),
        "text": step.text,
        "pending_bytes": step.pending,
        "probability": step.probability,
        "surprise_bits": step.surprise,
        "entropy_bits": step.entropy,
        "forced": step.forced,
        "fixed": step.fixed,
        "cache_positions": step.cache_positions,
        "cache_bytes": step.cache_bytes,
        "finished": step.finished,
        "candidates": _listed(step.candidates[:candidates], names),
    }


def fill_as_dict(fill: Fill, *, candidates: int = 10, names: Names | None = None) -> dict[str, Any]:
    """A filled mask, likewise; open: the best probability at every mask that was open."""
    return {
        "step": fill.index + 1,
        "position": fill.position,
        **_token(fill, names),
        "probability": fill.probability,
        "surprise_bits": fill.surprise,
        "entropy_bits": fill.entropy,
        "forced": fill.forced,
        "open": [{"position": p, "probability": q} for p, q in fill.confidence],
        "candidates": _listed(fill.candidates[:candidates], names),
    }


def _token(move: Step | Fill, names: Names | None) -> dict[str, Any]:
    found: dict[str, Any] = {"token": move.token, "piece": move.piece}
    return found if names is None else {**found, "label": names.label(move.token)}


def _listed(candidates: Sequence[Candidate], names: Names | None) -> list[dict[str, Any]]:
    found = []
    for candidate in candidates:
        entry: dict[str, Any] = {
            "token": candidate.token,
            "probability": candidate.probability,
            "kept": candidate.kept,
            "ruled_out": candidate.ruled_out,
        }
        if names is not None:
            entry["piece"] = names.piece(candidate.token)
            entry["label"] = names.label(candidate.token)
        found.append(entry)
    return found


def json_line(move: Step | Fill, **options: Any) -> str:
    """One JSON object on one line."""
    found = fill_as_dict(move, **options) if isinstance(move, Fill) else as_dict(move, **options)
    return json.dumps(found, ensure_ascii=False)


def csv_text(moves: Iterable[Step | Fill], names: Names | None = None) -> str:
    """One row a step or fill, with a header; without lists."""
    out = StringIO()
    writer: csv.DictWriter[str] | None = None
    for move in moves:
        asked: dict[str, Any] = {"candidates": 0, "names": names}
        row = fill_as_dict(move, **asked) if isinstance(move, Fill) else as_dict(move, **asked)
        row = {name: value for name, value in row.items() if not isinstance(value, list)}
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(row))
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()
