"""Configurations as they were written years ago, when many keys had other names or none."""

from __future__ import annotations

from typing import Any

import pytest

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.errors import UnsupportedModel
from core.families import families
from core.spec import (
    LearnedPositions,
    ModelSpec,
    RelativeBuckets,
    RotaryPositions,
    SinusoidalPositions,
)

GPT2 = {
    "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "bos_token_id": 50256,
    "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12,
    "n_layer": 12, "n_positions": 1024, "resid_pdrop": 0.1, "vocab_size": 50257,
    "summary_type": "cls_index", "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
}  # fmt: skip
BERT = {
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02,
    "intermediate_size": 3072, "max_position_embeddings": 512, "num_attention_heads": 12,
    "num_hidden_layers": 12, "type_vocab_size": 2, "vocab_size": 30522,
}  # fmt: skip
DISTILBERT = {
    "activation": "gelu", "architectures": ["DistilBertForMaskedLM"], "attention_dropout": 0.1,
    "dim": 768, "dropout": 0.1, "hidden_dim": 3072, "max_position_embeddings": 512,
    "model_type": "distilbert", "n_heads": 12, "n_layers": 6, "pad_token_id": 0,
    "sinusoidal_pos_embds": False, "tie_weights_": True, "vocab_size": 30522,
}  # fmt: skip
T5 = {
    "architectures": ["T5WithLMHeadModel"], "d_ff": 2048, "d_kv": 64, "d_model": 512,
    "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1,
    "is_encoder_decoder": True, "layer_norm_epsilon": 1e-06, "model_type": "t5", "n_positions": 512,
    "num_heads": 8, "num_layers": 6, "output_past": True, "pad_token_id": 0,
    "relative_attention_num_buckets": 32, "vocab_size": 32128,
}  # fmt: skip
_BART = {
    "activation_dropout": 0.0, "attention_dropout": 0.0, "d_model": 1024,
    "decoder_attention_heads": 16, "decoder_ffn_dim": 4096, "decoder_layerdrop": 0.0,
    "decoder_layers": 12, "dropout": 0.1, "encoder_attention_heads": 16, "encoder_ffn_dim": 4096,
    "encoder_layers": 12, "init_std": 0.02, "is_encoder_decoder": True, "num_hidden_layers": 12,
    "max_position_embeddings": 1024,
}  # fmt: skip
BART = _BART | {
    "activation_function": "gelu", "add_bias_logits": False, "add_final_layer_norm": False,
    "architectures": ["BartForConditionalGeneration"], "bos_token_id": 0, "eos_token_id": 2,
    "decoder_start_token_id": 2, "extra_pos_embeddings": 2, "force_bos_token_to_be_generated": True,
    "model_type": "bart", "normalize_before": False, "normalize_embedding": True, "pad_token_id": 1,
    "scale_embedding": False, "static_position_embeddings": False, "vocab_size": 50264,
}  # fmt: skip
MBART = _BART | {
    "activation_function": "gelu", "add_final_layer_norm": True, "bos_token_id": 0,
    "architectures": ["MBartForConditionalGeneration"], "decoder_start_token_id": 250020,
    "eos_token_id": 2, "extra_pos_embeddings": 2, "model_type": "mbart", "normalize_before": True,
    "normalize_embedding": True, "pad_token_id": 1, "scale_embedding": True,
    "static_position_embeddings": False, "vocab_size": 250027,
}  # fmt: skip
MARIAN = _BART | {
    "activation_function": "swish", "add_bias_logits": False, "add_final_layer_norm": False,
    "architectures": ["MarianMTModel"], "bad_words_ids": [[58100]], "bos_token_id": 0,
    "decoder_start_token_id": 58100, "eos_token_id": 0, "extra_pos_embeddings": 58101,
    "max_position_embeddings": 512, "model_type": "marian", "normalize_before": False,
    "normalize_embedding": False, "num_beams": 6, "pad_token_id": 58100, "scale_embedding": True,
    "static_position_embeddings": True, "vocab_size": 58101, "d_model": 512,
    "encoder_attention_heads": 8, "decoder_attention_heads": 8, "encoder_layers": 6,
    "decoder_layers": 6,
}  # fmt: skip
PEGASUS = _BART | {
    "activation_function": "relu", "add_bias_logits": False, "add_final_layer_norm": True,
    "architectures": ["PegasusForConditionalGeneration"], "bos_token_id": 0, "eos_token_id": 1,
    "decoder_start_token_id": 0, "extra_pos_embeddings": 1,
    "max_position_embeddings": 512, "model_type": "pegasus", "normalize_before": True,
    "normalize_embedding": False, "pad_token_id": 0, "scale_embedding": True,
    "static_position_embeddings": True, "vocab_size": 96103,
}  # fmt: skip
LLAMA = {
    "architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 11008, "max_position_embeddings": 2048, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 32, "pad_token_id": 0, "rms_norm_eps": 1e-06,
    "tie_word_embeddings": False, "torch_dtype": "float16", "use_cache": True, "vocab_size": 32000,
}  # fmt: skip
PYTHIA = {
    "architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0,
    "hidden_act": "gelu", "hidden_size": 512, "initializer_range": 0.02, "intermediate_size": 2048,
    "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "model_type": "gpt_neox",
    "num_attention_heads": 8, "num_hidden_layers": 6, "rotary_emb_base": 10000, "rotary_pct": 0.25,
    "tie_word_embeddings": False, "torch_dtype": "float16", "use_cache": True,
    "use_parallel_residual": True, "vocab_size": 50304,
}  # fmt: skip


def read(values: dict[str, Any]) -> ModelSpec:
    return describe(Config(values))


def test_gpt2() -> None:
    spec = read(GPT2)
    assert spec.decoder is not None
    assert (spec.decoder.layers, spec.decoder.d_model, spec.decoder.max_positions) == (
        12,
        768,
        1024,
    )
    assert spec.decoder.blocks[0].feedforward.d_ff == 3072
    assert spec.decoder.blocks[0].feedforward.activation == "gelu_tanh"
    assert spec.special.end == (50256,)
    assert spec.heads.vocab is not None
    assert spec.heads.vocab.tied


def test_bert_without_a_model_type() -> None:
    spec = read(BERT)
    assert spec.family == "BERT"
    assert spec.encoder is not None
    assert spec.encoder.blocks[0].norm.eps == 1e-12
    assert spec.special.pad == 0


def test_distilbert() -> None:
    spec = read(DISTILBERT)
    assert spec.encoder is not None
    assert spec.encoder.layers == 6
    assert spec.encoder.embedding.segments == 0


def test_t5() -> None:
    spec = read(T5)
    assert spec.decoder is not None
    where = spec.decoder.blocks[0].attention.positions
    assert where == RelativeBuckets(buckets=32, max_distance=128, bidirectional=False)
    assert not spec.decoder.blocks[0].feedforward.gated
    assert spec.heads.vocab is not None
    assert spec.heads.vocab.scale == 512**-0.5


@pytest.mark.parametrize(
    ("config", "residual", "positions", "embedding_norm", "final_norm"),
    [
        (BART, "post", LearnedPositions(size=1026, offset=2), True, False),
        (MBART, "pre", LearnedPositions(size=1026, offset=2), True, True),
        (MARIAN, "post", SinusoidalPositions(size=512, interleaved=False), False, False),
        (PEGASUS, "pre", SinusoidalPositions(size=512, interleaved=False), False, True),
    ],
    ids=["BART", "mBART", "Marian", "Pegasus"],
)
def test_the_four_of_one_form(
    config: dict[str, Any],
    residual: str,
    positions: object,
    embedding_norm: bool,
    final_norm: bool,
) -> None:
    """What these keys said in words is now said by the model_type alone."""
    spec = read(config)
    for stack in spec.stacks:
        assert stack.blocks[0].residual == residual
        assert stack.embedding.positions == positions
        assert (stack.embedding.norm is not None) == embedding_norm
        assert (stack.final_norm is not None) == final_norm
        scale = config["d_model"] ** 0.5 if config["scale_embedding"] else 1.0
        assert stack.embedding.scale == scale
    assert spec.special.decoder_start == config["decoder_start_token_id"]
    forced = config.get("force_bos_token_to_be_generated", False)
    assert spec.special.forced_first == (config["bos_token_id"] if forced else None)
    if "bad_words_ids" in config:
        assert spec.special.suppressed == (58100,)


def test_llama_of_the_first_year() -> None:
    """No heads for keys and values, no base, no scaling."""
    spec = read(LLAMA)
    assert spec.decoder is not None
    attention = spec.decoder.blocks[0].attention
    assert (attention.heads, attention.kv_heads, attention.d_head) == (32, 32, 128)
    assert attention.positions == RotaryPositions(theta=10000.0, d_rotary=128)


def test_pythia() -> None:
    spec = read(PYTHIA)
    assert spec.decoder is not None
    assert spec.decoder.blocks[0].attention.positions == RotaryPositions(theta=10000.0, d_rotary=16)
    assert spec.decoder.blocks[0].residual == "parallel"
    assert spec.special.end == (0,)


def test_every_family_has_its_own_model_types() -> None:
    types = [key for family in families() for key in family.model_types]
    assert len(types) == len(set(types))
    classes = [name for family in families() for name in family.model_types.values()]
    assert len(classes) == len(set(classes))


def test_an_unknown_one_names_all_that_are_supported() -> None:
    with pytest.raises(UnsupportedModel) as caught:
        read({"model_type": "rwkv"})
    for family in families():
        for key in family.model_types:
            assert key in str(caught.value)


@pytest.mark.parametrize(
    ("family", "said", "words"),
    [
        ("DeBERTa-v2", {"conv_kernel_size": 3, "conv_act": "gelu"}, "convolution"),
        ("DeBERTa", {"talking_head": True}, "sets talking_head to True"),
    ],
)
def test_what_the_debertas_may_ask_for_besides(
    family: str, said: dict[str, Any], words: str
) -> None:
    tiny = next(f.tiny[0] for f in families() if f.name == family)
    with pytest.raises(UnsupportedModel, match=words):
        read(dict(tiny) | said)
