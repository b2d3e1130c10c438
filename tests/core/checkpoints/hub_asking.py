"""How tests fetch models of a local Hub, and what it was asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.core.checkpoints.hub_server import HubServer

ROOT = Path(__file__).resolve().parents[3]
SIZE = 45_000_000
"""More than three of the pieces the library reads at a time."""
SMALL = ("config.json", "generation_config.json")
"""What is fetched beside the weights."""

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


def ranges(server: HubServer, name: str = "pytorch_model.bin") -> list[int]:
    """From which byte on each request for a file asked."""
    asked = [r for method, file, r in server.requests if (method, file) == ("GET", name)]
    return [int((r or "bytes=0-").removeprefix("bytes=").split("-")[0]) for r in asked]


def part_of(home: Path) -> Path:
    (found,) = home.glob("hub/models--org--tiny/blobs/*.incomplete")
    return found
