"""Where the training reads and writes: the data folder, the work folder, the model folder."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

WORK = Path(__file__).resolve().parent / "work"
MODELS = Path(__file__).resolve().parents[1] / "resources" / "models"
DATA_FILES = ("stories.txt", "stories_sources.tsv", "pairs_zh_en.tsv", "sentiment.tsv")


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Add `--data FOLDER`; without it the variable TRIFOCAL_DATA or the folder `data` is used."""
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("TRIFOCAL_DATA", "data")),
        help=f"folder with {', '.join(DATA_FILES)} (default: $TRIFOCAL_DATA, else ./data)",
    )


def checked(folder: Path) -> Path:
    """The folder itself if it holds every data file, else a SystemExit naming what is missing."""
    missing = [name for name in DATA_FILES if not (folder / name).is_file()]
    if missing:
        raise SystemExit(
            f"The data folder {folder} lacks {', '.join(missing)}; "
            "name the right one with --data or TRIFOCAL_DATA."
        )
    return folder
