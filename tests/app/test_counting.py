"""One of something is written in the singular, wherever a model may have but one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.counting import counted
from app.selection import Selection
from app.views import ViewOptions, view
from core.model import Transformer
from core.random_models import VOCAB, byte_tokenizer
from core.request import RunRequest
from core.run import run
from core.spec import ModelSpec
from core.trace import Trace
from tests.app.driver import Opener
from tests.traces import attention, sentence, spec, stack

SMALL = {
    "model_type": "llama",
    "vocab_size": VOCAB,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
}


def test_one_and_several() -> None:
    assert [counted(n, "layer") for n in (0, 1, 2)] == ["0 layers", "1 layer", "2 layers"]
    assert counted(1, "query", "queries") == "1 query"
    assert counted(2, "query", "queries") == "2 queries"


@pytest.fixture(scope="module")
def small() -> Trace:
    """A decoder of one layer with one head."""
    whole: ModelSpec = spec("decoder")
    one_head = replace(attention(causal=True), heads=1, kv_heads=1)
    block = stack("decoder", "pre", self_attention=one_head).blocks[0]
    assert whole.decoder is not None
    made = replace(whole, decoder=replace(whole.decoder, blocks=(block,)))
    return run(Transformer(made).eval(), RunRequest(source=sentence(5)))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("all_heads", "1 layer × 1 head"),
        ("head_table", "1 head in"),
        ("hidden_states", "1 layer"),
        ("evolution", "1 layer"),
        ("lens", "1 layer"),
        ("heads", "1 × 1 head on"),
    ],
)
def test_a_view_of_one_layer_with_one_head(small: Trace, key: str, said: str) -> None:
    title = view(key).draw(small, Selection(stack="decoder"), ViewOptions()).title
    assert said in title and "1 layers" not in title and "1 heads" not in title


def test_the_header_of_one_layer_with_one_head(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    from transformers import AutoConfig, LlamaForCausalLM

    folder = tmp_path / "small"
    LlamaForCausalLM(AutoConfig.for_model(**SMALL)).save_pretrained(folder)
    byte_tokenizer(frame=False).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({}))
    app = open_app(str(folder))
    assert app.window.header.facts.text().startswith("Llama · 1 layer · 1 head · d = 16")
