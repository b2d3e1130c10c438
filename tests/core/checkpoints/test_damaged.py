"""Files damaged at random are read or refused in one sentence; no library's error comes through."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
from safetensors.torch import save_file

from core import load_model
from core.checkpoints.pickled import PickledFile
from core.checkpoints.safe import SafeFile
from core.errors import CheckpointError, CoreError, RequestError
from tests.core.checkpoints.conftest import Saved
from tests.core.checkpoints.gguf_writing import write

Copy = Callable[[str], Saved]
INSIDE = b'0123456789{}[],:"-.e'


def damaged(whole: bytes, until: int, chance: random.Random) -> bytes:
    """One to four small changes among the first `until` bytes."""
    found = bytearray(whole)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(min(until, len(found)))
        match chance.randrange(5):
            case 0:
                found[at] = chance.randrange(256)
            case 1:
                found[at] = chance.choice(INSIDE)
            case 2:
                number = chance.choice((0, 1, 7, 2**31, 2**32 - 1, 2**63 - 1))
                found[at : at + 8] = number.to_bytes(8, "little")
            case 3:
                del found[at : at + chance.randrange(1, 9)]
            case 4:
                found[at:at] = bytes(chance.choices(INSIDE, k=chance.randrange(1, 5)))
    return bytes(found)


def outcome(work: Callable[[], object]) -> str:
    said = ""
    try:
        work()
    except CoreError as error:
        said = str(error)
    assert "\n" not in said
    return "refused" if said else "read"


def read_all(file: Any) -> None:
    for name in file.shapes:
        if hasattr(torch, file.dtypes[name]):  # others are refused before they are read
            for mapped in (True, False):
                file.read(name, mapped=mapped).float().sum()


def test_safetensors(tmp_path: Path) -> None:
    path, chance = tmp_path / "model.safetensors", random.Random(1)
    tensors = {"a": torch.randn(3, 4), "b": torch.arange(5), "c": torch.randn(2, 2).half()}
    save_file(tensors, path)
    whole = path.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    odd = [None, "F32", "F4", "BOOL", [], [3], [-1, 4], [2**63, 2], [1.5, 2], [0, 8], {}, 7]
    seen = set()
    for turn in range(600):
        changed = damaged(whole, length + 12, chance)
        if turn % 3 == 0:
            said = json.loads(json.dumps(header))
            name = chance.choice(["a", "b", "c"])
            said[name][chance.choice(["dtype", "shape", "data_offsets"])] = chance.choice(odd)
            text = json.dumps(said).encode()
            text += b" " * (-len(text) % 8)
            changed = len(text).to_bytes(8, "little") + text + whole[8 + length :]
        path.write_bytes(changed)
        seen.add(outcome(lambda: read_all(SafeFile(path))))
    assert seen == {"read", "refused"}


@pytest.mark.filterwarnings("ignore")  # what damage makes torch warn of is its own affair
def test_pickled(tmp_path: Path) -> None:
    path, chance = tmp_path / "pytorch_model.bin", random.Random(2)
    torch.save({"a": torch.randn(4, 4), "b": torch.randn(3)}, path)
    whole = path.read_bytes()
    seen = set()
    for _ in range(300):
        path.write_bytes(damaged(whole, len(whole), chance))
        seen.add(outcome(lambda: read_all(PickledFile(path))))
    assert seen == {"read", "refused"}


def with_tokenizer(
    merges: list[str] | None = None, scores: list[float] | None = None, kind: str = "gpt2"
) -> Callable[[gguf.GGUFWriter], None]:
    def more(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model(kind)
        writer.add_token_list(["a", "b", "c", "ab"])
        writer.add_token_types([1, 1, 1, 1])
        if merges is not None:
            writer.add_token_merges(merges)
        if scores is not None:
            writer.add_token_scores(scores)

    return more


def test_gguf(saved: Copy, tmp_path: Path) -> None:
    path, chance = tmp_path / "tiny.gguf", random.Random(3)
    write(path, saved("llama").model, more=with_tokenizer(["a b"]))
    assert load_model(path).tokenizer is not None
    whole = path.read_bytes()
    until = whole.find(b"output_norm.weight") + 400
    seen = set()
    for _ in range(300):
        path.write_bytes(damaged(whole, until, chance))
        seen.add(outcome(lambda: load_model(path)))
    assert seen == {"read", "refused"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (with_tokenizer(["a c"]), "the merge 'a c' makes no token of its vocabulary"),
        (with_tokenizer(["ab"]), "the merge 'ab' makes no token"),
        (with_tokenizer(scores=[0.5, 1.0], kind="llama"), "it has 2 scores for 4 tokens"),
    ],
)
def test_a_damaged_tokenizer_leaves_a_model_that_reads_ids(
    saved: Copy, tmp_path: Path, more: Callable[[gguf.GGUFWriter], None], words: str
) -> None:
    """The library would end the whole program over the first two."""
    model = load_model(write(tmp_path / "tiny.gguf", saved("llama").model, more=more))
    assert model.tokenizer is None
    assert any("reads token ids only" in note and words in note for note in model.notes)
    assert model.trace(ids=[5, 6, 7]).logits.isfinite().all()


def test_a_tokenizer_json_that_the_library_panics_over(saved: Copy) -> None:
    llama = saved("llama")
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}
    text = json.dumps({"version": "1.0", "model": model})
    (llama.folder / "tokenizer.json").write_text(text, "utf-8")
    found = load_model(llama.folder)
    assert found.tokenizer is None
    assert any("tokenizer.json is no tokenizer that can be read" in note for note in found.notes)
    with pytest.raises(RequestError, match=r"only token ids: .*tokenizer\.json is no tokenizer"):
        found.trace("a cat")


def test_a_sparse_tensor(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save({"a": torch.eye(3), "b": torch.eye(3).to_sparse()}, path)
    with pytest.raises(CheckpointError, match="holds b as a sparse tensor"):
        PickledFile(path)


def test_whatever_the_unpickler_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save({"a": torch.eye(3)}, path)

    def broken(*given: object, **more: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(torch, "load", broken)
    with pytest.raises(CheckpointError, match=r"cannot be opened .* download it again"):
        PickledFile(path)
