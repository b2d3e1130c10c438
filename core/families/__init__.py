"""The model families, one a file. A module of this package with a `FAMILY` is found by itself."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module

from core.checkpoints.config import Config
from core.errors import UnsupportedModel
from core.families.family import Family

__all__ = ["Family", "families", "family_of"]


@cache
def families() -> tuple[Family, ...]:
    """All families, by name."""
    modules = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    found = [m.FAMILY for m in modules if hasattr(m, "FAMILY")]
    return tuple(sorted(found, key=lambda family: family.name.lower()))


def family_of(config: Config) -> Family:
    """The family of a configuration by its model_type, or by its class name where that is missing.

    Raises UnsupportedModel, naming the key and the supported families.
    """
    model_type = config.read("model_type")
    if model_type is not None:
        for family in families():
            if model_type in family.model_types:
                return family
        raise UnsupportedModel(
            f"{config.path} has model_type {model_type!r}; supported are {_supported()}"
        )
    stem = re.split(r"For[A-Z]|Model|LMHead|DoubleHeads|MTModel", config.architecture)[0]
    for family in families():
        for key, name in family.model_types.items():
            if stem and stem == name:
                config.values_["model_type"] = key
                config.notes.append(
                    f"{config.path.name} has no model_type; it was read as {key!r} because "
                    f"architectures says {config.architecture}"
                )
                return family
    says = f" (architectures says {config.architecture!r})" if config.architecture else ""
    raise UnsupportedModel(f"{config.path} has no model_type{says}; supported are {_supported()}")


def _supported() -> str:
    return ", ".join(sorted(key for family in families() for key in family.model_types))
