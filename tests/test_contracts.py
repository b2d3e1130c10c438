"""What a module says of itself, the import contracts hold."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_a_module_that_says_it_is_free_of_qt_is_held_to_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (held,) = (c["source_modules"] for c in contracts if c["name"].endswith("are free of Qt"))
    saying = {
        f"app.{path.stem}"
        for path in (ROOT / "app").glob("*.py")
        if "free of Qt" in (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
    }
    assert len(saying) > 10
    assert saying <= set(held)
    files = (ROOT.joinpath(*name.split(".")) for name in held)
    assert all(file.is_dir() or file.with_suffix(".py").is_file() for file in files)
