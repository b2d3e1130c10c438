"""RoBERTa (Liu et al. 2019), XLM-RoBERTa and CamemBERT: BERT's stack, other heads, and positions
that start behind the padding token's row and do not count that token."""

from __future__ import annotations

from core.checkpoints.config import Config
from core.checkpoints.convert import Rule, leave, rename, spare
from core.families import bert
from core.families.activations import ACTIVATIONS
from core.families.family import Family
from core.spec import ClassHead, Heads, ModelSpec, NormSpec, SpecialIds, VocabHead

_NAMES = {"roberta": "RoBERTa", "xlm-roberta": "XLM-RoBERTa", "camembert": "CamemBERT"}


def spec(config: Config) -> ModelSpec:
    """Post-norm encoder; masked-word head and classes of sentences."""
    norm = NormSpec(eps=config.number("layer_norm_eps", default=1e-12))
    pad: int = config.token("pad_token_id", default=1)
    labelled = bert.classes(config)
    return ModelSpec(
        family=_NAMES[config.read("model_type")],
        name=config.path.parent.name,
        encoder=bert.encoder(config, norm, offset=pad + 1, uncounted=pad),
        heads=Heads(
            vocab=VocabHead(
                vocab=config.size("vocab_size"),
                tied=config.flag("tie_word_embeddings", default=True),
                bias=True,
                # The head has its own GELU whatever hidden_act says.
                transform=ACTIVATIONS["gelu"],
                transform_norm=norm,
            ),
            classes=None
            if labelled is None
            else ClassHead(labels=labelled.labels, pooler="inner", activation="tanh"),
        ),
        special=SpecialIds(pad=pad),
    )


RULES: tuple[Rule, ...] = (
    *bert.ENCODER,
    leave("pooler.dense.*"),
    rename("lm_head.dense.*", "heads.vocab.dense.*"),
    rename("lm_head.layer_norm.*", "heads.vocab.norm.*"),
    rename("lm_head.decoder.weight", "heads.vocab.weight.weight"),
    spare("lm_head.bias", "heads.vocab.bias"),  # a second name, unless the matrix is untied
    rename("lm_head.decoder.bias", "heads.vocab.bias"),
    rename("classifier.dense.*", "heads.classes.dense.*"),
    rename("classifier.out_proj.*", "heads.classes.out.*"),
    leave("classifier.*", "a classifier of tokens or choices"),
    leave("qa_outputs.*", "a question-answering head"),
)

_TINY = bert.TINY | {
    "model_type": "roberta",
    "type_vocab_size": 1,
    "max_position_embeddings": 66,
    "pad_token_id": 1,
}

FAMILY = Family(
    name="RoBERTa",
    model_types={
        "roberta": "Roberta",
        "xlm-roberta": "XLMRoberta",
        "camembert": "Camembert",
    },
    spec=spec,
    rules=lambda spec: RULES,
    prefixes=("roberta.",),
    tiny=(
        _TINY | {"architectures": ["RobertaForMaskedLM"]},
        _TINY | {"architectures": ["RobertaForSequenceClassification"]},
        _TINY | {"model_type": "xlm-roberta", "architectures": ["XLMRobertaForMaskedLM"]},
    ),
)
