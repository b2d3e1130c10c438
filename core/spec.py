"""What a model *is*: frozen descriptions, without torch.

A `ModelSpec` holds everything needed to build the network and to explain it on screen. A family
file (`core/families/`) turns a checkpoint's configuration into one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Literal

NormKind = Literal["layer", "rms"]
Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "quick_gelu", "relu_squared"]
ResidualKind = Literal["post", "pre", "parallel", "joint", "sandwich"]
StackName = Literal["encoder", "decoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormSpec:
    """A normalisation over `d_model` (or `d_head` for query/key norms).

    kind: "layer" subtracts the mean and divides by the standard deviation; "rms" divides by the
    root mean square only. unit_offset: the weight is stored as w and applied as 1 + w (Gemma).
    """

    kind: NormKind = "layer"
    eps: float = 1e-5
    bias: bool = True
    weight: bool = True
    unit_offset: bool = False


# --- positions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedPositions:
    """A trained table added to the token embedding. offset: first row used (BART 2, RoBERTa 2)."""

    size: int
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SinusoidalPositions:
    """The fixed table of Vaswani et al. 2017, section 3.5.

    interleaved: sin and cos alternate (the paper); otherwise all sines, then all cosines (Marian).
    """

    size: int
    interleaved: bool = True
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaryScaling:
    """How rotary frequencies are stretched for contexts longer than in training."""

    kind: Literal["linear", "dynamic", "llama3", "yarn", "longrope"]
    factor: float
    original_size: int
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True
    short_factor: tuple[float, ...] = ()
    long_factor: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaryPositions:
    """Rotation of query and key (Su et al. 2021). d_rotary: how many coordinates turn.

    interleaved: pairs are (0, 1), (2, 3) …; otherwise (0, d/2), (1, d/2 + 1) … (Llama in
    Hugging Face layout).
    """

    theta: float
    d_rotary: int
    interleaved: bool = False
    scaling: RotaryScaling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeBuckets:
    """T5's learned bias for each head and bucketed distance (Raffel et al. 2020, section 2.1)."""

    buckets: int
    max_distance: int
    bidirectional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlibiPositions:
    """A fixed slope for each head times the distance (Press et al. 2022)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisentangledPositions:
    """DeBERTa's vectors for distances, which query and key attend to (He et al. 2021).

    buckets: 0 for one vector a distance. terms: "c2p" (query to distance), "p2c" (key to distance).
    shared: distances go through the projections of the tokens. key_bias: whether the projection to
    keys has one where it is its own. norm: of the vectors.
    """

    buckets: int
    max_distance: int
    terms: tuple[str, ...]
    shared: bool
    key_bias: bool = True
    norm: NormSpec | None = None

    @property
    def span(self) -> int:
        """How many vectors there are for either direction."""
        return self.buckets or self.max_distance


EmbeddedPositions = LearnedPositions | SinusoidalPositions
AttentionPositions = RotaryPositions | RelativeBuckets | AlibiPositions | DisentangledPositions


# --- bricks ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentSpec:
    """Multi-head latent attention (DeepSeek-V2): keys and values from one small shared vector.

    q_rank None: the query is projected directly. d_nope + d_rope = the query/key size of a head;
    the rope part of the key is shared by all heads.
    """

    q_rank: int | None
    kv_rank: int
    d_nope: int
    d_rope: int
    norm: NormSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSpec:
    """One attention: self or cross, multi-head, grouped-query, multi-query or latent.

    scale multiplies q·k (None: 1/√d_head). causal and window describe the model's own mask:
    window W lets query i see keys i - W + 1 … i (causal) or |i - j| < W (bidirectional).
    """

    d_model: int
    heads: int
    kv_heads: int
    d_head: int
    d_value: int | None = None
    qkv_bias: bool = True
    out_bias: bool = True
    k_bias: bool | None = None
    scale: float | None = None
    positions: AttentionPositions | None = None
    qk_norm: NormSpec | None = None
    softcap: float | None = None
    causal: bool = False
    window: int | None = None
    latent: LatentSpec | None = None

    def __post_init__(self) -> None:
        if self.heads % self.kv_heads:
            raise ValueError(
                f"{self.heads} query heads cannot be shared by {self.kv_heads} key/value heads; "
                "the first must be a multiple of the second"
            )

    @property
    def value_size(self) -> int:
        return self.d_value if self.d_value is not None else self.d_head

    @property
    def score_scale(self) -> float:
        return self.scale if self.scale is not None else 1 / sqrt(self.d_head)

    @property
    def group(self) -> int:
        """Query heads that share one key/value head."""
        return self.heads // self.kv_heads


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertsSpec:
    """A mixture of feed-forward experts: `top` of `count` run for each token."""

    count: int
    top: int
    d_ff: int
    shared: int = 0
    scoring: Literal["softmax", "sigmoid"] = "softmax"
    renormalise: bool = True
    scale: float = 1.0
    groups: int = 1
    top_groups: int = 1
    correction_bias: bool = False
    group_score: Literal["max", "top2"] = "max"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardSpec:
    """out(act(in(x))), or out(act(gate(x)) * in(x)) when gated."""

    d_model: int
    d_ff: int
    activation: Activation
    gated: bool = False
    bias: bool = True
    experts: ExpertsSpec | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSpec:
    """One layer.

    residual says where the norms stand:
      post      h = norm(h + attention(h)); h = norm(h + ffn(h))               (2017, BERT, BART)
      pre       h = h + attention(norm(h)); h = h + ffn(norm(h))               (GPT-2, Llama, T5)
      sandwich  h = h + norm(attention(norm(h))); h = h + norm(ffn(norm(h)))   (Gemma 2 and 3)
      parallel  h = h + attention(norm(h)) + ffn(norm'(h))                     (GPT-NeoX)
      joint     h = norm(h + a + ffn(a)), a = attention(h)                     (a textbook form)
    shared_norm: the parallel form uses one norm for both. first_norm False: the norm before
    attention is absent (ModernBERT's first layer).
    """

    attention: AttentionSpec
    feedforward: FeedForwardSpec
    norm: NormSpec
    residual: ResidualKind
    cross: AttentionSpec | None = None
    shared_norm: bool = False
    first_norm: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpec:
    """Token (+ position) (+ segment), scaled, normalised, projected.

    scale multiplies the token embedding. d_embed: width before projection to d_model (None: the
    same). norm: LayerNorm of the sum (BERT, BART). project_first: the token's vector alone is
    projected, and the rest added to it as wide as d_model (OPT-350m).
    """

    vocab: int
    d_model: int
    d_embed: int | None = None
    positions: EmbeddedPositions | None = None
    segments: int = 0
    scale: float = 1.0
    norm: NormSpec | None = None
    project_bias: bool = True
    project_first: bool = False

    @property
    def width(self) -> int:
        """Of the token table."""
        return self.d_embed if self.d_embed is not None else self.d_model

    @property
    def sum_width(self) -> int:
        """Of what is added up."""
        return self.d_model if self.project_first else self.width


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSpec:
    """An encoder or a decoder: embedding, blocks (which may differ), final norm.

    shared_layers: all blocks use the first block's weights (ALBERT). max_positions: the longest
    sequence it takes, None when nothing bounds it.
    """

    name: StackName
    embedding: EmbeddingSpec
    blocks: tuple[BlockSpec, ...]
    final_norm: NormSpec | None = None
    max_positions: int | None = None
    shared_layers: bool = False

    @property
    def d_model(self) -> int:
        return self.embedding.d_model

    @property
    def layers(self) -> int:
        return len(self.blocks)

    def attention(self, part: str, layer: int) -> AttentionSpec:
        """The attention of one layer; part is "self" or "cross"."""
        block = self.blocks[layer]
        found = block.attention if part == "self" else block.cross
        if found is None:
            raise KeyError(f"{self.name} layer {layer} has no {part}-attention")
        return found


# --- heads -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabHead:
    """Scores over the vocabulary: next token (decoder) or masked word (encoder).

    tied: the output matrix is the token embedding. transform: dense + activation + norm before it
    (BERT). d_transform: width behind the dense layer; without a transform that layer stands alone
    (OPT-350m). scale multiplies the state before projection (T5 v1.0). softcap: c·tanh(x/c)
    (Gemma).
    """

    vocab: int
    tied: bool
    bias: bool = False
    transform: Activation | None = None
    transform_norm: NormSpec | None = None
    transform_bias: bool = True
    d_transform: int | None = None
    scale: float = 1.0
    softcap: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairHead:
    """Next-sentence prediction from the pooled first token: [is next, is not next] (BERT)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassHead:
    """Classes of a text from its first token, its last one (decoders) or the mean of all.

    In an encoder–decoder the decoder reads the whole text once more (`ModelSpec.rereads`).

    pooler "tanh": dense + tanh shared with the pair head (BERT). pooler "inner": the head's own
    dense layer with `activation` (RoBERTa "tanh", ELECTRA "gelu", DistilBERT "relu") and, in
    ModernBERT, a norm behind it. bias: of the last layer; inner_bias: of the dense one.
    """

    labels: tuple[str, ...]
    pooler: Literal["tanh", "inner", "none"] = "tanh"
    activation: Activation | Literal["tanh"] = "tanh"
    of: Literal["first", "last", "mean"] = "first"
    inner_bias: bool = True
    norm: NormSpec | None = None
    bias: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedHead:
    """For every position the probability that the token was replaced (ELECTRA discriminator)."""

    activation: Activation = "gelu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The heads this checkpoint really holds; None where there is none."""

    vocab: VocabHead | None = None
    pair: PairHead | None = None
    classes: ClassHead | None = None
    replaced: ReplacedHead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialIds:
    """Token ids with a meaning, None where the model has none.

    forced_first and forced_last: what the configuration makes the first and the last generated
    token. suppressed: tokens that are never generated.
    """

    pad: int | None = None
    mask: int | None = None
    decoder_start: int | None = None
    end: tuple[int, ...] = ()
    forced_first: int | None = None
    forced_last: int | None = None
    suppressed: tuple[int, ...] = ()


Architecture = Literal["encoder", "decoder", "encoder-decoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """The whole model. At least one of encoder and decoder is present.

    shared_embedding: encoder and decoder read one token table. dtype: as stored in the checkpoint.
    notes: sentences for the person (assumed values, what was left out).
    """

    family: str
    name: str
    encoder: StackSpec | None = None
    decoder: StackSpec | None = None
    heads: Heads = field(default_factory=Heads)
    special: SpecialIds = field(default_factory=SpecialIds)
    shared_embedding: bool = False
    dtype: str = "float32"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.encoder is None and self.decoder is None:
            raise ValueError(f"{self.family}: a model needs an encoder, a decoder or both")

    @property
    def architecture(self) -> Architecture:
        if self.encoder is not None and self.decoder is not None:
            return "encoder-decoder"
        return "encoder" if self.encoder is not None else "decoder"

    def stack(self, name: str) -> StackSpec:
        """The stack called "encoder" or "decoder"; KeyError when the model has none."""
        found = self.encoder if name == "encoder" else self.decoder if name == "decoder" else None
        if found is None:
            raise KeyError(f"{self.name} has no {name}")
        return found

    @property
    def stacks(self) -> tuple[StackSpec, ...]:
        return tuple(s for s in (self.encoder, self.decoder) if s is not None)

    @property
    def main_stack(self) -> StackSpec:
        """The stack whose end feeds the vocabulary head."""
        return self.decoder if self.decoder is not None else self.stacks[0]

    @property
    def rereads(self) -> bool:
        """Whether the decoder is fed the encoder's own text, one to the right, to judge it at its
        end (classifiers of BART's and T5's form)."""
        return self.architecture == "encoder-decoder" and self.heads.classes is not None

    @property
    def sites(self) -> tuple[str, ...]:
        """The attention sites: "encoder.self", "decoder.self", "decoder.cross"."""
        found = [f"{s.name}.self" for s in self.stacks]
        if self.architecture == "encoder-decoder":
            found.append("decoder.cross")
        return tuple(found)
