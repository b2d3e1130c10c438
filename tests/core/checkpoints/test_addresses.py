"""What may be written for a model of the Hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints import addresses, hub
from core.checkpoints.load import load_model
from tests.core.checkpoints.conftest import Saved

PAGE = "https://huggingface.co"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gpt2", "gpt2"),
        ("org/name@v1.0", "org/name@v1.0"),
        (f"{PAGE}/gpt2", "gpt2"),
        (f"{PAGE}/org/name", "org/name"),
        (f"{PAGE}/org/name/", "org/name"),
        (f"{PAGE}/org/name?library=transformers#use", "org/name"),
        (f"{PAGE}/org/name/tree/main", "org/name@main"),
        (f"{PAGE}/gpt2/tree/v2/onnx", "gpt2@v2"),
        (f"{PAGE}/org/name/blob/main/model.safetensors", "org/name@main"),
        ("huggingface.co/org/name", "org/name"),
        ("http://www.hf.co/org/name", "org/name"),
        ("https://example.org/org/name", None),
        ("a/b/c", None),
        ("weights.safetensors", None),
    ],
)
def test_names_and_pages(text: str, name: str | None) -> None:
    assert addresses.possible(text) == name
    assert addresses.after_prefix(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hub:gpt2", "gpt2"),
        ("HUB: org/name ", "org/name"),
        (f"hub:{PAGE}/org/name", "org/name"),
        ("hub:", ""),
    ],
)
def test_behind_the_prefix(text: str, name: str) -> None:
    assert addresses.after_prefix(text) == name


@pytest.mark.parametrize("source", [f"{PAGE}/org/name", " hub:org/name\n", "Hub:org/name"])
def test_a_model_is_fetched_by_its_name(
    saved: Callable[[str], Saved], monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    asked: list[str] = []

    def fetch(name: str, **more: Any) -> hub.Fetched:
        asked.append(name)
        return hub.Fetched(folder=saved("llama").folder)

    monkeypatch.setattr(hub, "fetch", fetch)
    model = load_model(source)
    assert asked == ["org/name"]
    assert (model.name, model.source) == ("org/name", source)


def test_a_file_here_comes_first(
    saved: Callable[[str], Saved], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called like a page, or with a blank at its end."""
    monkeypatch.chdir(tmp_path)
    for name in ("hf.co/org", "model "):
        Path(name).parent.mkdir(exist_ok=True)
        saved("llama").folder.rename(name)
        assert load_model(name).source == name
