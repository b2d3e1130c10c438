"""In the notes of the examples, words that are spoken of are told from words that speak."""

from __future__ import annotations

import re

import pytest

from app.examples import Example, read

EXAMPLES = read()
SPOKEN_OF = re.compile(
    r"\b(?:says|chooses|becomes|[Rr]ow of|[Ll]ooks(?: back)? at|Pin|follow|Replace|Change) (\S+)"
)
FREE = {"the", "that", "it", "and", "[MASK]", "[CLS]", "cross-attention", "little"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.title for e in EXAMPLES])
def test_a_word_that_a_note_speaks_of_is_quoted(example: Example) -> None:
    note = example.note
    assert '"' not in note
    assert not re.search("“[^”]*“", note), "no quotation within another"
    assert note.count("“") == note.count("”")
    bare = re.sub("“[^”]*”", "“”", note)
    assert not re.search("[\u4e00-\u9fff]", bare), "Chinese in an English sentence"
    for word in SPOKEN_OF.findall(bare):
        assert word.startswith("“") or word in FREE, word
