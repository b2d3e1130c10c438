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
    """One set of weights in the reference, in the project, and in a checkpoint folder."""

    name: str
    reference: Any
    ours: LoadedModel
    folder: tempfile.TemporaryDirectory[str]

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
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    reference.save_pretrained(folder.name)
    ours = load_model(Path(folder.name))
    return Pair(name=name, reference=reference, ours=ours, folder=folder)


def transformer_lens(pair: Pair) -> Any:
    """The same weights in TransformerLens (4.x), or None where that package is not installed."""
    try:
        from transformer_lens.model_bridge import TransformerBridge
    except ImportError:
        return None
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    # It wants a tokenizer in the folder, though it is given ids; any will do.
    words = Tokenizer(models.WordLevel({"a": 0, "<end>": 1}, unk_token="a"))
    ends = dict.fromkeys(("bos_token", "eos_token", "pad_token"), "<end>")
    PreTrainedTokenizerFast(tokenizer_object=words, **ends).save_pretrained(pair.folder.name)
    return TransformerBridge.boot_transformers(pair.folder.name, device="cpu", dtype=torch.float32)
