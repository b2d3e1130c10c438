"""Which family a configuration names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.checkpoints.config import Config
from core.errors import UnsupportedModel
from core.families import families, family_of


def test_every_type_has_one_family() -> None:
    types = [(kind, family) for family in families() for kind in family.model_types]
    assert len({kind for kind, _ in types}) == len(types)
    for kind, family in types:
        assert family_of(Config({"model_type": kind})) is family


def test_the_readme_lists_them() -> None:
    text = (Path(__file__).resolve().parents[3] / "README.md").read_text("utf-8")
    listed = text.split("Families:")[1].split(";")[0].replace("\n", " ")
    assert [name.strip() for name in listed.split(",")] == sorted(f.name for f in families())


@pytest.mark.parametrize("kind", ["family", "rope", "__init__", "../gpt2", "GPT2", "", 7])
def test_no_module_is_taken_for_a_family(kind: object) -> None:
    with pytest.raises(UnsupportedModel, match="model_type"):
        family_of(Config({"model_type": kind}))


def test_only_the_family_asked_for_is_imported() -> None:
    """All of them take longer than the rest of loading a small model."""
    script = """
import sys
from core.checkpoints.config import Config
from core.families import families, family_of
family_of(Config({"model_type": "gpt2"}))
early = {name for name in sys.modules if name.startswith("core.families.")}
assert "core.families.gpt2" in early and "core.families.deepseek" not in early, early
assert len(families()) > len(early)
"""
    subprocess.run(
        [sys.executable, "-c", script], check=True, cwd=Path(__file__).resolve().parents[3]
    )
