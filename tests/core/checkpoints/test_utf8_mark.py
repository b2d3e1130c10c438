"""JSON files that an editor saved with a mark of UTF-8 in front."""

from __future__ import annotations

from collections.abc import Callable

from core.checkpoints.load import load_model
from tests.core.checkpoints.conftest import Saved
from tests.core.vocabularies import WORDS, write_json, write_words


def test_the_model_and_its_tokenizer_are_read_as_without_it(saved: Callable[[str], Saved]) -> None:
    folder = saved("bert").folder
    words = [*WORDS, *(f"w{i}" for i in range(40))]
    write_words(folder, words, tokenizer_class="BertTokenizer", sep_token="w7")
    write_json(folder / "special_tokens_map.json", {"cls_token": "w8"})
    write_json(folder / "added_tokens.json", {"[NEW]": len(words)})
    plain = load_model(folder)
    for path in folder.glob("*.json"):
        path.write_text("\ufeff" + path.read_text("utf-8"), "utf-8")
    marked = load_model(folder)
    assert marked.notes == plain.notes
    assert plain.tokenizer is not None
    assert marked.tokenizer is not None
    read = plain.tokenizer.encode("the cat [NEW]").pieces
    assert read == ("w8", "the", "cat", "[NEW]", "w7")
    assert marked.tokenizer.encode("the cat [NEW]").pieces == read
