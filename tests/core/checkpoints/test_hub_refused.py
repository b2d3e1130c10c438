"""What cannot be fetched from the Hub, or shown, is said in one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.core.checkpoints.hub_asking import FETCH, ask, ranges
from tests.core.checkpoints.hub_server import COMMIT, HubServer


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
