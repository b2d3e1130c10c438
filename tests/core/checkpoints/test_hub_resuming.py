"""A download of the Hub that ended early goes on where it stopped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.core.checkpoints.hub_asking import FETCH, SIZE, SMALL, ask, part_of, ranges
from tests.core.checkpoints.hub_server import HubServer


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
