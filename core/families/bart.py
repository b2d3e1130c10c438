"""BART (Lewis et al. 2020). `spec_of` and `rules` are what mBART, Marian and Pegasus share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.checkpoints.changes import Row
from core.checkpoints.config import Config
from core.checkpoints.convert import Matched, Rule, alias, fused, leave, rename, spare
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.families.head_width import head_width
from core.families.llama import VALUE_HEAD
from core.families.windows import decoder_attention
from core.spec import (
    AttentionSpec,
    BlockSpec,
    ClassHead,
    EmbeddedPositions,
    EmbeddingSpec,
    FeedForwardSpec,
    Heads,
    LearnedPositions,
    ModelSpec,
    NormSpec,
    ResidualKind,
    SpecialIds,
    StackName,
    StackSpec,
    VocabHead,
)

OFFSET = 2
"""The position tables of BART start with two rows that are never used."""


def spec(config: Config) -> ModelSpec:
    """Post-norm encoder and decoder with learned positions and normalised embeddings."""
    config.refuse("normalize_before", default=False)
    config.refuse("add_final_layer_norm", default=False)
    config.refuse("static_position_embeddings", default=False)
    return spec_of(config, "BART", residual="post", positions=learned(config))


def learned(config: Config) -> LearnedPositions:
    return LearnedPositions(size=config.size("max_position_embeddings") + OFFSET, offset=OFFSET)


def spec_of(
    config: Config,
    family: str,
    *,
    residual: ResidualKind,
    positions: EmbeddedPositions,
    embedding_norm: bool = True,
    final_norm: bool = False,
    scaled: bool = False,
    target_vocab: int | None = None,
) -> ModelSpec:
    """scaled: whether embeddings are multiplied by √d_model where the configuration is silent.
    target_vocab: entries of the decoder's table, where it does not read the encoder's; nor does it
    where the matrices are untied and the file holds both."""
    config.refuse("is_encoder_decoder", True, default=True)
    norm = NormSpec()
    vocab = config.size("vocab_size")
    output = vocab if target_vocab is None else target_vocab

    def stack(name: StackName) -> StackSpec:
        def own(general: str) -> tuple[str, ...]:
            """The general spelling stands for the encoder's key, and counts before it."""
            return (general,) if name == "encoder" else ()

        d_model = config.size("hidden_size", "d_model")
        heads = config.size(*own("num_attention_heads"), f"{name}_attention_heads")
        plain = AttentionSpec(
            d_model=d_model, heads=heads, kv_heads=heads, d_head=head_width(config, d_model, heads)
        )
        block = BlockSpec(
            attention=decoder_attention(config, plain) if name == "decoder" else plain,
            cross=plain if name == "decoder" else None,
            feedforward=FeedForwardSpec(
                d_model=d_model,
                d_ff=config.size(f"{name}_ffn_dim"),
                activation=config.choice("activation_function", ACTIVATIONS, default="gelu"),
            ),
            norm=norm,
            residual=residual,
        )
        return StackSpec(
            name=name,
            embedding=EmbeddingSpec(
                vocab=output if name == "decoder" else vocab,
                d_model=d_model,
                positions=positions,
                scale=d_model**0.5 if config.flag("scale_embedding", default=scaled) else 1.0,
                norm=norm if embedding_norm else None,
            ),
            blocks=(block,) * config.size(*own("num_hidden_layers"), f"{name}_layers"),
            final_norm=norm if final_norm else None,
            max_positions=positions.size - positions.offset,
        )

    end = config.tokens("eos_token_id")
    labelled = classes(config)
    return ModelSpec(
        family=family,
        name=config.path.parent.name,
        encoder=stack("encoder"),
        decoder=stack("decoder"),
        heads=Heads(
            vocab=VocabHead(
                vocab=output,
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
            )
            if labelled is None
            else None,
            classes=labelled,
        ),
        special=SpecialIds(
            pad=config.token("pad_token_id", default=1),
            decoder_start=start(config, default=end[0] if end else None),
            end=end,
        ),
        shared_embedding=target_vocab is None and config.flag("tie_word_embeddings", default=True),
    )


def start(config: Config, *, default: int | None) -> int | None:
    """The decoder's first token. Where none is named the reference begins what it writes with the
    beginning of sentence, but not a text that is only judged."""
    instead = ("bos_token_id",) if classes(config) is None else ()
    return config.token("decoder_start_token_id", *instead, default=default)


def classes(config: Config) -> ClassHead | None:
    """Classes of the text the decoder has read again, from its end; only where it is said so."""
    if not config.architecture.endswith("ForSequenceClassification"):
        return None
    return ClassHead(labels=config.labels, pooler="inner", of="last")


def adapt(spec: ModelSpec, found: Matched) -> ModelSpec:
    """Without final_logits_bias the logits have no bias: it is a constant, zero unless stored. And
    files from before transformers 5 hold one table even where the matrices are untied."""
    alone = any(move.source.endswith("shared.weight") for move in found.moves)
    if alone and "decoder.embedding.token.weight" not in found.targets and _alike(spec):
        spec = replace(spec, shared_embedding=True)
    if spec.heads.vocab is None or "heads.vocab.bias" in found.targets:
        return spec
    return replace(spec, heads=replace(spec.heads, vocab=replace(spec.heads.vocab, bias=False)))


def _alike(spec: ModelSpec) -> bool:
    return len({stack.embedding.vocab for stack in spec.stacks}) == 1


def _stack_rules(name: str) -> tuple[Rule, ...]:
    theirs, ours = f"{name}.layers.{{i}}", f"{name}.blocks.{{i}}"
    return (
        rename(f"{name}.embed_positions.weight", f"{name}.embedding.position.weight"),
        rename(f"{name}.layernorm_embedding.*", f"{name}.embedding.norm.*"),
        *attention_rules(f"{theirs}.self_attn", f"{ours}.attention"),
        rename(f"{theirs}.self_attn_layer_norm.*", f"{ours}.residual.self.norm.*"),
        *attention_rules(f"{theirs}.encoder_attn", f"{ours}.cross"),
        rename(f"{theirs}.encoder_attn_layer_norm.*", f"{ours}.residual.cross.norm.*"),
        rename(f"{theirs}.fc1.*", f"{ours}.feedforward.inner.*"),
        rename(f"{theirs}.fc2.*", f"{ours}.feedforward.out.*"),
        rename(f"{theirs}.final_layer_norm.*", f"{ours}.residual.ffn.norm.*"),
        rename(f"{name}.layer_norm.*", f"{name}.final_norm.*"),
    )


def attention_rules(theirs: str, ours: str) -> tuple[Rule, ...]:
    """q_proj, k_proj, v_proj, out_proj."""
    return (
        rename(f"{theirs}.q_proj.*", f"{ours}.q.*"),
        rename(f"{theirs}.k_proj.*", f"{ours}.k.*"),
        rename(f"{theirs}.v_proj.*", f"{ours}.v.*"),
        rename(f"{theirs}.out_proj.*", f"{ours}.out.*"),
    )


CLASSES: tuple[Rule, ...] = (
    rename("classification_head.dense.*", "heads.classes.dense.*"),
    rename("classification_head.out_proj.*", "heads.classes.out.*"),
)

_ONE_TABLE: tuple[Rule, ...] = (
    rename("shared.weight", "encoder.embedding.token.weight"),
    alias("encoder.embed_tokens.weight", "encoder.embedding.token.weight"),
    alias("decoder.embed_tokens.weight", "encoder.embedding.token.weight"),
)
_TWO_TABLES: tuple[Rule, ...] = (
    rename("encoder.embed_tokens.weight", "encoder.embedding.token.weight"),
    rename("decoder.embed_tokens.weight", "decoder.embedding.token.weight"),
    spare("shared.weight", "encoder.embedding.token.weight"),
)

_RULES: tuple[Rule, ...] = (
    *_stack_rules("encoder"),
    *_stack_rules("decoder"),
    rename("lm_head.weight", "heads.vocab.weight.weight"),
    fused("final_logits_bias", "heads.vocab.bias", change=Row()),
    *CLASSES,
    leave("qa_outputs.*", "a question-answering head"),
    VALUE_HEAD,
    leave("encoder.version"),  # of the program that wrote old files
    leave("decoder.version"),
)


def rules(spec: ModelSpec) -> Sequence[Rule]:
    return (*(_ONE_TABLE if spec.shared_embedding else _TWO_TABLES), *_RULES)


TINY = {
    "vocab_size": 99,
    "d_model": 32,
    "encoder_layers": 3,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 64,
}

FAMILY = Family(
    name="BART",
    model_types={"bart": "Bart"},
    spec=spec,
    rules=rules,
    prefixes=("model.",),
    adapt=adapt,
    tiny=(
        TINY
        | {
            "model_type": "bart",
            "architectures": ["BartForConditionalGeneration"],
            "decoder_start_token_id": 2,
            "forced_bos_token_id": 0,
            "scale_embedding": True,
        },
        TINY | {"model_type": "bart", "architectures": ["BartModel"]},
    ),
)
