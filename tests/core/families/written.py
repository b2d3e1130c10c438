"""The reference and ours on a configuration as it was written: what the reference saves no longer
says things twice, nor leaves anything out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.checkpoints.build import describe
from core.checkpoints.config import Config
from core.families import families
from core.spec import ModelSpec
from tests.core.checkpoints.conftest import load
from tests.core.families import reference
from tests.core.families.conftest import Case, trace
from tests.core.families.test_parity import compare, everything

TINY: dict[str, dict[str, Any]] = {family.name: dict(family.tiny[0]) for family in families()}
"""The first tiny configuration of each family."""


def as_written(config: Mapping[str, Any], folder: Path) -> Case:
    """The reference and ours, read from the same words, agree."""
    model = reference.make(config)
    reference.save(model, folder)
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    case = Case(config=config, model=model, network=load(folder).network)
    ids, target = case.texts()
    ours, theirs = trace(case.network, ids, target), reference.ask(model, ids, target)
    compare(ours, theirs, everything(case))
    return case


def described(config: Mapping[str, Any]) -> ModelSpec:
    return describe(Config(config))
