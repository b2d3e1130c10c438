"""What the commands write to: files and pipes, terminals, and readers that have gone."""

from __future__ import annotations

import io
import json
import os
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from app.command import main

ONE = ["decode", "--text", "Once upon a time", "--max-new-tokens", "1", "--json"]


class Written(io.TextIOWrapper):
    """A standard stream in an encoding of long ago; on a terminal it says so."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="cp1252", newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def bytes(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_every_token_can_be_written_whatever_the_encoding(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    out = Written(terminal)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(ONE) == 0
    text = out.bytes().decode("cp1252" if terminal else "utf-8")
    pieces = [c["piece"] for c in json.loads(text)["candidates"]]
    assert any(piece.startswith("Ġ") for piece in pieces)
    assert (b"\\u0120" in out.bytes()) is terminal, "a terminal keeps its encoding"


def test_a_text_that_is_no_utf_8_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Written(False)
    monkeypatch.setattr(sys, "stderr", out)
    assert main(["decode", "--text", "a", "--model", "random:\udcff"]) == 2
    assert b"\\udcff" in out.bytes()


@pytest.mark.parametrize("arguments", [["models"], ONE, ["decode", "--help"]])
def test_a_reader_that_has_gone_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    theirs, ours = os.pipe()
    os.close(theirs)
    with open(ours, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor has no path
        monkeypatch.setattr(sys, "stdout", out)
        assert main(arguments) == 1
    assert capsys.readouterr().err == "", "nor is closing it"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize("arguments", [["models"], ONE])
def test_a_full_disk_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(arguments) == 2
    told = capsys.readouterr().err
    assert told == "trifocal: The output could not be written: No space left on device.\n"


def test_an_interrupted_command_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(asked: Namespace) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.decode_command.decode", interrupted)
    assert main(ONE) == 130
    assert capsys.readouterr().err == ""
