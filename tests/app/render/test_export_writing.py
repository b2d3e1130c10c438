"""Files are never half written, and what cannot be saved is refused in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.figure import Figure
from app.render import export
from app.render.export import ExportError, save
from tests.app.render.seven_tokens import seven

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize("name", ["map", "map.jpg", "map.pdf", ".png"])
def test_an_unknown_kind_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError, match=r"\.png, \.svg or \.csv"):
        save(seven(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("width", [0, -5, 100, 50_000])
def test_an_impossible_width_is_refused(tmp_path: Path, width: int) -> None:
    with pytest.raises(ExportError, match=f"200 to 16000 pixels wide; {width} was asked for"):
        save(seven(), tmp_path / "map.png", width)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"Could not save .*nowhere.*: no such file"):
        save(seven(), tmp_path / "nowhere" / "map.png")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".csv"])
def test_a_failure_leaves_the_old_file_and_no_other(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / f"map{suffix}"
    target.write_bytes(b"before")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match=r"Could not save .*: no space left on device\."):
        save(seven(), target)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_write_protected_file_and_a_folder_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder.png"
    folder.mkdir()
    with pytest.raises(ExportError, match="Could not save"):
        save(seven(), folder)
    protected = tmp_path / "map.png"
    protected.write_bytes(b"before")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    with pytest.raises(ExportError, match="write-protected"):
        save(seven(), protected)
    assert protected.read_bytes() == b"before"


def test_a_link_keeps_pointing_to_the_file_it_names(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("before")
    link.symlink_to(real)
    save(seven(), link)
    assert link.is_symlink()
    assert real.read_bytes().startswith(b"\xef\xbb\xbfpanel")


def test_a_failing_encoder_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(image: QImage) -> bytes:
        raise OSError("Unable to write")

    monkeypatch.setattr(export, "png_data", broken)
    with pytest.raises(ExportError, match="could not write the picture: Unable to write"):
        save(seven(), tmp_path / "map.png")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_too_high_is_refused(tmp_path: Path) -> None:
    from app.figure import Bar, Bars

    many = Bars(title="b", bars=tuple(Bar(label=str(i), value=0.1) for i in range(3000)))
    with pytest.raises(ExportError, match="pixels high, more than 32000"):
        save(Figure(title="t", panels=(many,)), tmp_path / "map.png", 1200)
