"""A configuration without `architectures`: what the model is for is told by the tensors of its
heads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile

from core.checkpoints.config import Config
from core.families.family import Family

_OPEN = ("head.dense.weight", "classifier.weight")
_JUDGES = (
    ("classification_head.out_proj.weight",),
    ("classifier.out_proj.weight",),
    ("pre_classifier.weight", "classifier.weight"),
    ("pooler.dense.weight", "classifier.weight"),
    ("pooler.weight", "classifier.weight"),
    _OPEN,
)
"""Tensors by which a classifier of whole texts is known; one of single tokens has no pooler and no
layer before the last, but in ModernBERT."""


def name_class(config: Config, family: Family, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Adds the class the configuration does not name, with a note, where the file's tensors (name
    -> shape) tell it; a model without one of these heads needs no name. Labels that are not named
    either are counted."""
    if config.architecture or config.read("model_type") not in family.model_types:
        return
    held = {name: shapes[whole] for whole, name in _bare(shapes, family.prefixes)}
    ending, rows = _ending(held)
    if not ending:
        return
    name = family.model_types[config["model_type"]] + ending
    config.values_["architectures"] = [name]
    open_ = rows and all(sign in held for sign in _OPEN)
    config.notes.append(
        f"{config.path.name} has no architectures; by its tensors it was read as {name}"
        + (", though one of single tokens would look the same" if open_ else "")
    )
    if rows and config.read("id2label", "num_labels") is None:
        config.values_["num_labels"] = rows


def _ending(held: Mapping[str, tuple[int, ...]]) -> tuple[str, int]:
    """(how the class's name ends or "", classes of a classifier of texts)."""
    for names in _JUDGES:
        if all(name in held for name in names):
            return "ForSequenceClassification", held[names[-1]][0]
    if "score.weight" in held and "score.bias" not in held:
        return "ForSequenceClassification", held["score.weight"][0]
    if "score.weight" in held or "classifier.weight" in held:
        return "ForTokenClassification", 0
    if "qa_outputs.weight" in held:
        return "ForQuestionAnswering", 0
    alone = any(name.startswith("encoder.block.") for name in held)
    if alone and not any(name.startswith("decoder.") for name in held):
        return "EncoderModel", 0
    return "", 0


def _bare(names: Iterable[str], prefixes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(name, the same without what is wrapped around the model)."""
    wrappers = {"module", "_orig_mod", "model"}
    wrappers.update(part for prefix in prefixes for part in prefix.split("."))
    for name in names:
        yield name, ".".join(dropwhile(wrappers.__contains__, name.split(".")))
