"""Models of well-known shapes with random weights, the same ones in transformers and here."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from core import LoadedModel, load_model
from core.request import RunRequest
from core.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pair:
    """One set of weights in the reference and in the project."""

    name: str
    reference: Any
    ours: LoadedModel

    @property
    def stack(self) -> str:
        return self.ours.spec.main_stack.name

    def ids(self, count: int) -> torch.Tensor:
        """[1, count] random ids."""
        generator = torch.Generator().manual_seed(count)
        vocab = self.ours.spec.main_stack.embedding.vocab
        return torch.randint(0, vocab, (1, count), generator=generator)

    def request(self, count: int, wants: str | None) -> RunRequest:
        tokens = Tokens.of_ids(self.ids(count)[0].tolist())
        return RunRequest(source=tokens, wants=frozenset({wants} if wants else ()))


def gpt2(positions: int = 1024) -> Pair:
    """GPT-2-small: 12 layers of 12 heads, 768 wide, 50,257 words."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return _pair("GPT-2-small", GPT2LMHeadModel, GPT2Config(n_positions=positions))


def bert() -> Pair:
    """BERT-base: 12 layers of 12 heads, 768 wide, 30,522 words."""
    from transformers import BertConfig, BertForMaskedLM

    return _pair("BERT-base", BertForMaskedLM, BertConfig())


def _pair(name: str, make: Any, config: Any) -> Pair:
    torch.manual_seed(0)
    reference = make(config).eval()
    with tempfile.TemporaryDirectory() as folder:
        reference.save_pretrained(folder)
        # Kept mapped after the folder is gone; systems that forbid this copy on load.
        ours = load_model(Path(folder))
    return Pair(name=name, reference=reference, ours=ours)
