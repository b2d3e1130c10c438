"""Texts as token ids end to end in one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLists:
    """ids [token] of all texts; starts [text + 1]; labels [text] where there are any."""

    ids: NDArray[np.uint16]
    starts: NDArray[np.int64]
    labels: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[int]:
        found: list[int] = self.ids[self.starts[index] : self.starts[index + 1]].tolist()
        return found


def load_lists(path: Path) -> TokenLists:
    """Read one .npz of `save_lists`."""
    with np.load(path) as kept:
        labels = kept.get("labels")
        return TokenLists(ids=kept["ids"], starts=kept["starts"], labels=labels)


def save_lists(
    path: Path, tokenizer: Tokenizer, texts: Iterable[str], *, labels: list[int] | None = None
) -> None:
    """Token ids of all texts end to end, and where each text starts (one more than texts)."""
    encoded = [e.ids for e in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
    starts = np.cumsum([0] + [len(ids) for ids in encoded])
    flat_ids = np.array([i for ids in encoded for i in ids], dtype=np.uint16)
    if labels is None:
        np.savez(path, ids=flat_ids, starts=starts)
    else:
        np.savez(path, ids=flat_ids, starts=starts, labels=np.array(labels, dtype=np.int64))
    print(f"{path.name}: {len(encoded)} texts, {len(flat_ids)} tokens", flush=True)


def listed(texts: list[list[int]]) -> TokenLists:
    """The same from lists of ids."""
    starts = np.cumsum([0] + [len(ids) for ids in texts])
    return TokenLists(
        ids=np.array([i for ids in texts for i in ids], dtype=np.uint16),
        starts=starts,
        labels=None,
    )
