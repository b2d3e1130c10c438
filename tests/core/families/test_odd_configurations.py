"""A configuration with any value out of place is read or refused in a sentence, never a crash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import CoreError
from core.families import families

ODD: tuple[object, ...] = (None, 0, -1, 1.5, 10**12, "", "odd", [], ["odd"], {}, {"odd": 1}, True)
KEYS = ("rope_parameters", "rope_scaling", "rope_theta", "layer_types", "head_dim", "id2label",
        "num_key_value_heads", "eos_token_id", "architectures", "sliding_window", "bad_words_ids",
        "pos_att_type", "feed_forward_proj", "dtype", "max_position_embeddings")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tiny"), [(f.name, f.tiny[0]) for f in families()], ids=[f.name for f in families()]
)
def test_one_value_out_of_place(name: str, tiny: Mapping[str, Any]) -> None:
    for key in {*tiny, *KEYS}:
        for value in ODD:
            try:
                describe(Config(dict(tiny) | {key: value}))
            except CoreError as error:
                text = str(error)
                assert "config.json" in text, f"{key}={value!r}: {text}"
                assert "\n" not in text
