"""Every tiny configuration of every family, as the reference and as we load it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from core.checkpoints.build import build as build_network
from core.checkpoints.build import plan
from core.checkpoints.files import open_checkpoint
from core.families import families
from core.model import Transformer
from core.request import ALL, HEADS, RunRequest
from core.run import run
from core.spec import ModelSpec
from core.tokens import Tokens
from core.trace import Trace

TINY = [
    pytest.param(tiny, id=f"{family.name} {i}")
    for family in families()
    for i, tiny in enumerate(family.tiny)
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A reference model and ours, loaded from what the reference saved."""

    config: Mapping[str, Any]
    model: Any
    network: Transformer

    @property
    def spec(self) -> ModelSpec:
        return self.network.spec

    def texts(self, length: int = 24) -> tuple[list[int], list[int] | None]:
        """Token ids of a source and, for an encoder-decoder, of a target that is longer."""
        generator = torch.Generator().manual_seed(7)
        ids = torch.randint(3, 90, (2 * length + 3,), generator=generator).tolist()
        both = self.spec.architecture == "encoder-decoder"
        return ids[:length], ids[length:] if both else None


def trace(
    network: Transformer,
    ids: Sequence[int],
    target_ids: Sequence[int] | None = None,
    *,
    padded: int = 0,
    side: str = "right",
    previous: Trace | None = None,
    masks: Any = (),
) -> Trace:
    """Ours on token ids; padded: how many pads are added to the source."""
    source = Tokens.of_ids(list(ids)).padded(len(ids) + padded, pad=1, piece="[PAD]", side=side)
    target = None if target_ids is None else Tokens.of_ids(list(target_ids))
    request = RunRequest(source=source, target=target, masks=masks, wants=frozenset({ALL, HEADS}))
    return run(network, request, previous=previous)


Build = Callable[[Any], Case]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A case from a configuration."""
    from tests.core.families import reference

    def made(config: Mapping[str, Any]) -> Case:
        model = reference.make(config)
        folder = reference.save(model, tmp_path_factory.mktemp("checkpoint"))
        file = folder / "config.json"
        # What transformers 5 leaves out (forced tokens), transformers 4 wrote into this file, which
        # is read for them where there is none beside it.
        (folder / "generation_config.json").unlink(missing_ok=True)
        file.write_text(json.dumps({**config, **json.loads(file.read_text("utf-8"))}), "utf-8")
        checkpoint = open_checkpoint(folder)
        built = build_network(checkpoint, plan(checkpoint), device=torch.device("cpu"))
        return Case(config=config, model=model, network=built.network)

    return made


@pytest.fixture(scope="session", params=TINY)
def case(request: pytest.FixtureRequest, build: Build) -> Case:
    """Each tiny configuration of each family."""
    return build(request.param)


@pytest.fixture(scope="session")
def tiny(build: Build) -> Build:
    """The first tiny configuration of a family, by its name."""
    made: dict[str, Case] = {}

    def of(name: str) -> Case:
        if name not in made:
            made[name] = build(next(f for f in families() if f.name == name).tiny[0])
        return made[name]

    return of
