"""What reads the last states: words, sentence pairs, classes, replaced tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.spec.norm import NormSpec
from core.spec.sublayers import Activation


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
    """Two scores of a pair of sentences A and B, from the pooled first token: BERT's next-sentence
    prediction, unless said otherwise. question: what they answer; labels: the two answers."""

    question: str = "Does B follow A?"
    labels: tuple[str, str] = ("follows", "does not")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassHead:
    """Classes of a text from its first token, its last one (decoders) or the mean of all.

    In an encoder–decoder the decoder reads the whole text once more (`ModelSpec.rereads`), from its
    start token on or, where `wraps`, from the text's last token that is no padding (mBART, whose
    texts end with their language).

    pooler "tanh": dense + tanh shared with the pair head (BERT). pooler "inner": the head's own
    dense layer with `activation` (RoBERTa "tanh", ELECTRA "gelu", DistilBERT "relu") and, in
    ModernBERT, a norm behind it. bias: of the last layer; inner_bias: of the dense one. problem:
    what the logits say, "one" of the classes (softmax), "several" at once (a sigmoid each) or a
    "score" (the logit as it is; so is the only one of a ranker). pad: the id that the judged last
    token must not have, as in the reference, which takes such tokens for padding where they were
    typed, or set by the tokenizer, too.
    """

    labels: tuple[str, ...]
    problem: Literal["one", "several", "score"] = "one"
    pooler: Literal["tanh", "inner", "none"] = "tanh"
    activation: Activation | Literal["tanh"] = "tanh"
    of: Literal["first", "last", "mean"] = "first"
    pad: int | None = None
    wraps: bool = False
    inner_bias: bool = True
    norm: NormSpec | None = None
    bias: bool = True

    def place(self, ids: Sequence[int], padding: Sequence[bool]) -> int:
        """Index of the token whose state is judged; of a mean, of the first one. padding: flags."""
        real = [i for i, padded in enumerate(padding) if not padded]
        said = [i for i in real if ids[i] != self.pad]
        return said[-1] if self.of == "last" and said else real[0]


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
