"""Models of the Hub, fetched from a local server that speaks its protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from tests.core.checkpoints.conftest import Saved
from tests.core.checkpoints.hub_server import COMMIT, HubServer

ROOT = Path(__file__).resolve().parents[3]

FETCH = """
import json, sys
from core.checkpoints import hub
from core.errors import CoreError
asked = json.loads(sys.argv[1])
told, stop_after = [], asked.get("stop_after")
def progress(*now): told.append(now)
def should_stop(): return stop_after is not None and bool(told) and told[-1][0] >= stop_after
try:
    found = hub.fetch(asked["source"], progress=progress, should_stop=should_stop)
    print(json.dumps({"folder": str(found.folder), "notes": found.notes, "told": told}))
except CoreError as error:
    print(json.dumps({"error": str(error), "kind": type(error).__name__, "told": told}))
"""

LOAD = """
import json, sys
from core import load_model
model = load_model(json.loads(sys.argv[1])["source"])
print(json.dumps({"name": model.name, "source": model.source, "notes": model.notes,
                  "logits": model.trace(ids=[5, 6, 7]).logits[-1, :3].tolist()}))
"""


@pytest.fixture
def server(saved: Callable[[str], Saved], tmp_path: Path) -> Iterator[HubServer]:
    folder = tmp_path / "models" / "org"
    folder.mkdir(parents=True)
    llama = saved("llama").folder
    llama.rename(folder / "tiny")
    (folder / "tiny" / "pytorch_model.bin").write_bytes(b"not needed")
    (folder / "tiny" / "README.md").write_text("not needed", "utf-8")
    with HubServer(tmp_path / "models") as running:
        yield running


def ask(script: str, server: HubServer | None, home: Path, **asked: Any) -> dict[str, Any]:
    """Run a script in a process of its own: the Hub's library reads its settings when imported."""
    url = "http://127.0.0.1:9" if server is None else server.url
    hidden = ("HF_HUB_OFFLINE", "HF_TOKEN")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(asked)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_model_by_name(server: HubServer, tmp_path: Path) -> None:
    """With and without "hub:", and the second time from the cache without any server."""
    first = ask(LOAD, server, tmp_path / "home", source="hub:org/tiny")
    assert first["name"] == "org/tiny"
    assert first["source"] == "hub:org/tiny"
    server.server.shutdown()
    again = ask(LOAD, None, tmp_path / "home", source="org/tiny")
    assert again["logits"] == first["logits"]
    assert any("cannot be reached" in note for note in again["notes"])


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


def test_cancelled_and_tried_again(server: HubServer, tmp_path: Path) -> None:
    """It stops within a file; the next attempt fetches only what had not arrived whole."""
    folder = server.folder / "org" / "tiny"
    (folder / "pytorch_model.bin").write_bytes(os.urandom(25_000_000))
    (folder / "model.safetensors").unlink()
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny", stop_after=9_000_000)
    assert found["kind"] == "Cancelled"
    assert found["told"][-1][0] < 25_000_000
    server.requests.clear()
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    got = [file for method, file, _ in server.requests if method == "GET"]
    assert got == ["pytorch_model.bin"]
    whole = (Path(found["folder"]) / "pytorch_model.bin").read_bytes()
    assert whole == (folder / "pytorch_model.bin").read_bytes()


def test_a_broken_connection_is_taken_up_again(server: HubServer, tmp_path: Path) -> None:
    folder = server.folder / "org" / "tiny"
    (folder / "pytorch_model.bin").write_bytes(os.urandom(25_000_000))
    (folder / "model.safetensors").unlink()
    server.break_after = 12_000_000
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert server.break_after is None
    first, second = (
        r for method, file, r in server.requests if (method, file[:2]) == ("GET", "py")
    )
    assert first is None
    assert 0 < int(str(second).removeprefix("bytes=").split("-")[0]) <= 12_000_000
    whole = (Path(found["folder"]) / "pytorch_model.bin").read_bytes()
    assert whole == (folder / "pytorch_model.bin").read_bytes()


def test_what_cannot_be_fetched(server: HubServer, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert "no model of that name" in ask(FETCH, server, home, source="org/parrot")["error"]
    found = ask(FETCH, server, home, source="org/tiny@yesterday")
    assert "no revision 'yesterday'" in found["error"]
    server.gated.add("org/tiny")
    assert "accepted its terms" in ask(FETCH, server, home, source="org/tiny")["error"]
    server.gated.clear()
    (server.folder / "org" / "tiny" / "model.safetensors").unlink()
    (server.folder / "org" / "tiny" / "pytorch_model.bin").unlink()
    assert "no weights" in ask(FETCH, server, home, source="org/tiny")["error"]
    found = ask(FETCH, None, home, source="org/tiny")
    assert "the Hub cannot be reached" in found["error"]
    assert "\n" not in found["error"]
