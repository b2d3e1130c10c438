"""T5 (Raffel et al. 2020): v1.0, v1.1 and Flan, and mT5."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, alias, leave, rename
from core.families.activations import ACTIVATIONS
from core.families.bart import CLASSES, classes, start
from core.families.family import Family
from core.families.llama import VALUE_HEAD
from core.families.windows import decoder_attention
from core.spec import (
    Activation,
    AttentionSpec,
    BlockSpec,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    ModelSpec,
    NormSpec,
    RelativeBuckets,
    SpecialIds,
    StackName,
    StackSpec,
    VocabHead,
)


def spec(config: Config) -> ModelSpec:
    """Pre-norm RMSNorm stacks with one relative bias a stack and unscaled scores."""
    alone = config.architecture.endswith(("EncoderModel", "ForTokenClassification"))
    if alone:
        config.refuse("is_decoder", default=False)
    else:
        config.refuse("is_encoder_decoder", True, default=True)
    labelled = classes(config)
    vocab, d_model = config.size("vocab_size"), config.size("hidden_size", "d_model")
    return ModelSpec(
        family="T5",
        name=config.path.parent.name,
        encoder=_stack(config, "encoder", config.size("num_hidden_layers", "num_layers")),
        decoder=None
        if alone
        else _stack(
            config,
            "decoder",
            # The general spelling is of the encoder's alone.
            config.size("num_decoder_layers", "num_layers", default=8 if _is_mt5(config) else 6),
        ),
        heads=Heads(classes=labelled)
        if alone or labelled is not None
        else Heads(
            vocab=VocabHead(
                vocab=vocab,
                tied=True,  # tie_word_embeddings is about the scale alone
                scale=d_model**-0.5 if _scales_output(config) else 1.0,
            )
        ),
        special=SpecialIds(
            pad=config.token("pad_token_id", default=0),
            decoder_start=start(config, default=config.token("pad_token_id", default=0)),
            end=config.tokens("eos_token_id"),
        ),
        shared_embedding=not alone,
    )


def _is_mt5(config: Config) -> bool:
    return config.get("model_type") == "mt5"


def _scales_output(config: Config) -> bool:
    """T5 v1.0 scales the state before the tied matrix; v1.1 and mT5 do not.

    transformers 5 writes the answer down; before, an untied head meant no.
    """
    if _is_mt5(config):
        return False
    tied = config.flag("tie_word_embeddings", default=True)
    return config.flag("scale_decoder_outputs", default=tied, null=False)


def _stack(config: Config, name: StackName, layers: int) -> StackSpec:
    d_model = config.size("hidden_size", "d_model")
    heads = config.size("num_attention_heads", "num_heads")
    activation, gated = _feedforward(config)
    norm = NormSpec(kind="rms", eps=config.number("layer_norm_epsilon", default=1e-6), bias=False)
    plain = AttentionSpec(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        d_head=config.size("head_dim", "d_kv"),
        qkv_bias=False,
        out_bias=False,
        scale=1.0,
    )
    block = BlockSpec(
        attention=replace(
            decoder_attention(config, plain) if name == "decoder" else plain,
            positions=RelativeBuckets(
                buckets=config.size("relative_attention_num_buckets", default=32),
                max_distance=config.size("relative_attention_max_distance", default=128),
                bidirectional=name == "encoder",
            ),
        ),
        cross=plain if name == "decoder" else None,
        feedforward=FeedForwardSpec(
            d_model=d_model,
            d_ff=config.size("d_ff"),
            activation=activation,
            gated=gated,
            bias=False,
        ),
        norm=norm,
        residual="pre",
    )
    return StackSpec(
        name=name,
        embedding=EmbeddingSpec(vocab=config.size("vocab_size"), d_model=d_model),
        blocks=(block,) * layers,
        final_norm=norm,
    )


def _feedforward(config: Config) -> tuple[Activation, bool]:
    """(activation, gated) from "relu" or "gated-gelu", where the gated GELU is the tanh form. What
    `dense_act_fn` and `is_gated_act` say counts before it."""
    default = "gated-gelu" if _is_mt5(config) else "relu"
    words = str(config.read("feed_forward_proj", default=default))
    gated = config.flag("is_gated_act", default=words.startswith("gated-"))
    if config.read("dense_act_fn") is not None:
        stated: Activation = config.choice("dense_act_fn", ACTIVATIONS)
        return stated, gated
    if words == "gated-gelu":
        return "gelu_tanh", gated
    found: Activation = Config(
        {"feed_forward_proj": words.removeprefix("gated-")}, config.path
    ).choice("feed_forward_proj", ACTIVATIONS)
    return found, gated


def _stack_rules(name: str, feedforward: int) -> tuple[Rule, ...]:
    """feedforward: which sublayer of a block it is."""
    theirs, ours = f"{name}.block.{{i}}.layer", f"{name}.blocks.{{i}}"
    last = f"{theirs}.{feedforward}"
    rules = [
        alias(f"{name}.embed_tokens.weight", "encoder.embedding.token.weight"),
        rename(
            f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            f"{name}.bias.weight",
        ),
        *_attention(f"{theirs}.0.SelfAttention", f"{ours}.attention"),
        rename(f"{theirs}.0.layer_norm.weight", f"{ours}.residual.self.norm.weight"),
        rename(f"{last}.DenseReluDense.wi.weight", f"{ours}.feedforward.inner.weight"),
        rename(f"{last}.DenseReluDense.wi_0.weight", f"{ours}.feedforward.gate.weight"),
        rename(f"{last}.DenseReluDense.wi_1.weight", f"{ours}.feedforward.inner.weight"),
        rename(f"{last}.DenseReluDense.wo.weight", f"{ours}.feedforward.out.weight"),
        rename(f"{last}.layer_norm.weight", f"{ours}.residual.ffn.norm.weight"),
        rename(f"{name}.final_layer_norm.weight", f"{name}.final_norm.weight"),
    ]
    if name == "decoder":
        rules += [
            # Old files hold a table here that no version of the model ever read.
            leave(f"{theirs}.1.EncDecAttention.relative_attention_bias.weight"),
            *_attention(f"{theirs}.1.EncDecAttention", f"{ours}.cross"),
            rename(f"{theirs}.1.layer_norm.weight", f"{ours}.residual.cross.norm.weight"),
        ]
    return tuple(rules)


def _attention(theirs: str, ours: str) -> tuple[Rule, ...]:
    return (
        rename(f"{theirs}.q.weight", f"{ours}.q.weight"),
        rename(f"{theirs}.k.weight", f"{ours}.k.weight"),
        rename(f"{theirs}.v.weight", f"{ours}.v.weight"),
        rename(f"{theirs}.o.weight", f"{ours}.out.weight"),
    )


RULES: tuple[Rule, ...] = (
    rename("shared.weight", "encoder.embedding.token.weight"),
    *_stack_rules("encoder", 1),
    *_stack_rules("decoder", 2),
    *CLASSES,
    leave("classifier.*", "a classifier of tokens"),
    leave("qa_outputs.*", "a question-answering head"),
    VALUE_HEAD,
    rename("lm_head.weight", "heads.vocab.weight.weight"),
)

_TINY = {
    "vocab_size": 99,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 3,
    "num_decoder_layers": 2,
    "num_heads": 4,
    "decoder_start_token_id": 0,
}
_T5 = _TINY | {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}

FAMILY = Family(
    name="T5",
    model_types={"t5": "T5", "mt5": "MT5"},
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("transformer.",),
    tiny=(
        _T5,
        _T5 | {"tie_word_embeddings": False, "feed_forward_proj": "gated-gelu"},
        _TINY
        | {
            "model_type": "mt5",
            "architectures": ["MT5ForConditionalGeneration"],
            "feed_forward_proj": "gated-gelu",
        },
        _T5 | {"architectures": ["T5EncoderModel"], "is_encoder_decoder": False},
    ),
)
