"""A model of the Hugging Face Hub: only the files needed, into the Hub library's usual cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import huggingface_hub as hub
from huggingface_hub import errors

from core.errors import Cancelled, CheckpointError
from core.text.folder import GROUPS

UNREACHABLE: tuple[type[Exception], ...] = (
    # The error of whichever HTTP library the Hub's uses; its own errors derive from OSError.
    getattr(errors, "HTTPError", OSError),
    errors.OfflineModeIsEnabled,
    OSError,
)

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
    progress: Callable[[float, float, str], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Fetched:
    """Download "hub:org/name", "hub:name@revision" or the same without the prefix.

    A broken connection is taken up where it stopped, and files that are in the cache are not
    fetched again; the library keeps no part of a file after a cancel. Raises CheckpointError in
    one sentence, or Cancelled.
    """
    name, _, revision = source.removeprefix("hub:").partition("@")
    try:
        info = hub.HfApi().model_info(name, revision=revision or None, files_metadata=True)
    except errors.GatedRepoError:
        raise CheckpointError(
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
    folder = _Download(name, str(info.sha), sizes, progress, should_stop).run()
    # By its name and not by its commit, so that it is found when the Hub cannot be reached.
    hub.hf_hub_download(name, "config.json", revision=revision or None)
    return Fetched(folder=folder)


def _cached(name: str, revision: str | None, error: Exception) -> Fetched:
    """The copy of an earlier download, when the Hub cannot be reached."""
    found = hub.try_to_load_from_cache(name, "config.json", revision=revision)
    if not isinstance(found, str):
        raise CheckpointError(
            f"there is no folder or file {name} here, nor in the cache of earlier downloads, and "
            f"the Hub cannot be reached ({_first_line(error)})"
        ) from None
    return Fetched(
        folder=Path(found).parent,
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

    def run(self) -> Path:
        files = needed(list(self.sizes), self.name)
        self.total = sum(self.sizes[file] for file in files)
        folder = Path()
        for file in files:
            folder = self.get(file).parent
        if files[-1].endswith(".index.json"):
            parts = list(_parts(folder / files[-1], self.sizes, self.name))
            self.total += sum(self.sizes[part] for part in parts)
            for part in parts:
                self.get(part)
        return folder

    def get(self, file: str) -> Path:
        before = self.done
        self.tell(0)
        try:
            path = hub.hf_hub_download(
                self.name, file, revision=self.revision, tqdm_class=self._bar()
            )
        except UNREACHABLE as error:
            raise CheckpointError(
                f"{file} of {self.name} could not be fetched ({_first_line(error)}); files "
                "that arrived whole are kept, try again later"
            ) from None
        self.done = before + self.sizes[file]
        self.tell(0)
        return Path(path)

    def tell(self, more: float) -> None:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled("the download was cancelled; files that arrived whole are kept")
        self.done += int(more)
        if self._progress is not None:
            self._progress(self.done, max(self.total, 1), f"Downloading {self.name}")

    def _bar(self) -> Any:
        """The library reports through a progress bar; this one prints nothing and tells us."""
        tell = self.tell

        class Bar:
            def __init__(self, *given: Any, **more: Any) -> None:
                tell(more.get("initial") or 0)

            def __enter__(self) -> Self:
                return self

            def __exit__(self, *error: object) -> None:
                self.close()

            def update(self, n: float | None = 1) -> None:
                tell(n or 0)

            def close(self) -> None:
                pass

        return Bar


def needed(files: Sequence[str], name: str) -> list[str]:
    """Configuration, one tokenizer, and last the weights, safetensors if there are any."""
    weights = next((file for file in WEIGHTS if file in files), None)
    if "config.json" not in files or weights is None:
        lacks = "config.json" if "config.json" not in files else "weights that can be read"
        raise CheckpointError(
            f"{name} on the Hub has no {lacks}; supported are {WEIGHTS[0]} and {WEIGHTS[2]} "
            "beside config.json"
        )
    group = next((g for g in GROUPS if all(file in files for file in g)), ())
    return [*(file for file in SMALL if file in files), *group, weights]


def _parts(index: Path, sizes: dict[str, int], name: str) -> Iterator[str]:
    """The files an index names; each must be one of the repository."""
    try:
        placed = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        names = sorted(set(placed.values()))
    except (ValueError, KeyError, AttributeError, TypeError):
        raise CheckpointError(f"{index.name} of {name} says not where the tensors are") from None
    for part in names:
        if part not in sizes:
            raise CheckpointError(f"{name} on the Hub lacks {part}, which {index.name} names")
        yield part


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__
