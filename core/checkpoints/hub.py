"""A model of the Hugging Face Hub: only the files needed, into the Hub library's usual cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import huggingface_hub as hub
from huggingface_hub import errors

from core.checkpoints.resume import PART, cache_folder, cached, fetch_file
from core.device import size
from core.disk.json_file import read_json
from core.errors import Cancelled, CheckpointError, NotNow
from core.text.folder import groups

UNREACHABLE: tuple[type[Exception], ...] = (
    # The error of whichever HTTP library the Hub's uses; its own errors derive from OSError.
    getattr(errors, "HTTPError", OSError),
    errors.OfflineModeIsEnabled,
    OSError,
)
NOT_FETCHED: tuple[type[Exception], ...] = (*UNREACHABLE, ValueError)
"""A file of more than 50 GB is a ValueError: the Hub serves none over plain HTTP."""

SMALL = (
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The snapshot's folder in the cache, and what the person should know about it."""

    folder: Path
    notes: tuple[str, ...] = ()


def fetch(
    source: str,
    *,
    check: Callable[[Path], None] | None = None,
    progress: Callable[[float, float, str], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Fetched:
    """Download "hub:org/name", "hub:name@revision" or the same without the prefix.

    A broken or cancelled download is taken up where it stopped, and files that are in the cache are
    not fetched again. check: is given the folder when all but the weights is there, and may raise
    to save their download. Raises CheckpointError in one sentence, NotNow where it may be had
    later, or Cancelled.
    """
    name, _, revision = source.removeprefix("hub:").partition("@")
    try:
        info = hub.HfApi().model_info(name, revision=revision or None, files_metadata=True)
    except errors.GatedRepoError:
        raise NotNow(
            f"{name} is open only to those who accepted its terms: do so on its page, then log in "
            "with “hf auth login”"
        ) from None
    except errors.RevisionNotFoundError:
        raise CheckpointError(f"{name} has no revision {revision!r} on the Hub") from None
    except errors.RepositoryNotFoundError:
        raise CheckpointError(
            f"there is no folder or file {name} here, and no model of that name on the Hub that "
            "is open to you"
        ) from None
    except errors.HFValidationError:
        raise CheckpointError(
            f"{name!r} is no name of a model on the Hub, as org/name is"
        ) from None
    except UNREACHABLE as error:
        return _cached(name, revision or None, error)
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
    folder = _Download(name, str(info.sha), sizes, progress, should_stop).run(check)
    # By its name and not by its commit, so that it is found when the Hub cannot be reached; where
    # it cannot be any more, all that is needed is there.
    with suppress(*NOT_FETCHED):
        hub.hf_hub_download(name, "config.json", revision=revision or None)
    return Fetched(folder=folder)


def _cached(name: str, revision: str | None, error: Exception) -> Fetched:
    """The copy of an earlier download, when the Hub cannot be reached."""
    found = hub.try_to_load_from_cache(name, "config.json", revision=revision)
    if not isinstance(found, str):
        raise NotNow(
            f"there is no folder or file {name} here, nor in the cache of earlier downloads, and "
            f"the Hub cannot be reached ({_first_line(error)})"
        ) from None
    folder = Path(found).parent
    if not any((folder / file).exists() for file in WEIGHTS):
        raise NotNow(
            f"the earlier download of {name} ended before its weights were there, and the Hub "
            f"cannot be reached ({_first_line(error)})"
        ) from None
    return Fetched(
        folder=folder,
        notes=("the Hub cannot be reached; this is the copy of an earlier download",),
    )


class _Download:
    """The files of one revision, counted in bytes together."""

    def __init__(
        self,
        name: str,
        revision: str,
        sizes: dict[str, int],
        progress: Callable[[float, float, str], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self.name = name
        self.revision = revision
        self.sizes = sizes
        self.done = 0
        self.total = 0
        self._progress = progress
        self._should_stop = should_stop

    def run(self, check: Callable[[Path], None] | None) -> Path:
        *small, weights = needed(list(self.sizes), self.name)
        self.total = sum(self.sizes[file] for file in (*small, weights))
        for file in small:
            folder = self.get(file).parent
        if check is not None:
            check(folder)
        parts = []
        if weights.endswith(".index.json"):
            parts = list(_parts(self.get(weights), self.sizes, self.name))
            self.total += sum(self.sizes[part] for part in parts)
        wanted = parts or [weights]
        self._check_room(wanted)
        for file in wanted:
            self.get(file)
        return folder

    def get(self, file: str) -> Path:
        before = self.done
        self.tell(before)
        try:
            path = fetch_file(
                self.name, file, self.revision, lambda there: self.tell(before + there)
            )
        except NOT_FETCHED as error:
            raise NotNow(
                f"{file} of {self.name} could not be fetched ({_first_line(error)}); what "
                "arrived is kept, try again later"
            ) from None
        self.tell(before + self.sizes[file])
        return path

    def tell(self, done: int) -> None:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled("the download was cancelled; what arrived is kept")
        self.done = done
        if self._progress is not None:
            self._progress(self.done, max(self.total, 1), f"Downloading {self.name}")

    def _check_room(self, files: Sequence[str]) -> None:
        """Before the first byte of the weights, not when the disk is full."""
        folder = cache_folder(self.name)
        absent = [f for f in files if cached(self.name, f, self.revision) is None]
        here = sum(part.stat().st_size for part in (folder / "blobs").glob(f"*{PART}"))
        more, free = sum(self.sizes[f] for f in absent) - here, shutil.disk_usage(folder).free
        if more > free:
            raise NotNow(
                f"{self.name} needs {size(more)} more on the disk of {folder.parent}, which has "
                f"{size(free)} free"
            )


def needed(files: Sequence[str], name: str) -> list[str]:
    """Configuration, one tokenizer, and last the weights, safetensors if there are any."""
    weights = next((file for file in WEIGHTS if file in files), None)
    if "config.json" not in files or weights is None:
        lacks = "config.json" if "config.json" not in files else "weights that can be read"
        raise CheckpointError(
            f"{name} on the Hub has no {lacks}; supported are {WEIGHTS[0]} and {WEIGHTS[2]} "
            "beside config.json"
        )
    found = groups(file for file in files if "/" not in file)
    tokenizer = found[0] if found else ()
    return [*(file for file in SMALL if file in files), *tokenizer, weights]


def _parts(index: Path, sizes: dict[str, int], name: str) -> Iterator[str]:
    """The files an index names; each must be one of the repository."""
    try:
        names = sorted(set(read_json(index)["weight_map"].values()))
    except (CheckpointError, KeyError, AttributeError, TypeError):
        raise CheckpointError(f"{index.name} of {name} says not where the tensors are") from None
    for part in names:
        if Path(part).name != part:
            raise CheckpointError(
                f"{index.name} of {name} points to {part!r}; only files beside it are read"
            )
        if part not in sizes:
            raise CheckpointError(f"{name} on the Hub lacks {part}, which {index.name} names")
        yield part


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__
