"""One file of the Hub into its library's cache, taken up where an earlier attempt stopped.

The library begins a file anew after a cancel, and for files in the Hub's newer store (Xet) it hears
of no cancel before a file is whole. So its plain HTTP download is used, which can go on from any
byte, into a part that stays. The cache it ends in is the library's own.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import huggingface_hub as hub
from huggingface_hub import constants, file_download
from huggingface_hub.utils import WeakFileLock, build_hf_headers  # type: ignore[attr-defined]

from core.errors import CheckpointError

Told = Callable[[int], None]
"""Is told how many bytes of a file are there; what it raises stops the download."""

PART = ".resume.incomplete"
"""After the name of a file that is not whole; the end is the library's, for `hf cache prune`."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TAG = re.compile(r"[\w-]+")
_CHUNK = 2**22


def cache_folder(name: str) -> Path:
    """Where the library keeps a model."""
    folder = file_download.repo_folder_name(repo_id=name, repo_type="model")
    return Path(constants.HF_HUB_CACHE) / folder


def cached(name: str, file: str, commit: str) -> Path | None:
    """The file where it is there whole."""
    found = hub.try_to_load_from_cache(name, file, revision=commit)
    return Path(found) if isinstance(found, str) else None


def fetch_file(name: str, file: str, commit: str, told: Told) -> Path:
    """The file's path in the cache. Raises CheckpointError for what arrived damaged, the library's
    errors for what does not arrive."""
    found = cached(name, file, commit)
    if found is not None:
        return found
    url = hub.hf_hub_url(name, file, revision=commit)
    said = hub.get_hf_file_metadata(url)
    tag = said.etag or ""
    if _TAG.fullmatch(tag) is None:  # it becomes the name of a file
        raise CheckpointError(f"the Hub names no version of {file} of {name} that could be kept")
    root = cache_folder(name)
    blob, pointer = root / "blobs" / tag, root / "snapshots" / commit / file
    blob.parent.mkdir(parents=True, exist_ok=True)
    pointer.parent.mkdir(parents=True, exist_ok=True)
    with _alone(root.parent / ".locks" / root.name / f"{tag}.lock", told):
        if not (blob.exists() or pointer.exists()):
            part = blob.with_name(tag + PART)
            _download(url, part, said.size, told)
            _check(part, tag, f"{file} of {name}", told)
            part.replace(blob if _links(root) else pointer)
        if not pointer.exists() and _links(root):
            pointer.symlink_to(os.path.relpath(blob, pointer.parent))
        elif not pointer.exists():
            shutil.copyfile(blob, pointer)
    return pointer


def _download(url: str, part: Path, size: int | None, told: Told) -> None:
    """Append what is missing. size: of the whole file, where the Hub says it."""
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    with _Part(part, told) as file:
        if size is not None and file.tell() > size:
            file.seek(0)
            file.truncate()
        there = file.tell()
        told(there)
        file_download.http_get(
            url, file, resume_size=there, headers=headers, expected_size=size, tqdm_class=_no_bar()
        )


class _Part(io.BufferedWriter):
    """Tells of every piece once it is written."""

    def __init__(self, path: Path, told: Told) -> None:
        super().__init__(io.FileIO(path, "a"))
        self._told = told

    def write(self, data: Any) -> int:
        written = super().write(data)
        self._told(self.tell())
        return written


def _check(part: Path, tag: str, what: str, told: Told) -> None:
    """Of large files the tag is a checksum. A part from several attempts may be damaged: by a power
    cut, or by two programs on a disk that knows no locks."""
    if _SHA256.fullmatch(tag) is None:
        return
    digest, whole = hashlib.sha256(), part.stat().st_size
    with part.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
            told(whole)
    if digest.hexdigest() != tag:
        part.unlink()
        raise CheckpointError(
            f"{what} arrived damaged (its checksum is not the one the Hub states) and was deleted; "
            "try again"
        )


@contextmanager
def _alone(lock: Path, told: Told) -> Iterator[None]:
    """Wait while another program, or the library, fetches the same file."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    while True:
        waiting = WeakFileLock(lock, timeout=1)
        try:
            waiting.__enter__()
        except TimeoutError:
            told(0)
            continue
        break
    try:
        yield
    finally:
        waiting.__exit__(None, None, None)


def _links(root: Path) -> bool:
    """Whether the cache's disk knows links; on one that does not, a file lies where it is read."""
    return file_download.are_symlinks_supported(root.parent)


def _no_bar() -> Any:
    class NoBar:
        """Stands for a progress bar and prints nothing."""

        def __init__(self, *given: Any, **more: Any) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def update(self, n: float | None = 1) -> None:
            pass

        def close(self) -> None:
            pass

    return NoBar
