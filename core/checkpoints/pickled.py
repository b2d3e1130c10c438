"""One pytorch_model.bin: unpickled with weights only, so that no code of a checkpoint ever runs."""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from core.checkpoints.recognise import refuse_impostor
from core.device import no_room
from core.errors import CheckpointError

_KEYS = ("state_dict", "model_state_dict", "model", "module")
"""Where training loops keep the tensors among other things."""


class PickledFile:
    """Tensors of a state dict, memory-mapped where the file has the current (zip) layout."""

    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_impostor(path)
        self._tensors = _load(path)

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: tuple(t.shape) for name, t in self._tensors.items()}

    @cached_property
    def dtypes(self) -> Mapping[str, str]:
        return {name: str(t.dtype).removeprefix("torch.") for name, t in self._tensors.items()}

    def read(self, name: str, *, mapped: bool = True) -> Tensor:
        return self._tensors[name]


def _load(path: Path) -> dict[str, Tensor]:
    with path.open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    try:
        # Files older than PyTorch 1.6 cannot be memory-mapped.
        held = torch.load(path, map_location="cpu", weights_only=True, mmap=zipped)
    except pickle.UnpicklingError as error:
        held_instead = _more_than_tensors(str(error))
        raise CheckpointError(
            f"{path} {held_instead}; for safety only plain tensors, a state_dict, are read, and "
            "code in a checkpoint is never run"
        ) from None
    except Exception as error:  # what damaged bytes make the unpickler raise is not limited
        cause = _short(str(error)) or type(error).__name__
        raise (
            no_room(path, cause)
            or CheckpointError(
                f"{path} cannot be opened as PyTorch weights ({cause}); download it again"
            )
        ) from None
    if not isinstance(held, Mapping):
        raise CheckpointError(f"{path} does not hold a dictionary of tensors")
    inner = next((held[key] for key in _KEYS if isinstance(held.get(key), Mapping)), held)
    if not all(isinstance(t, Tensor) for t in inner.values()):
        optimizer = {"state", "param_groups"} <= held.keys()
        what = "an optimizer's state" if optimizer else "other things"
        raise CheckpointError(f"{path} holds {what}, not a dictionary of tensors")
    sparse = next((name for name, t in inner.items() if t.layout is not torch.strided), None)
    if sparse is not None:
        raise CheckpointError(f"{path} holds {sparse} as a sparse tensor; supported are dense ones")
    return {str(name): tensor for name, tensor in inner.items()}


def _short(said: str) -> str:
    """The first thing the library says; of a damaged archive it speaks at length."""
    return re.split(r"[:.;]\s|\n", said, maxsplit=1)[0].strip()


def _more_than_tensors(said: str) -> str:
    """What the library says of a pickle it does not read."""
    found = re.search(r"GLOBAL ([\w.]+) was not", said)
    if found is None:
        return "holds more than tensors, or is damaged"
    return f"holds a pickled {found[1]}, not tensors alone"
