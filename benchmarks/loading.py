"""Loading a checkpoint, beside reading the same file with safetensors alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, paired


def rows(*, quick: bool = False) -> Iterator[Row]:
    import torch
    from safetensors.torch import load_file
    from transformers import GPT2Config, GPT2LMHeadModel

    from core import load_model

    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)
        file = Path(folder) / "model.safetensors"

        def read() -> float:
            # Touch every weight: a mapped file is only read when it is looked at.
            return sum(float(t.sum()) for t in load_file(file).values())

        def load() -> float:
            network = load_model(folder).network
            return sum(float(p.sum()) for p in network.parameters())

        yield paired(
            "GPT-2-small, loaded and every weight read / safetensors alone",
            load,
            read,
            goal=1.2,
            repeats=3 if quick else 11,
        )
