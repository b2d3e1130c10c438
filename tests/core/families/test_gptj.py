"""GPT-J: as its first configuration and file state it, what is refused, and faults that show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors.torch import load_file, save_file

from core import load_model
from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import CoreError
from core.families import gptj
from core.spec import BlockSpec, RotaryPositions
from tests.core.families import reference
from tests.core.families.conftest import Build, trace
from tests.core.families.test_mutations import rebuilt
from tests.core.families.test_parity import compare, everything

TINY = dict(gptj.FAMILY.tiny[0])
IDS = [(7 * i) % 80 + 5 for i in range(20)]
OLD = {
    "activation_function": "gelu_new", "architectures": ["GPTJForCausalLM"], "attn_pdrop": 0.0,
    "bos_token_id": 50256, "embd_pdrop": 0.0, "eos_token_id": 50256,
    "gradient_checkpointing": False, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
    "model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_inner": None, "n_layer": 28,
    "n_positions": 2048, "resid_pdrop": 0.0, "rotary": True, "rotary_dim": 64,
    "scale_attn_weights": True, "summary_type": "cls_index", "summary_use_proj": True,
    "tie_word_embeddings": False, "tokenizer_class": "GPT2Tokenizer", "use_cache": True,
    "vocab_size": 50400,
}  # fmt: skip
"""As GPT-J-6B states itself."""


def test_as_it_was_written_at_first() -> None:
    spec = describe(Config(OLD))
    assert spec.decoder is not None
    assert (spec.decoder.layers, spec.decoder.max_positions) == (28, 2048)
    block = spec.decoder.blocks[0]
    assert (block.attention.heads, block.attention.d_head) == (16, 256)
    where = RotaryPositions(theta=10000.0, d_rotary=64, interleaved=True)
    assert block.attention.positions == where
    assert (block.residual, block.shared_norm) == ("parallel", True)
    assert block.feedforward.d_ff == 16384
    assert spec.heads.vocab is not None
    assert (spec.heads.vocab.tied, spec.heads.vocab.bias) == (False, True)
    assert spec.notes == ()


def test_of_two_spellings_the_reference_s_choice_counts() -> None:
    from transformers import GPTJConfig

    values = TINY | {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    found, theirs = describe(Config(values)).main_stack, GPTJConfig(**values)
    assert found.d_model == theirs.n_embd
    assert found.layers == theirs.n_layer
    assert found.blocks[0].attention.heads == theirs.n_head


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"rotary_dim": None}, "rotary_dim to null; supported is an even number up to a head's 16"),
        ({"rotary_dim": 5}, "rotary_dim is 5; it must be an even number up to a head's 16"),
        ({"rotary_dim": 18}, "rotary_dim is 18; it must be an even number"),
        ({"n_head": 5}, "divides a width of 32 among 5 heads"),
    ],
)
def test_what_the_reference_cannot_compute_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(CoreError, match=words):
        describe(Config(TINY | said))
    with pytest.raises((RuntimeError, ValueError, StrictDataclassError)):
        reference.ask(reference.make(TINY | said), IDS)


def test_an_old_file_with_its_masks(tmp_path: Path) -> None:
    """In half precision, as the first one was; the masks it keeps are not needed."""
    from transformers import GPTJForCausalLM

    file = reference.save(reference.make(TINY).half(), tmp_path) / "model.safetensors"
    masks: dict[str, torch.Tensor] = {}
    for layer in range(3):
        masks[f"transformer.h.{layer}.attn.bias"] = torch.ones(1, 1, 64, 64).tril().bool()
        masks[f"transformer.h.{layer}.attn.masked_bias"] = torch.tensor(-1e9)
    save_file(load_file(file) | masks, file)
    loaded = load_model(tmp_path)
    assert not any("attn" in note for note in loaded.spec.notes)
    assert loaded.spec.dtype == "float16"
    kept = {"dtype": torch.float32, "attn_implementation": "eager"}
    theirs = reference.ask(GPTJForCausalLM.from_pretrained(tmp_path, **kept).eval(), IDS)
    compare(trace(loaded.network, IDS), theirs, {"decoder": slice(None)})


def test_a_bare_model_has_no_words(tmp_path: Path) -> None:
    folder = reference.save(reference.make(TINY | {"architectures": ["GPTJModel"]}), tmp_path)
    assert load_model(folder).spec.heads.vocab is None


def turned(**changes: Any) -> Callable[[BlockSpec], BlockSpec]:
    def change(block: BlockSpec) -> BlockSpec:
        assert isinstance(block.attention.positions, RotaryPositions)
        where = replace(block.attention.positions, **changes)
        return replace(block, attention=replace(block.attention, positions=where))

    return change


FAULTS: dict[str, Callable[[BlockSpec], BlockSpec]] = {
    "halves turn instead of neighbours": turned(interleaved=False),
    "more of the head turns": turned(d_rotary=8),
    "the exact GELU": lambda b: replace(b, feedforward=replace(b.feedforward, activation="gelu")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_show(build: Build, fault: str) -> None:
    case = build(TINY)
    theirs = reference.ask(case.model, IDS)
    compare(trace(case.network, IDS), theirs, everything(case))
    wrong = trace(rebuilt(case.network, FAULTS[fault]), IDS)
    assert (wrong.logits - theirs.heads["vocab"]).abs().max() > 1e-3
