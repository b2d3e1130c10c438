"""What a folder holds in place of a checkpoint, for the sentence that refuses it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

CONFIG = "config.json"
SAFE, SAFE_INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
ADAPTER = "adapter_config.json"

_FOREIGN = {
    "tf_model.h5": "TensorFlow",
    "flax_model.msgpack": "Flax",
    "rust_model.ot": "Rust",
    "model.ckpt.index": "TensorFlow",
    "model.onnx": "ONNX",
    "onnx/model.onnx": "ONNX",
    "openvino_model.bin": "OpenVINO",
}
_WEIGHTS = {".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt"}
_BESIDE = ("optimizer", "scheduler", "scaler", "rng_state", "training_args", "adapter_model")
"""How the files begin that a training loop leaves beside the weights."""


def broken_link(*paths: Path) -> str | None:
    """Of the first of these that is a link to nothing; a copied snapshot of the Hub's cache holds
    such links."""
    for path in paths:
        if path.is_symlink() and not path.exists():
            return f"{path} is a link to {path.readlink()}, which is not there"
    return None


def without_config(folder: Path, opened: Path | None = None) -> str:
    """Why a folder without a config.json is no checkpoint. opened: the file in it that was to be
    opened."""
    broken = broken_link(folder / CONFIG)
    if broken is not None:
        return broken
    if (folder / ADAPTER).is_file():
        return _adapter(folder)
    if (folder / "params.json").is_file():
        return (
            f"{folder} holds a model in the layout of its makers (params.json), which is not read; "
            f"it must be converted to the layout of transformers, with {CONFIG} and {SAFE}"
        )
    if (folder / "model_index.json").is_file():
        return f"{folder} holds a pipeline that makes images (model_index.json), no Transformer"
    lacks = f"{folder} has no {CONFIG}" if opened is None else f"{opened} has no {CONFIG} beside it"
    files = sorted(path.name for path in folder.glob("*.[gG][gG][uU][fF]"))
    if files:
        which = "one of them" if files[1:] else "that file"
        if opened is not None:
            be = "are" if files[1:] else "is"
            return f"{lacks}, but there {be} {_some(files)}; open {which} instead"
        return f"{lacks}, but holds {_some(files)}; open {which}"
    within = sorted(path.parent for path in (*folder.glob(f"*/{CONFIG}"), *_snapshots(folder)))
    if within:
        names = _some(str(path.relative_to(folder)) for path in within)
        which = "that folder" if len(within) == 1 else "one of these"
        return f"{lacks}, but there is one in {names}; open {which}"
    return f"{lacks}; a checkpoint folder holds {CONFIG} and {SAFE} or {PICKLED}"


def without_weights(folder: Path) -> str:
    """Why a folder with a config.json has no weights that can be read."""
    broken = broken_link(*(folder / name for name in (SAFE, SAFE_INDEX, PICKLED, PICKLED_INDEX)))
    if broken is not None:
        return broken
    if (folder / ADAPTER).is_file():
        return _adapter(folder)
    for name, framework in _FOREIGN.items():
        if (folder / name).exists():
            return (
                f"{folder} holds {framework} weights ({name}) only; supported are {SAFE} "
                f"and {PICKLED}"
            )
    parts = sorted(folder.glob("*-*-of-*.safetensors")) or sorted(folder.glob("*-*-of-*.bin"))
    if parts:
        index = SAFE_INDEX if parts[0].suffix == ".safetensors" else PICKLED_INDEX
        return f"{folder} has {parts[0].name} but no {index}, which says what each part holds"
    others = sorted(path.name for path in folder.iterdir() if path.suffix in _WEIGHTS)
    models = [name for name in others if not name.startswith(_BESIDE)]
    if models:
        return (
            f"{folder} holds no {SAFE} or {PICKLED}, but {_some(models)}; if that is the model, "
            "open the file itself"
        )
    left = f" (left by a training are {_some(others)})" if others else ""
    return f"{folder} holds no weights{left}; supported are {SAFE} and {PICKLED}"


def _adapter(folder: Path) -> str:
    return (
        f"{folder} holds an adapter ({ADAPTER}), not a whole model; "
        "open the model it was made for, or merge the two first"
    )


def _snapshots(folder: Path) -> Iterable[Path]:
    """Where the Hub's cache keeps the files of a model."""
    return folder.glob(f"snapshots/*/{CONFIG}")


def _some(names: Iterable[str], most: int = 3) -> str:
    found = list(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
