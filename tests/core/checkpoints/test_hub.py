"""Models of the Hub, fetched from a local server that speaks its protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from core.text.folder import sources
from tests.core.checkpoints.conftest import Saved
from tests.core.checkpoints.hub_server import COMMIT, HubServer

ROOT = Path(__file__).resolve().parents[3]

FETCH = """
import json, sys
from core.checkpoints import hub
from core.errors import CoreError
asked = json.loads(sys.argv[1])
def fetch(stop_after):
    told = []
    def progress(*now): told.append(now)
    def should_stop(): return stop_after is not None and bool(told) and told[-1][0] >= stop_after
    try:
        found = hub.fetch(asked["source"], progress=progress, should_stop=should_stop)
        return {"folder": str(found.folder), "notes": found.notes, "told": told}
    except CoreError as error:
        return {"error": str(error), "kind": type(error).__name__, "told": told}
for stop_after in asked.get("stops", [None]):
    found = fetch(stop_after)
print(json.dumps(found))
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


def ask(
    script: str,
    server: HubServer | None,
    home: Path,
    environment: Mapping[str, str] | None = None,
    **asked: Any,
) -> dict[str, Any]:
    """Run a script in a process of its own: the Hub's library reads its settings when imported."""
    url = "http://127.0.0.1:9" if server is None else server.url
    hidden = ("HF_HUB_OFFLINE", "HF_TOKEN")
    settings = {k: v for k, v in os.environ.items() if k not in hidden} | {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
        **(environment or {}),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(asked)],
        env=settings,
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


SIZE = 45_000_000
"""More than three of the pieces the library reads at a time."""


@pytest.fixture
def large(server: HubServer) -> Path:
    """The weights are one large file; it says nothing, as nobody opens it."""
    folder = server.folder / "org" / "tiny"
    (folder / "pytorch_model.bin").write_bytes(os.urandom(SIZE))
    (folder / "model.safetensors").unlink()
    return folder / "pytorch_model.bin"


def ranges(server: HubServer, name: str = "pytorch_model.bin") -> list[int]:
    """From which byte on each request for a file asked."""
    asked = [r for method, file, r in server.requests if (method, file) == ("GET", name)]
    return [int((r or "bytes=0-").removeprefix("bytes=").split("-")[0]) for r in asked]


def part_of(home: Path) -> Path:
    (found,) = home.glob("hub/models--org--tiny/blobs/*.incomplete")
    return found


def test_a_cancelled_download_goes_on_where_it_stopped(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for number, stop in enumerate((9_000_000, 22_000_000)):
        found = ask(FETCH, server, home, source="org/tiny", stops=[stop])
        assert found["kind"] == "Cancelled"
        assert "what arrived is kept" in found["error"]
        assert stop <= part_of(home).stat().st_size < SIZE
        assert len(ranges(server)) == number + 1
    kept = part_of(home).stat().st_size
    assert part_of(home).read_bytes() == large.read_bytes()[:kept]
    found = ask(FETCH, server, home, source="org/tiny")
    first, second, third = ranges(server)
    assert first == 0 < second < third == kept
    assert (Path(found["folder"]) / large.name).read_bytes() == large.read_bytes()
    done = [now for now, _, _ in found["told"]]
    assert done == sorted(done)
    assert not list(home.glob("hub/models--org--tiny/blobs/*.incomplete"))
    # Only the weights were still to be fetched.
    whole = [file for method, file, _ in server.requests if method == "GET"]
    assert whole.count("config.json") == 1


def test_what_is_there_counts_as_done_at_once(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    found = ask(FETCH, server, home, source="org/tiny", stops=[20_000_000, None])
    kept = ranges(server)[-1]
    small = sum((Path(found["folder"]) / f).stat().st_size for f in SMALL)
    assert small + kept in [now for now, _, _ in found["told"]]
    assert found["told"][-1][0] == found["told"][-1][1] == small + SIZE


SMALL = ("config.json", "generation_config.json")


def test_the_store_is_another_server_and_sees_no_token(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    """As on the Hub itself: each attempt asks it anew where the bytes are, as such addresses do not
    last, and the token goes no further."""
    home, token = tmp_path / "home", {"HF_TOKEN": "hf_secret"}
    with HubServer(server.folder) as store:
        server.store = store
        stops = [9_000_000, None]
        found = ask(FETCH, server, home, environment=token, source="org/tiny", stops=stops)
    assert (Path(found["folder"]) / large.name).read_bytes() == large.read_bytes()
    assert all(server.authorized)
    assert not any(store.authorized)
    assert ranges(server) == ranges(store)
    assert len(ranges(store)) == 2
    assert ranges(store)[1] > 9_000_000


def test_a_server_that_knows_no_parts(server: HubServer, large: Path, tmp_path: Path) -> None:
    """It sends the whole file, which must not be put behind what is there."""
    home = tmp_path / "home"
    ask(FETCH, server, home, source="org/tiny", stops=[9_000_000])
    server.ranges = False
    found = ask(FETCH, server, home, source="org/tiny")
    assert (Path(found["folder"]) / large.name).read_bytes() == large.read_bytes()


def test_a_damaged_part_is_not_taken_for_the_file(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    ask(FETCH, server, home, source="org/tiny", stops=[9_000_000])
    with part_of(home).open("rb+") as file:
        file.seek(1000)
        file.write(b"\0" * 5000)
    found = ask(FETCH, server, home, source="org/tiny")
    assert "pytorch_model.bin of org/tiny arrived damaged" in found["error"]
    assert not list(home.glob("hub/models--org--tiny/blobs/*.incomplete"))
    found = ask(FETCH, server, home, source="org/tiny")
    assert (Path(found["folder"]) / large.name).read_bytes() == large.read_bytes()


@pytest.mark.parametrize("length", [SIZE, SIZE + 7])
def test_a_part_that_has_all_or_more(
    server: HubServer, large: Path, tmp_path: Path, length: int
) -> None:
    home = tmp_path / "home"
    ask(FETCH, server, home, source="org/tiny", stops=[9_000_000])
    part_of(home).write_bytes((large.read_bytes() + b"trailing")[:length])
    server.requests.clear()
    found = ask(FETCH, server, home, source="org/tiny")
    assert (Path(found["folder"]) / large.name).read_bytes() == large.read_bytes()
    assert ranges(server) == ([] if length == SIZE else [0])


def test_two_programs_fetch_a_file_once(server: HubServer, large: Path, tmp_path: Path) -> None:
    server.pause = 3.0
    with ThreadPoolExecutor() as pool:
        both = [
            pool.submit(ask, FETCH, server, tmp_path / "home", source="org/tiny") for _ in range(2)
        ]
        for one in both:
            folder = Path(one.result()["folder"])
            assert (folder / large.name).read_bytes() == large.read_bytes()
    assert ranges(server) == [0]


LIBRARY = """
import json, sys
import huggingface_hub as hub
found = hub.scan_cache_dir()
print(json.dumps({
    "path": hub.hf_hub_download("org/tiny", json.loads(sys.argv[1])["file"], local_files_only=True),
    "warnings": [str(w) for w in found.warnings],
    "files": sorted(f.file_name for r in found.repos for v in r.revisions for f in v.files),
    "bytes": found.size_on_disk,
}))
"""


@pytest.mark.parametrize("links", [True, False])
def test_the_cache_is_the_library_s_own(
    server: HubServer, large: Path, tmp_path: Path, links: bool
) -> None:
    """On a disk without links too, and no file is there twice."""
    home = tmp_path / "home"
    more = {} if links else {"HF_HUB_DISABLE_SYMLINKS": "1"}
    found = ask(FETCH, server, home, environment=more, source="org/tiny")
    weights = Path(found["folder"]) / large.name
    assert weights.is_symlink() is links
    known = ask(LIBRARY, None, home, environment=more, file=large.name)
    assert known["path"] == str(weights)
    assert known["warnings"] == []
    assert known["files"] == sorted([*SMALL, large.name])
    assert known["bytes"] < SIZE + 100_000


def test_what_cannot_be_shown_is_not_fetched(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    said = json.loads((large.parent / "config.json").read_text("utf-8"))
    refused = {
        "mamba": ({"model_type": "mamba"}, "has model_type 'mamba'"),
        "packed": ({"quantization_config": {"quant_method": "gptq"}}, "quantised (gptq)"),
        "odd": ({"num_attention_heads": 3}, "3 query heads cannot be shared"),
        "huge": ({"vocab_size": 2**27, "hidden_size": 2**16}, "the model needs"),
    }
    for name, (change, _) in refused.items():
        folder = server.folder / "org" / name
        shutil.copytree(large.parent, folder)
        (folder / "config.json").write_text(json.dumps(said | change), "utf-8")
    errors = ask(LOAD_ALL, server, tmp_path, sources=[f"org/{name}" for name in refused])
    for name, (_, words) in refused.items():
        assert words in errors[f"org/{name}"]
    assert ranges(server) == []


LOAD_ALL = """
import json, sys
from core import load_model
from core.errors import CoreError
errors = {}
for source in json.loads(sys.argv[1])["sources"]:
    try:
        load_model(source)
    except CoreError as error:
        errors[source] = str(error)
print(json.dumps(errors))
"""

FULL = FETCH.replace(
    "import json, sys",
    "import json, shutil, sys; shutil.disk_usage = lambda path: (10, 0, 0) and "
    "type('Usage', (), {'free': 30_000_000})",
)


def test_a_full_disk_is_told_of_before_the_first_byte(
    server: HubServer, large: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    found = ask(FULL, server, home, source="org/tiny")
    assert "org/tiny needs 45 MB more on the disk of" in found["error"]
    assert "which has 30 MB free" in found["error"]
    assert ranges(server) == []
    ask(FETCH, server, home, source="org/tiny", stops=[19_000_000])
    found = ask(FULL, server, home, source="org/tiny")  # what is there needs no more room
    assert "error" not in found


def test_offline_after_a_cancel(server: HubServer, large: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    ask(FETCH, server, home, source="org/tiny@main", stops=[9_000_000])
    found = ask(FETCH, None, home, source=f"org/tiny@{COMMIT}")
    assert "ended before its weights were there" in found["error"]
    assert "\n" not in found["error"]


def test_an_index_that_points_out_of_the_folder(server: HubServer, tmp_path: Path) -> None:
    folder = server.folder / "org" / "tiny"
    (folder / "model.safetensors").unlink()
    placed = {"weight": "../../secret.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert "only files beside it are read" in found["error"]


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


def test_a_connection_that_breaks_when_all_is_there(server: HubServer, tmp_path: Path) -> None:
    server.only_commits = True
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert (Path(found["folder"]) / "model.safetensors").is_file()
    server.only_commits = False
    ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert ask(FETCH, None, tmp_path / "home", source="org/tiny")["folder"] == found["folder"]
