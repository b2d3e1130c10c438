"""The packages Trifocal stands on: a fault of theirs that once struck, and that they are pinned."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LISTED = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
DIRECT = [Requirement(line) for line in LISTED]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_void_calls_into_qt_keep_the_references_to_none(qtbot: QtBot) -> None:
    """PySide6 6.12.0 drops one at each call, and Python dies once none is left."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(1000):
        label.setText(str(number))
    assert sys.getrefcount(None) > before - 100


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^([\w.-]+)==(\S+)$", text, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


@pytest.mark.parametrize("requirement", DIRECT, ids=str)
def test_every_direct_dependency_is_pinned_to_a_version_it_allows(
    requirement: Requirement, pins: dict[str, str]
) -> None:
    name = canonicalize_name(requirement.name)
    assert name in pins, f"{requirement.name} has no pin in constraints.txt"
    assert requirement.specifier.contains(pins[name])


def test_torch_is_pinned_without_a_local_label(pins: dict[str, str]) -> None:
    """Only so does pip take the CPU build, 2.x.y+cpu, where it finds one."""
    assert "+" not in pins["torch"]
