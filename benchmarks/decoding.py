"""A decoding step with everything captured, beside the reference's cached step without."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import torch

from benchmarks import models
from benchmarks.measure import Row, seconds
from benchmarks.models import Pair
from core.decoding import Decoding
from core.request import LAST, DecodeRequest


def rows(*, quick: bool = False) -> Iterator[Row]:
    pair = models.gpt2(positions=2048)
    yield _step(pair, prompt=128, steps=8 if quick else 64)
    if not quick:
        yield _growth(pair, 128, 1024, steps=24)


def _step(pair: Pair, *, prompt: int, steps: int) -> Row:
    """Step by step in turn, so that noise hits both."""
    from transformers import DynamicCache

    decoding = _start(pair, prompt, steps + 1)
    cache = DynamicCache(config=pair.reference.config)
    with torch.inference_mode():
        token = pair.reference(pair.ids(prompt), past_key_values=cache).logits[:, -1:].argmax(-1)

        def reference() -> None:
            nonlocal token
            out = pair.reference(token, past_key_values=cache, use_cache=True)
            token = out.logits[:, -1:].argmax(-1)

        decoding.step()
        mine, other = [], []
        for _ in range(steps):
            mine.append(seconds(decoding.step))
            other.append(seconds(reference))
    return Row(
        name=f"{pair.name}, a decoding step after {prompt} tokens, everything captured / "
        "transformers' cached step",
        ratio=statistics.median(a / b for a, b in zip(mine, other, strict=True)),
        goal=0.9,
        detail=f"{1000 * statistics.median(mine):.3g} / {1000 * statistics.median(other):.3g} ms",
    )


def _growth(pair: Pair, short: int, long: int, *, steps: int) -> Row:
    """The same step with a short and a long cache."""
    near, far = _start(pair, short, steps + 1), _start(pair, long, steps + 1)
    near.step(), far.step()
    close, distant = [], []
    for _ in range(steps):
        close.append(seconds(near.step))
        distant.append(seconds(far.step))
    return Row(
        name=f"{pair.name}, a decoding step at {long} cached tokens / at {short}",
        ratio=statistics.median(b / a for a, b in zip(close, distant, strict=True)),
        goal=1.6,
        detail=f"{1000 * statistics.median(distant):.3g} / "
        f"{1000 * statistics.median(close):.3g} ms",
    )


def _start(pair: Pair, prompt: int, steps: int) -> Decoding:
    request = DecodeRequest(run=pair.request(prompt, LAST), max_new_tokens=steps)
    return pair.ours.decoding(request)
