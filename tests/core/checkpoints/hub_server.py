"""A server that speaks the Hub's protocol for one folder of models; for tests."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

COMMIT = "c" * 40
LARGE = 1_000_000


class HubServer:
    """Serves folder/<org>/<name>/…; models: name -> files. break_after: bytes of a file after which
    the connection is cut, once. ranges: whether parts of a file are served. pause: seconds in the
    middle of every large file. store: another server that large files are redirected to, as the
    Hub's store is one. only_commits: files asked for by a branch's name get no answer. requests:
    (method, file, Range) of every file asked for; authorized: whether each came with a token."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gated: set[str] = set()
        self.break_after: int | None = None
        self.ranges = True
        self.pause = 0.0
        self.store: HubServer | None = None
        self.only_commits = False
        self.authorized: list[bool] = []
        self.requests: list[tuple[str, str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.answer(self)

            def do_HEAD(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, call: BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(call.path).path)
        if path.startswith("/api/models/"):
            name, _, revision = path.removeprefix("/api/models/").partition("/revision/")
            return self._info(call, name, revision or "main")
        name, _, rest = path[1:].partition("/resolve/")
        revision, _, file = rest.partition("/")
        self.requests.append((call.command, file, call.headers.get("Range")))
        self.authorized.append("Authorization" in call.headers)
        if self.only_commits and revision != COMMIT:
            call.close_connection = True
            return None
        return self._file(call, self.folder / name / file)

    def _info(self, call: BaseHTTPRequestHandler, name: str, revision: str) -> None:
        folder = self.folder / name
        if not folder.is_dir():
            return _reply(call, 401, {"X-Error-Code": "RepoNotFound"})
        if name in self.gated:
            return _reply(call, 403, {"X-Error-Code": "GatedRepo"})
        if revision not in ("main", COMMIT):
            return _reply(call, 404, {"X-Error-Code": "RevisionNotFound"})
        files = [
            {"rfilename": f.name, "size": f.stat().st_size, "blobId": _tag(f)}
            for f in sorted(folder.iterdir())
        ]
        body = json.dumps({"id": name, "sha": COMMIT, "siblings": files}).encode()
        return _reply(call, 200, {"Content-Type": "application/json"}, body)

    def _file(self, call: BaseHTTPRequestHandler, path: Path) -> None:
        if not path.is_file():
            return _reply(call, 404, {"X-Error-Code": "EntryNotFound"})
        body, status = path.read_bytes(), 200
        if self.store is not None and len(body) > LARGE:
            there = {"Location": self.store.url + call.path, "X-Repo-Commit": COMMIT}
            linked = {"X-Linked-Etag": f'"{_tag(path)}"', "X-Linked-Size": str(len(body))}
            return _reply(call, 302, there | linked)
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{_tag(path)}"', "Accept-Ranges": "bytes"}
        wanted = call.headers.get("Range")
        if wanted is not None and self.ranges:
            start, status = int(wanted.removeprefix("bytes=").split("-")[0]), 206
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            body = body[start:]
        if call.command == "GET" and self.break_after is not None and len(body) > self.break_after:
            sent, self.break_after = body[: self.break_after], None
            _head(call, status, headers, len(body))
            call.wfile.write(sent)
            call.close_connection = True
            return None
        if call.command == "GET" and self.pause and len(body) > LARGE:
            _head(call, status, headers, len(body))
            call.wfile.write(body[: len(body) // 2])
            time.sleep(self.pause)
            call.wfile.write(body[len(body) // 2 :])
            return None
        return _reply(call, status, headers, body)


def _tag(path: Path) -> str:
    """As the Hub's: of a large file the checksum of what is in it."""
    whole = path.read_bytes()
    return (hashlib.sha256 if len(whole) > LARGE else hashlib.sha1)(whole).hexdigest()


def _reply(
    call: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes = b""
) -> None:
    _head(call, status, headers, len(body))
    if call.command == "GET":
        call.wfile.write(body)


def _head(call: BaseHTTPRequestHandler, status: int, headers: dict[str, str], length: int) -> None:
    call.send_response(status)
    for key, value in headers.items():
        call.send_header(key, value)
    call.send_header("Content-Length", str(length))
    call.end_headers()
