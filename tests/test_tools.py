"""The set-up scripts say what is wrong in one sentence, and leave a sound system alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import system_packages

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scripts act on Linux only")


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "PYTHON"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        command, cwd=ROOT, env=environment | variables, check=False, capture_output=True, text=True
    )


def test_no_display_is_one_sentence_that_names_the_way_without() -> None:
    result = run(sys.executable, "tools/check_display.py")
    assert result.returncode == 1
    assert "trifocal render" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_display_that_does_not_answer_counts_as_none() -> None:
    assert run(sys.executable, "tools/check_display.py", DISPLAY=":4711").returncode == 1


def test_a_display_that_answers_is_found() -> None:
    if "DISPLAY" not in os.environ:
        pytest.skip("there is neither a display nor Xvfb here")
    result = run(sys.executable, "tools/check_display.py", DISPLAY=os.environ["DISPLAY"])
    assert (result.returncode, result.stderr) == (0, "")


def test_a_platform_that_needs_no_display_is_let_through() -> None:
    result = run(sys.executable, "tools/check_display.py", QT_QPA_PLATFORM="offscreen")
    assert result.returncode == 0


def test_a_missing_python_is_one_sentence_with_the_version_needed() -> None:
    result = run("sh", "tools/find_python.sh", PYTHON="/nowhere/python3")
    assert result.returncode == 1
    assert "Python 3.11 or newer" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_what_cannot_be_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = system_packages.library("libnowhere.so.9", "libnowhere9", "nowhere-libs")
    libc = system_packages.library("libc.so.6", "libc6", "glibc")
    monkeypatch.setitem(system_packages.PURPOSES, "window", ("A window needs", [absent, libc]))
    monkeypatch.setattr(system_packages, "privilege", lambda: None)
    monkeypatch.setattr(sys, "argv", ["system_packages.py", "window"])
    assert system_packages.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("A window needs what this system lacks: libnowhere.so.9")
    assert "libc.so.6" not in said


def test_fonts_are_found_by_the_language_they_cover() -> None:
    assert system_packages.font("en", "", "").present()
    assert not system_packages.font("zz", "", "").present()
