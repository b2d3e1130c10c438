"""What a model *is*: frozen descriptions, without torch.

A `ModelSpec` holds everything needed to build the network and to explain it on screen. A family
file (`core/families/`) turns a checkpoint's configuration into one.
"""

from core.spec.heads import (
    ClassHead,
    Heads,
    PairHead,
    ReplacedHead,
    VocabHead,
)
from core.spec.model import (
    Architecture,
    ModelSpec,
    SpecialIds,
)
from core.spec.norm import (
    NormKind,
    NormSpec,
)
from core.spec.positions import (
    AlibiPositions,
    AttentionPositions,
    DisentangledPositions,
    EmbeddedPositions,
    LearnedPositions,
    RelativeBuckets,
    RotaryPositions,
    RotaryScaling,
    SinusoidalPositions,
)
from core.spec.rules import (
    PENALTIES,
    Rules,
)
from core.spec.stack import (
    BlockSpec,
    EmbeddingSpec,
    ResidualKind,
    StackName,
    StackSpec,
)
from core.spec.sublayers import (
    Activation,
    AttentionSpec,
    ExpertsSpec,
    FeedForwardSpec,
    LatentSpec,
)

__all__ = [
    "PENALTIES",
    "Activation",
    "AlibiPositions",
    "Architecture",
    "AttentionPositions",
    "AttentionSpec",
    "BlockSpec",
    "ClassHead",
    "DisentangledPositions",
    "EmbeddedPositions",
    "EmbeddingSpec",
    "ExpertsSpec",
    "FeedForwardSpec",
    "Heads",
    "LatentSpec",
    "LearnedPositions",
    "ModelSpec",
    "NormKind",
    "NormSpec",
    "PairHead",
    "RelativeBuckets",
    "ReplacedHead",
    "ResidualKind",
    "RotaryPositions",
    "RotaryScaling",
    "Rules",
    "SinusoidalPositions",
    "SpecialIds",
    "StackName",
    "StackSpec",
    "VocabHead",
]
