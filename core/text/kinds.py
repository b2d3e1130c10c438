"""What each family's tokenizer is expected to be where its files do not say.

A tokenizer.json says all of this itself; vocabulary files and SentencePiece models hold only
pieces. Templates and names are those of the families' reference implementations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
Layout = Literal["plain", "sentinels", "fairseq", "camembert", "languages", "pegasus", "mask_last"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """Where special tokens go; items are "$A", "$B" or a role, ":1" gives the segment."""

    single: tuple[str, ...]
    pair: tuple[str, ...]

    @property
    def roles(self) -> frozenset[str]:
        items = {item.partition(":")[0] for item in (*self.single, *self.pair)}
        return frozenset(item for item in items if not item.startswith("$"))


BERT = Template(single=("cls", "$A", "sep"), pair=("cls", "$A", "sep", "$B:1", "sep:1"))
ROBERTA = Template(single=("cls", "$A", "sep"), pair=("cls", "$A", "sep", "sep", "$B", "sep"))
ENDED_TWICE = Template(single=("$A", "eos"), pair=("$A", "eos", "$B", "eos"))
ENDED = Template(single=("$A", "eos"), pair=("$A", "$B", "eos"))
LANGUAGE_LAST = Template(single=("$A", "eos", "lang"), pair=("$A", "$B", "eos", "lang"))
LANGUAGE_FIRST = Template(single=("lang", "$A", "eos"), pair=("lang", "$A", "$B", "eos"))


def bracketed(*, bos: bool, eos: bool) -> Template:
    """Start and end tokens as `add_bos_token` and `add_eos_token` say."""
    start, end = ("bos",) * bos, ("eos",) * eos
    single = (*start, "$A", *end)
    second = (*(f"{role}:1" for role in start), "$B:1", *(f"{role}:1" for role in end))
    return Template(single=single, pair=(*single, *second))


SQUARE = {"unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}
ANGLE = {
    "bos": "<s>", "eos": "</s>", "unk": "<unk>", "sep": "</s>", "pad": "<pad>", "cls": "<s>",
    "mask": "<mask>",
}  # fmt: skip
_T5 = {"eos": "</s>", "unk": "<unk>", "pad": "<pad>"}
_LLAMA = {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
_GEMMA = {"bos": "<bos>", "eos": "<eos>", "unk": "<unk>", "pad": "<pad>"}
_GPT2 = dict.fromkeys(("bos", "eos", "unk"), "<|endoftext|>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """names: role -> token. template None: as add_bos_token (here `begins`) and add_eos_token say.

    layout: how model ids follow from SentencePiece ids. folds: ALBERT's lower-casing and accents.
    cuts: DeBERTa's lower-casing and cutting at punctuation, where it is asked for. bare: whether
    add_prefix_space: false is followed.
    """

    names: Mapping[str, str]
    template: Template | None = None
    layout: Layout = "plain"
    begins: bool = False
    folds: bool = False
    cuts: bool = False
    bare: bool = False


_BERT = Kind(names=SQUARE, template=BERT)
_ROBERTA = Kind(names=ANGLE, template=ROBERTA)
_LLAMA_KIND = Kind(names=_LLAMA, begins=True, bare=True)
_GEMMA_KIND = Kind(names=_GEMMA, begins=True)
_GPT2_KIND = Kind(names=_GPT2)
_QWEN_KIND = Kind(names={"eos": "<|endoftext|>", "pad": "<|endoftext|>"})
_T5_KIND = Kind(names=_T5, template=ENDED_TWICE, layout="sentinels")

KINDS: Mapping[str, Kind] = {
    "bert": _BERT,
    "distilbert": _BERT,
    "electra": _BERT,
    "mobilebert": _BERT,
    "modernbert": _BERT,
    "deberta": _BERT,
    "debertav2": Kind(names=SQUARE, template=BERT, layout="mask_last", cuts=True),
    "albert": Kind(
        names=SQUARE | {"unk": "<unk>", "pad": "<pad>"}, template=BERT, folds=True
    ),
    "roberta": _ROBERTA,
    "bart": _ROBERTA,
    "longformer": _ROBERTA,
    "led": _ROBERTA,
    "xlmroberta": Kind(names=ANGLE, template=ROBERTA, layout="fairseq"),
    "camembert": Kind(names=ANGLE, template=ROBERTA, layout="camembert"),
    "mbart": Kind(names=ANGLE, template=LANGUAGE_LAST, layout="languages"),
    "mbart50": Kind(names=ANGLE, template=LANGUAGE_FIRST, layout="languages"),
    "t5": _T5_KIND,
    "mt5": _T5_KIND,
    "umt5": _T5_KIND,
    "pegasus": Kind(names=_T5 | {"mask": "<mask_2>"}, template=ENDED, layout="pegasus"),
    "marian": Kind(names=_T5, template=ENDED),
    "gpt2": _GPT2_KIND,
    "gptneo": _GPT2_KIND,
    "gptj": _GPT2_KIND,
    "codegen": _GPT2_KIND,
    "gptneox": Kind(names=_GPT2 | {"pad": "<|padding|>"}),
    "opt": Kind(
        names={"bos": "</s>", "eos": "</s>", "unk": "</s>", "pad": "<pad>"}, begins=True
    ),
    "llama": _LLAMA_KIND,
    "llama3": Kind(
        names={"bos": "<|begin_of_text|>", "eos": "<|end_of_text|>"}, begins=True
    ),
    "qwen": _QWEN_KIND,
    "qwen2": _QWEN_KIND,
    "qwen3": _QWEN_KIND,
    "mistral": _LLAMA_KIND,
    "mixtral": _LLAMA_KIND,
    "gemma": _GEMMA_KIND,
    "gemma2": _GEMMA_KIND,
    "gemma3": _GEMMA_KIND,
    "gemma3text": _GEMMA_KIND,
}  # fmt: skip

UNKNOWN = Kind(names={})
GENERIC = {"pretrained", "pretrainedtokenizer", "tokenizersbackend", "auto", ""}


def key(name: str | None) -> str:
    """ "XLMRobertaTokenizerFast" and "xlm-roberta" -> "xlmroberta"."""
    folded = (name or "").lower().replace("-", "").replace("_", "")
    return folded.removesuffix("fast").removesuffix("tokenizer")
