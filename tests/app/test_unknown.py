"""Words that a model does not know are named, not passed over."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.unknown import sentence, unknown_words
from core.tokens import Tokens
from tests.app.driver import Opener, settled


def tokens(text: str, *words: tuple[str, str], pair: str | None = None) -> Tokens:
    """words: (what is written, its piece); those of the pair begin with "+"."""
    spans, sequences, at = [], [], [0, 0]
    for written, _ in words:
        second = written.startswith("+")
        start = (pair if second else text).index(written.lstrip("+"), at[second])  # type: ignore[union-attr]
        at[second] = start + len(written.lstrip("+"))
        spans.append((start, at[second]))
        sequences.append(int(second))
    found = Tokens.of_ids(range(len(words)), [piece for _, piece in words])  # type: ignore[arg-type]
    return replace(found, spans=tuple(spans), sequence=tuple(sequences), text=text, pair=pair)


def test_the_words_are_those_of_the_text_and_of_the_pair() -> None:
    read = tokens("a 书 b", ("a", "a"), ("书", "[UNK]"), ("+猫", "[UNK]"), pair="x 猫")
    assert unknown_words(read) == (("书", "[UNK]"), ("猫", "[UNK]"))
    assert sentence([read]) == "This model does not know “书”, “猫”; it reads each as [UNK]."


def test_only_a_few_are_named_and_none_twice() -> None:
    letters = "一二三二四五"
    read = tokens(letters, *((letter, "<unk>") for letter in letters))
    assert sentence([read]) == (
        "This model does not know “一”, “二”, “三” and 2 more; it reads each as <unk>."
    )
    one = tokens("书", ("书", "<unk>"))
    assert sentence([one]) == "This model does not know “书”; it reads it as <unk>."


def test_a_long_word_is_cut() -> None:
    long = tokens("x" * 300, ("x" * 300, "[UNK]"))
    assert sentence([long]) == f"This model does not know “{'x' * 15}…”; it reads it as [UNK]."


def test_who_types_the_unknown_token_means_it() -> None:
    assert sentence([tokens("[UNK] a", ("[UNK]", "[UNK]"), ("a", "a"))]) == ""


def test_the_window_says_so_beside_the_text(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:encoder")
    said = app.window.prompt.unknown
    assert said.isHidden()
    app.window.prompt.text.setPlainText("She reads 书.")
    settled(qtbot, app)
    assert said.isVisible()
    assert said.text() == "This model does not know “书”; it reads it as [UNK]."
    app.window.prompt.text.setPlainText("She reads.")
    settled(qtbot, app)
    assert said.isHidden()


def test_what_is_known_of_the_text_otherwise_comes_first(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("builtin:encoder")
    app.window.prompt.text.setPlainText("She reads 书 and <mask>.")
    settled(qtbot, app)
    assert app.window.prompt.hint.isVisible()
    assert app.window.prompt.unknown.isHidden()
    app.window.prompt.use_mask.click()
    settled(qtbot, app)
    assert app.window.prompt.hint.isHidden()
    assert app.window.prompt.unknown.isVisible()


def test_what_nobody_can_see_is_spelled_out() -> None:
    read = tokens("a \u200d b", ("a", "a"), ("\u200d", "<unk>"))
    assert sentence([read]) == "This model does not know “⟨U+200D⟩”; it reads it as <unk>."
