"""Loading a checkpoint, beside reading the same file with safetensors alone.

Both sides take the same file from the system's cache and read the same values in the same pieces:
GPT-2's fused q, k and v are three parameters here, so they are read as three there. Inside
`load_model` is all it does for a folder without a tokenizer: both JSON files, the plan of every
tensor with its checks, the network's modules and its parameters.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, absolute, paired

# Prints the most memory that loading took and the weights' own size in float32, both in bytes.
PEAK = """
import re, sys
from pathlib import Path
from core import load_model
load_model("random:encoder")
def now(key): return int(re.search(key + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
Path("/proc/self/clear_refs").write_text("5")
before = now("VmRSS")
network = load_model(sys.argv[1]).network
touched = sum(float(p.sum()) for p in network.parameters())
print((now("VmHWM") - before) * 1024, sum(p.numel() * 4 for p in network.parameters()))
"""


def rows(*, quick: bool = False) -> Iterator[Row]:
    import torch
    from safetensors.torch import load_file
    from transformers import GPT2Config, GPT2LMHeadModel

    from core import load_model

    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        plain, half = Path(folder) / "float32", Path(folder) / "bfloat16"
        model = GPT2LMHeadModel(GPT2Config())
        model.save_pretrained(plain)
        model.bfloat16().save_pretrained(half)
        del model

        def ours(where: Path) -> float:
            # Touch every weight: a mapped file is only read when it is looked at.
            return sum(float(p.sum()) for p in load_model(where).network.parameters())

        def theirs(where: Path) -> float:
            found = load_file(where / "model.safetensors")
            # All of them at once in float32, as a model is.
            found = {name: tensor.float() for name, tensor in found.items()}
            return sum(
                float(part.sum())
                for name, tensor in found.items()
                for part in (tensor.split(768, dim=-1) if "c_attn" in name else (tensor,))
            )

        repeats = 3 if quick else 11
        yield paired(
            "GPT-2-small, loaded and every weight read / safetensors alone, the same",
            lambda: ours(plain),
            lambda: theirs(plain),
            goal=1.2,
            repeats=repeats,
        )
        yield paired(
            "stored in bfloat16, loaded and read in float32 / safetensors alone, the same",
            lambda: ours(half),
            lambda: theirs(half),
            goal=1.2,
            repeats=repeats,
        )
        yield absolute(
            "GPT-2-small, loaded and nothing read: what is not the file's bytes",
            lambda: load_model(plain),
            goal_ms=10,
            repeats=4 * repeats,
        )
        if Path("/proc/self/clear_refs").exists():
            for where in (plain, half):
                yield _peak(where)


def _peak(where: Path) -> Row:
    """The most memory a process of its own takes, above what it had before, by the weights'."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(where)], capture_output=True, text=True, check=True
    )
    most, weights = (int(number) for number in re.findall(r"\d+", done.stdout))
    return Row(
        name=f"GPT-2-small stored in {where.name}, most memory / its weights in float32",
        ratio=most / weights,
        goal=1.3,
        detail=f"{most / 1e6:.0f} MB / {weights / 1e6:.0f} MB",
    )
