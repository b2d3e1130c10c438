"""The command line: the window, `render` for a picture without one, `decode` for a text, `models`
for a list.

Layers and heads count from 1 here, as everywhere a person reads them. What is wrong is said in one
sentence on stderr with exit status 2. Where whoever read the output has gone, as `head` does, the
command ends in silence, with 1; interrupted, with 130.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from app import streams
from app.decode_options import USUAL
from app.telling import sentence

NO_DISPLAY = (
    "Trifocal found no display to open its window on; "
    "`trifocal render --help` tells how to draw any view to a file without one."
)


class Refused(Exception):
    """A command that cannot be carried out; the text is shown."""


class _Parser(argparse.ArgumentParser):
    """One sentence instead of a usage text."""

    def error(self, message: str) -> NoReturn:
        raise Refused(f"{message}; `{self.prog} --help` tells more")


def main(argv: Sequence[str] | None = None) -> int:
    streams.prepare()
    try:
        try:
            return _main(list(sys.argv[1:] if argv is None else argv))
        finally:
            streams.flush()
    except BrokenPipeError:
        streams.give_up()
        return 1
    except KeyboardInterrupt:
        streams.give_up()
        return 130


def _main(arguments: list[str]) -> int:
    commands = {"render": _render, "decode": _decode, "models": _models}
    command = commands.get(arguments[0]) if arguments else None
    try:
        return _window(arguments) if command is None else _told(command, arguments[1:])
    except Refused as refused:
        print(f"trifocal: {sentence(str(refused))}", file=sys.stderr)
        return 2


def _told(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Runs a command that prints, to the end of what it prints."""
    try:
        code = command(arguments)
        streams.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        streams.give_up()
        what = error.filename or "The output could not be written"
        raise Refused(f"{what}: {error.strerror or error}") from None
    return code


def _window(arguments: list[str]) -> int:
    parser = _Parser(
        prog="trifocal",
        description="Opens the window. The other commands are `trifocal render`, `trifocal decode` "
        "and `trifocal models`; each has --help.",
    )
    parser.add_argument(
        "source",
        nargs="?",
        default="",
        help="a model: a checkpoint folder or file, hub:ID, or one that `trifocal models` lists",
    )
    found = parser.parse_args(arguments)
    from app import display

    if display.missing():
        raise Refused(NO_DISPLAY)
    from app.wiring import open_window

    open_window(found.source)


def _models(arguments: list[str]) -> int:
    _Parser(prog="trifocal models", description="Lists the models there are.").parse_args(arguments)
    from app.choices import RANDOM_MODELS
    from core import builtin

    rows = [(m.source, m.title, m.description) for m in builtin.available()]
    rows += [(m.source, m.title, m.description) for m in RANDOM_MODELS]
    first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
    for source, title, description in rows:
        print(f"{source:{first}}  {title:{second}}  {description}".rstrip())
    return 0


def _decode(arguments: list[str]) -> int:
    asked = _decode_parser().parse_args(arguments)
    from app.decode_command import decode
    from core.errors import CoreError

    try:
        decode(asked)
    except (CoreError, ValueError) as error:
        raise Refused(str(error)) from None
    return 0


def _decode_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="trifocal decode",
        description="Lets a model write on, token by token; an encoder fills its masks instead.",
    )
    add = parser.add_argument
    _add_input(parser, "builtin:decoder")
    add("--max-new-tokens", type=int, help="not for an encoder, which fills all masks")
    add("--strategy", choices=("greedy", "sample", "beam"))
    for name, kind, what in (
        ("temperature", float, "with sample"),
        ("top-k", int, "with sample; 0: off"),
        ("top-p", float, "with sample; 1: off"),
        ("min-p", float, "with sample; 0: off"),
        ("repetition-penalty", float, "1: off; usually the checkpoint's own"),
        ("seed", int, "with sample"),
        ("beams", int, "with beam"),
        ("length-penalty", float, "with beam"),
    ):
        add(f"--{name}", type=kind, help=what)
    add("--json", action="store_true", help="one JSON object a step (beam: a hypothesis)")
    add("--candidates", type=_count, help="how many a step of --json tells of")
    parser.set_defaults(**USUAL)
    return parser


def _count(said: str) -> int:
    """0 or more."""
    try:
        count = int(said)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{said!r} is no whole number") from None
    if count < 0:
        raise argparse.ArgumentTypeError(f"{count} is given; it must be at least 0")
    return count


def _add_input(parser: argparse.ArgumentParser, model: str) -> None:
    """What every command that runs a model takes."""
    add = parser.add_argument
    add("--model", default=model, help="as `trifocal models` lists, a folder, hub:ID")
    add("--text", required=True, help="what the model reads")
    add("--pair", help="a second sentence (encoder-only)")
    add("--target", help="what the decoder has written so far (encoder-decoder)")
    add(
        "--mask",
        action="append",
        default=[],
        metavar="[SITE=]KEY[:P=V,…]",
        help="for example causal, or decoder.cross=local:window=2; may be given for each site, and"
        " again for one: a token then sees what each of its masks lets it see",
    )
    add("--device", default="cpu")


def _render(arguments: list[str]) -> int:
    asked = _render_parser().parse_args(arguments)
    if asked.out.suffix.lower() not in (".png", ".svg", ".csv"):
        raise Refused(f"A picture is saved as .png, .svg or .csv, not as {str(asked.out)!r}")
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.render_command import render
    from core.errors import CoreError

    try:
        render(asked)
    except (CoreError, OSError, ValueError) as error:
        raise Refused(str(error)) from None
    return 0


def _render_parser() -> argparse.ArgumentParser:
    from app.choices import HEAD_ORDERS, SENTENCES
    from app.views import views

    parser = _Parser(
        prog="trifocal render",
        description="Draws any view to a file, without a window. Layers and heads count from 1.",
    )
    add = parser.add_argument
    _add_input(parser, "builtin:encoder")
    add("--site", help="encoder.self, decoder.self or decoder.cross")
    add("--layer", type=int, default=1)
    add("--head", default="1", help="a number, or mean")
    add("--query", type=int, help="position of a query to pin, from 0")
    add("--key", type=int, help="position of a key to pin, from 0")
    add("--view", default="attention", help=", ".join(view.key for view in views()))
    add("--theme", choices=("light", "dark"), default="light")
    add("--width", type=int, help="of a PNG or SVG, in pixels")
    add("--pad-to", type=int, help="pad the text to this many tokens")
    add("--pad-side", choices=("right", "left"), default="right")
    add("--steps", type=int, help="decode so many tokens first, and show the last step")
    add("--beams", type=int, help="find these tokens by a beam search as wide as this")
    for option, what in (
        ("--against", "another text, for the views compare and two_runs; may be given again"),
        ("--against-pair", "the second sentence of each --against in turn"),
        ("--against-mask", "the mask of each --against in turn, in place of --mask"),
    ):
        add(option, action="append", default=[], metavar="TEXT", help=what)
    add(
        "--drop-sinks",
        action="store_true",
        help="attention without the first token, special tokens and punctuation",
    )
    add(
        "--sentences",
        choices=tuple(SENTENCES),
        default="all",
        help="of a pair, only the attention from one sentence to one: AB is from A to B",
    )
    add("--fit-colours", action="store_true", help="fit the colour scales to the values shown")
    add("--find", metavar="WORD", help="a word whose rank every list over the vocabulary tells")
    add("--heads-by", choices=HEAD_ORDERS, default="layer", help="what the head table is sorted by")
    add("--heads-reversed", action="store_true", help="the smallest first")
    add("--raw-labels", action="store_true", help="tokens in the tokenizer's own spelling")
    add("--out", required=True, type=Path, help="a .png, .svg or .csv file")
    return parser
