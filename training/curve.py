"""`python -m training.curve NAME`: the loss of a run as loss.csv and loss.svg beside its model."""

from __future__ import annotations

import argparse
import csv
import os
import shutil
from pathlib import Path

import numpy as np

from app.figure import Curve, Curves, Figure
from training.folders import MODELS, WORK
from training.shapes import SPECS

SMOOTHED = 7  # logged points
SHOWN = {
    "encoder": {"long_word_loss": "masked words", "long_pair_loss": "next sentence"},
    "decoder": {"loss": "next token"},
    "translator": {"loss": "next token"},
}


def figure(name: str, path: Path) -> Figure:
    """Loss in nats over millions of tokens, smoothed over a few logged points."""
    points: dict[str, list[tuple[float, float]]] = {part: [] for part in SHOWN[name]}
    with path.open(newline="") as handle:
        for row in csv.DictReader(handle):
            if row["part"] in points:
                points[row["part"]].append((int(row["tokens"]) / 1e6, float(row["value"])))
    curves = []
    for part, title in SHOWN[name].items():
        x, y = np.array(points[part]).T
        window = min(SMOOTHED, len(y))
        smooth = np.convolve(y, np.ones(window) / window, mode="valid")
        curves.append(
            Curve(name=title, x=x[window - 1 :].astype(np.float32), y=smooth.astype(np.float32))
        )
    panel = Curves(
        title=f"Training loss of the {name}",
        curves=tuple(curves),
        x_title="million tokens",
        y_title="loss (nats)",
    )
    return Figure(title=panel.title, panels=(panel,))


def append(earlier: Path, log: Path) -> None:
    """Rows of a run that went on from the shipped model behind those of the runs before it; steps,
    tokens and seconds go on counting."""
    with earlier.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    counted = ("step", "tokens", "seconds")
    before = {name: int(rows[-1][name]) for name in counted}
    with log.open(newline="") as handle, earlier.open("a", newline="") as out:
        writer = csv.writer(out)
        for row in csv.DictReader(handle):
            moved = [before[name] + int(row[name]) for name in counted]
            writer.writerow([*moved, row["rate"], row["part"], row["value"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(SPECS))
    parser.add_argument(
        "--go-on", action="store_true", help="behind the shipped curve: after --from-shipped"
    )
    parser.add_argument("--run", help="folder under training/work (default: the name)")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    from app.render.export import save

    application = QGuiApplication([])
    log = WORK / (given.run or given.name) / "loss.csv"
    folder = MODELS / given.name
    kept = folder / "loss.csv"
    if given.go_on:
        append(kept, log)
    else:
        shutil.copyfile(log, kept)
    print(save(figure(given.name, kept), folder / "loss.svg", 800).name)
    application.quit()


if __name__ == "__main__":
    main()
