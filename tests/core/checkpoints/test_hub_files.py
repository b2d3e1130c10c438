"""Which files of a model of the Hub are fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from core.text.folder import sources
from tests.core.checkpoints.hub_asking import FETCH, ask
from tests.core.checkpoints.hub_server import COMMIT, HubServer


def test_only_what_is_needed(server: HubServer, tmp_path: Path) -> None:
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    got = {file for method, file, _ in server.requests if method == "GET"}
    assert got == {"config.json", "generation_config.json", "model.safetensors"}
    done = [now for now, _, _ in found["told"]]
    assert done == sorted(done)
    now, total, what = found["told"][-1]
    assert now == total == sum((Path(found["folder"]) / file).stat().st_size for file in got)
    assert what == "Downloading org/tiny"
    server.requests.clear()
    ask(FETCH, server, tmp_path / "home", source=f"org/tiny@{COMMIT}")
    assert not [file for method, file, _ in server.requests if method == "GET"]


def test_parts_and_tokenizer_files(server: HubServer, tmp_path: Path) -> None:
    folder = server.folder / "org" / "tiny"
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    placed = {}
    for i in range(2):
        file = f"model-{i + 1:05}-of-00002.safetensors"
        save_file({n: tensors[n] for n in names[i::2]}, folder / file)
        placed |= dict.fromkeys(names[i::2], file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    for file in ("tokenizer.json", "vocab.json", "merges.txt"):
        (folder / file).write_text("{}", "utf-8")
    ask(FETCH, server, tmp_path / "home", source="org/tiny")
    got = {file for method, file, _ in server.requests if method == "GET"}
    assert {f for f in got if "model-" in f} == set(placed.values())
    assert "tokenizer.json" in got
    assert not {"vocab.json", "merges.txt", "pytorch_model.bin"} & got
    (folder / "model-00002-of-00002.safetensors").unlink()
    found = ask(FETCH, server, tmp_path / "other", source="org/tiny")
    assert "lacks model-00002-of-00002.safetensors" in found["error"]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("my.model",), "my.model"),
        (("my.spm", "vocab.txt"), "vocab.txt"),
        (("deep/my.model", "source.spm"), None),
    ],
)
def test_the_tokenizer_is_the_one_a_folder_is_read_with(
    server: HubServer, tmp_path: Path, names: tuple[str, ...], wanted: str | None
) -> None:
    folder = server.folder / "org" / "tiny"
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    ask(FETCH, server, tmp_path / "home", source="org/tiny")
    got = {file for method, file, _ in server.requests if method == "GET"}
    assert got & {*names} == ({wanted} if wanted is not None else set())
    assert [group[0] for group in sources(folder)] == ([wanted] if wanted is not None else [])
