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
    found = [family for family in map(_in_module, _modules()) if family is not None]
    return tuple(sorted(found, key=lambda family: family.name.lower()))


@cache
def _modules() -> tuple[str, ...]:
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


def _in_module(name: str) -> Family | None:
    found: Family | None = getattr(import_module(f"{__name__}.{name}"), "FAMILY", None)
    return found


def _of_type(model_type: str) -> Family | None:
    """Most families have a module of their type's name; only for the others all are imported."""
    likely = model_type.replace("-", "_")
    first = _in_module(likely) if likely in _modules() else None
    if first is not None and model_type in first.model_types:
        return first
    return next((family for family in families() if model_type in family.model_types), None)


def family_of(config: Config) -> Family:
    """The family of a configuration by its model_type, or by its class name where that is missing.

    Raises UnsupportedModel, naming the key and the supported families.
    """
    model_type = config.read("model_type")
    if model_type is not None:
        found = _of_type(str(model_type))
        if found is not None:
            return found
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
