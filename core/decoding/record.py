"""A step as plain data, for JSON lines and CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from core.request import Step


def as_dict(
    step: Step, *, candidates: int = 10, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Numbers and texts only. names: readable candidates, in order; ids alone when None."""
    log_probabilities = step.logits.log_softmax(-1)
    probabilities = log_probabilities.exp()
    entropy = -float((probabilities * log_probabilities).nan_to_num().sum())
    shown = step.candidates[:candidates]
    found = []
    for rank, candidate in enumerate(shown):
        entry: dict[str, Any] = {
            "token": candidate.token,
            "probability": candidate.probability,
            "kept": candidate.kept,
        }
        if names is not None:
            entry["piece"] = names[rank]
        found.append(entry)
    return {
        "step": step.index + 1,
        "token": step.token,
        "piece": step.piece,
        "text": step.text,
        "pending_bytes": step.pending,
        "probability": step.probability,
        "surprise_bits": -float(log_probabilities[step.token]) / math.log(2),
        "entropy_bits": entropy / math.log(2),
        "forced": step.forced,
        "cache_positions": step.cache_positions,
        "cache_bytes": step.cache_bytes,
        "finished": step.finished,
        "candidates": found,
    }


def json_line(step: Step, **options: Any) -> str:
    """One JSON object on one line."""
    return json.dumps(as_dict(step, **options), ensure_ascii=False)


def csv_text(steps: Iterable[Step]) -> str:
    """One row a step, with a header; without the candidates."""
    out = StringIO()
    writer: csv.DictWriter[str] | None = None
    for step in steps:
        row = as_dict(step, candidates=0)
        del row["candidates"]
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(row))
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()
