"""A step as plain data, for JSON lines and CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from core.decoding.fill import Fill
from core.request import Candidate, Step


def as_dict(
    step: Step, *, candidates: int = 10, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Numbers and texts only. names: readable candidates, in order; ids alone when None."""
    return {
        "step": step.index + 1,
        "token": step.token,
        "piece": step.piece,
        "text": step.text,
        "pending_bytes": step.pending,
        "probability": step.probability,
        "surprise_bits": step.surprise,
        "entropy_bits": step.entropy,
        "forced": step.forced,
        "cache_positions": step.cache_positions,
        "cache_bytes": step.cache_bytes,
        "finished": step.finished,
        "candidates": _listed(step.candidates[:candidates], names),
    }


def fill_as_dict(
    fill: Fill, *, candidates: int = 10, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """A filled mask, likewise; open: the best probability at every mask that was open."""
    return {
        "step": fill.index + 1,
        "position": fill.position,
        "token": fill.token,
        "piece": fill.piece,
        "probability": fill.probability,
        "forced": fill.forced,
        "open": [{"position": p, "probability": q} for p, q in fill.confidence],
        "candidates": _listed(fill.candidates[:candidates], names),
    }


def _listed(candidates: Sequence[Candidate], names: Sequence[str] | None) -> list[dict[str, Any]]:
    found = []
    for rank, candidate in enumerate(candidates):
        entry: dict[str, Any] = {
            "token": candidate.token,
            "probability": candidate.probability,
            "kept": candidate.kept,
        }
        if names is not None:
            entry["piece"] = names[rank]
        found.append(entry)
    return found


def json_line(move: Step | Fill, **options: Any) -> str:
    """One JSON object on one line."""
    found = fill_as_dict(move, **options) if isinstance(move, Fill) else as_dict(move, **options)
    return json.dumps(found, ensure_ascii=False)


def csv_text(moves: Iterable[Step | Fill]) -> str:
    """One row a step or fill, with a header; without lists."""
    out = StringIO()
    writer: csv.DictWriter[str] | None = None
    for move in moves:
        row = fill_as_dict(move) if isinstance(move, Fill) else as_dict(move)
        row = {name: value for name, value in row.items() if not isinstance(value, list)}
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(row))
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()
