"""What was fetched from the Hub lies in its library's cache, once, and is read without it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.core.checkpoints.hub_asking import FETCH, SIZE, SMALL, ask, ranges
from tests.core.checkpoints.hub_server import HubServer

LOAD = """
import json, sys
from core import load_model
model = load_model(json.loads(sys.argv[1])["source"])
print(json.dumps({"name": model.name, "source": model.source, "notes": model.notes,
                  "logits": model.trace(ids=[5, 6, 7]).logits[-1, :3].tolist()}))
"""


def test_a_model_by_name(server: HubServer, tmp_path: Path) -> None:
    """With and without "hub:", and the second time from the cache without any server."""
    first = ask(LOAD, server, tmp_path / "home", source="hub:org/tiny")
    assert first["name"] == "org/tiny"
    assert first["source"] == "hub:org/tiny"
    server.server.shutdown()
    again = ask(LOAD, None, tmp_path / "home", source="org/tiny")
    assert again["logits"] == first["logits"]
    assert any("cannot be reached" in note for note in again["notes"])


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


def test_a_connection_that_breaks_when_all_is_there(server: HubServer, tmp_path: Path) -> None:
    server.only_commits = True
    found = ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert (Path(found["folder"]) / "model.safetensors").is_file()
    server.only_commits = False
    ask(FETCH, server, tmp_path / "home", source="org/tiny")
    assert ask(FETCH, None, tmp_path / "home", source="org/tiny")["folder"] == found["folder"]
