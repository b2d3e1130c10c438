"""A width that its heads cannot share evenly is refused in the words of the configuration."""

from __future__ import annotations

import pytest

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import CheckpointError
from core.families import families

KEYS = "num_attention_heads n_head n_heads encoder_attention_heads decoder_attention_heads".split()
OWN_WIDTH = ("DeepSeek", "Gemma", "Llama", "Mistral", "Mixtral", "Phi-3", "Qwen", "T5")
"""How families begin whose heads are as wide as they say, whatever a layer's width."""
TINY = {f.name: dict(f.tiny[0]) for f in families() if not f.name.startswith(OWN_WIDTH)}


@pytest.mark.parametrize("name", TINY)
def test_heads_that_leave_a_rest_are_refused(name: str) -> None:
    config = TINY[name]
    stated = [key for key in KEYS if key in config]
    assert stated
    for key in stated:
        with pytest.raises(CheckpointError, match=r"a width of \d+ among 5 heads, which leaves a"):
            describe(Config(config | {key: 5}))
