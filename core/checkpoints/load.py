"""`load_model`: one word or path -> a model ready to be asked."""

from __future__ import annotations

import gc
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Literal

import torch

from core import builtin, random_models
from core.arguments import whole_number
from core.checkpoints import addresses
from core.checkpoints.build import Progress, build, check_config, heads_without, plan
from core.checkpoints.config import Config
from core.checkpoints.files import Checkpoint, expanded, open_checkpoint, read_config
from core.device import compute_dtype, resolve
from core.disk.unreadable import reading
from core.errors import CheckpointError
from core.loaded import LoadedModel
from core.request import ShouldStop
from core.spec import ModelSpec
from core.text import Tokenizer
from core.text.settings import Settings


def load_model(
    source: str | Path,
    *,
    seed: int = 0,
    device: str = "cpu",
    dtype: str | None = None,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> LoadedModel:
    """Load "builtin:encoder", "random:decoder", a checkpoint folder, a weights file, or "hub:gpt2".

    A name that is no file here is looked for on the Hub, with or without "hub:"; the address of a
    model's page there will do too.

    seed: of random models. dtype: to compute in; None is float32 whatever is stored. progress is
    called with (done, of how much, what). Raises CheckpointError, UnsupportedModel, RequestError
    or Cancelled, each with one sentence; nothing is half-loaded.
    """
    if not isinstance(source, str | PathLike):
        raise CheckpointError(f"a model is named by a str or a path, not by {source!r}")
    whole_number(seed, "the seed")
    text = _unblanked(source if isinstance(source, str) else str(Path(source)))
    if not text:
        raise CheckpointError(
            "no model is named; give builtin:encoder, a checkpoint folder or a name on the Hub"
        )
    if text.startswith(random_models.PREFIX):
        return load_random(text, seed, device=device, dtype=dtype)
    path = expanded(text)
    name: str | None = None
    notes: tuple[str, ...] = ()
    if text.startswith(builtin.PREFIX):
        path, listed = builtin.find(text)
        name = listed.title
    elif (name := _on_the_hub(text, path)) is not None:
        from core.checkpoints import hub  # its library loads slowly

        where, kind = resolve(device), compute_dtype(dtype)
        fetched = hub.fetch(
            name,
            check=lambda folder: check_config(read_config(folder), where, kind),
            progress=progress,
            should_stop=should_stop,
        )
        path, notes = fetched.folder, fetched.notes
    return load_checkpoint(
        path,
        source=str(source),
        name=name,
        notes=notes,
        device=device,
        dtype=dtype,
        progress=progress,
        should_stop=should_stop,
    )


def _unblanked(text: str) -> str:
    """Without the blanks around it that a pasted name may have, unless there is such a file."""
    plain, path = text.strip(), expanded(text)
    with reading(path):
        return text if plain and plain != text and path.exists() else plain


def _on_the_hub(text: str, path: Path) -> str | None:
    """The name there; None for a file or folder here, and for what can be no such name."""
    said = addresses.after_prefix(text)
    if said is not None:
        return said
    with reading(path):
        return None if path.exists() else addresses.possible(text)


def load_random(source: str, seed: int, *, device: str, dtype: str | None) -> LoadedModel:
    """An untrained model of `core.random_models`."""
    where, kind = resolve(device), compute_dtype(dtype)
    network, backend = random_models.make(source, seed)
    spec = network.spec
    names = {"mask": "[MASK]", "pad": "[PAD]"} if spec.special.mask is not None else {}
    tokenizer = Tokenizer.from_library(
        backend, source="one token a byte", settings=Settings(said=names), spec=spec
    )
    return LoadedModel(
        name=spec.name,
        source=source,
        spec=spec,
        network=network.to(device=where, dtype=kind),
        tokenizer=tokenizer,
        missing=heads_without(spec),
        notes=spec.notes,
    )


def load_checkpoint(
    path: Path,
    *,
    source: str | None = None,
    name: str | None = None,
    notes: tuple[str, ...] = (),
    device: str = "cpu",
    dtype: str | None = None,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> LoadedModel:
    """A folder, or one weights file with its config.json beside it. source and name: what to call
    it, the path and the folder's name by default."""
    # Thousands of small objects are made that all live on. Python's collector would look through
    # them again and again, for nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _load_checkpoint(
            path,
            source=source or str(path),
            name=name,
            notes=notes,
            device=resolve(device),
            dtype=compute_dtype(dtype),
            progress=progress,
            should_stop=should_stop,
        )
    finally:
        if collecting:
            gc.enable()


def _load_checkpoint(
    path: Path,
    *,
    source: str,
    name: str | None,
    notes: tuple[str, ...],
    device: torch.device,
    dtype: torch.dtype,
    progress: Progress | None,
    should_stop: ShouldStop | None,
) -> LoadedModel:
    checkpoint = open_checkpoint(path)
    found = plan(checkpoint)
    tokenizer, more = read_tokenizer(checkpoint, found.spec)
    notes = (*notes, *found.spec.notes, *more)
    spec = with_tokenizer(replace(found.spec, notes=notes), tokenizer)
    spec = replace(with_problem(spec, checkpoint.config), name=name or checkpoint.name)
    built = build(
        checkpoint,
        replace(found, spec=spec),
        device=device,
        dtype=dtype,
        progress=progress,
        should_stop=should_stop,
    )
    return LoadedModel(
        name=built.spec.name,
        source=source,
        spec=built.spec,
        network=built.network,
        tokenizer=tokenizer,
        missing=built.missing,
        notes=built.spec.notes,
        no_text=more[0] if tokenizer is None else "",
    )


_PROBLEMS: dict[str, Literal["one", "several", "score"]] = {
    "single_label_classification": "one",
    "multi_label_classification": "several",
    "regression": "score",
}


def with_problem(spec: ModelSpec, config: Config) -> ModelSpec:
    """What a classifier's logits mean: as `problem_type` says, a score where there is but one."""
    classes, said = spec.heads.classes, config.read("problem_type")
    if classes is None:
        return spec
    if said is not None and said not in _PROBLEMS:
        raise CheckpointError(
            f"{config.path}: problem_type is {said!r}; supported are {', '.join(_PROBLEMS)}"
        )
    problem = _PROBLEMS[said] if said else "score" if len(classes.labels) == 1 else "one"
    return replace(spec, heads=replace(spec.heads, classes=replace(classes, problem=problem)))


def read_tokenizer(
    checkpoint: Checkpoint, spec: ModelSpec
) -> tuple[Tokenizer | None, tuple[str, ...]]:
    """The folder's tokenizer, or the one in a GGUF file; without a usable one the model still reads
    token ids, and a note says why it reads no text."""
    try:
        if checkpoint.metadata is not None:
            from core.checkpoints.gguf_tokenizer import tokenizer_of

            tokenizer = tokenizer_of(checkpoint.metadata, checkpoint.files[0].path, spec)
        else:
            tokenizer = Tokenizer.from_folder(checkpoint.folder, spec)
    except CheckpointError as error:
        return None, (str(error),)
    return tokenizer, tuple(tokenizer.notes)


def with_tokenizer(spec: ModelSpec, tokenizer: Tokenizer | None) -> ModelSpec:
    """The ids only a tokenizer knows."""
    if tokenizer is None:
        return spec
    special = spec.special
    return replace(
        spec,
        special=replace(
            special,
            mask=special.mask if special.mask is not None else tokenizer.mask_id,
            pad=special.pad if special.pad is not None else tokenizer.pad_id,
        ),
    )
