"""The network a checkpoint's tensors are put into: made without memory, layer by layer alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from core.checkpoints.build import plan
from core.checkpoints.convert import Rule, Table, leave, rename
from core.checkpoints.files import open_checkpoint
from core.checkpoints.places import count, places_of, skeleton
from core.families import families
from core.layers.experts import Experts
from core.spec import ExpertsSpec, FeedForwardSpec
from tests.core.checkpoints.conftest import CONFIGS, Saved, load

Copy = Callable[[str], Saved]


@pytest.mark.parametrize("name", CONFIGS)
def test_every_place_is_a_parameter_s(saved: Copy, name: str) -> None:
    """The same ones in the same order as torch lists them, when each has memory of its own."""
    found = load(saved(name).folder)
    theirs = {n: tuple(p.shape) for n, p in found.network.named_parameters()}
    places = places_of(found.network)
    assert {n: tuple(p.shape) for n, p in places.items()} == theirs
    assert list(places) == list(theirs)
    assert count(places) == sum(p.numel() for p in found.network.parameters())
    assert not any(p.is_meta or p.requires_grad for p in found.network.parameters())


@pytest.mark.parametrize("name", CONFIGS)
def test_all_of_it_is_in_evaluation_mode(saved: Copy, name: str) -> None:
    assert not any(module.training for module in load(saved(name).folder).network.modules())


def test_nothing_is_drawn_that_a_file_will_replace(
    saved: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [saved(name).folder for name in CONFIGS]

    def draw(*given: object, **more: object) -> None:
        raise AssertionError("a weight was drawn")

    for name in ("kaiming_uniform_", "uniform_", "normal_", "xavier_uniform_"):
        monkeypatch.setattr(nn.init, name, draw)
    for folder in folders:
        network = plan(open_checkpoint(folder)).network
        assert all(p.is_meta for p in network.parameters())


def test_layers_made_alike_share_nothing_that_can_change(saved: Copy) -> None:
    """A hook, a parameter or a buffer of one layer must not appear in the next."""
    network = load(saved("llama").folder).network
    first, second = network.stack("decoder").blocks[:2]
    for one, other in zip(first.modules(), second.modules(), strict=True):
        assert type(one) is type(other)
        for key, held in vars(one).items():
            if isinstance(held, dict | set | list):
                assert held is not vars(other)[key], key
    ours = {p.data_ptr() for p in first.parameters()}
    assert ours.isdisjoint(p.data_ptr() for p in second.parameters())
    seen: list[str] = []
    first.register_forward_hook(lambda *given: seen.append("first"))
    second.attention.register_buffer("mine", torch.zeros(1))
    network.decode(torch.tensor([[5, 6]]))
    assert seen == ["first"]
    assert not hasattr(first.attention, "mine")


def test_experts_are_made_alike_without_memory_and_apart_with_it() -> None:
    spec = FeedForwardSpec(
        d_model=4, d_ff=8, activation="silu", gated=True,
        experts=ExpertsSpec(count=3, top=1, d_ff=8),
    )  # fmt: skip
    drawn = [expert.inner.weight for expert in _experts(Experts(spec))]
    assert not torch.equal(drawn[0], drawn[1])
    with torch.device("meta"):
        empty = Experts(spec)
    assert len({id(expert.inner._parameters) for expert in _experts(empty)}) == 3


def _experts(module: Experts) -> Iterator[nn.Module]:
    yield from module.experts


def test_a_skeleton_of_a_shared_table_has_one_place_for_it(saved: Copy) -> None:
    spec = load(saved("t5").folder).spec
    assert spec.shared_embedding
    names = list(places_of(skeleton(spec)))
    assert "encoder.embedding.token.weight" in names
    assert "decoder.embedding.token.weight" not in names


# --- finding the rule of a name -----------------------------------------------------------------


def in_turn(rules: tuple[Rule, ...], name: str) -> Rule | None:
    """The first rule that fits, one at a time."""
    hits = (rule for rule in rules if Table((rule,)).find(name) is not None)
    return next(hits, None)


def test_the_first_rule_that_fits_counts() -> None:
    rules = (
        rename("h.{i}.special.weight", "a"),
        leave("h.0.**", "the first layer"),
        rename("h.{i}.*", "b.{i}.*"),
        leave("**"),
    )
    table = Table(rules)
    for name, index, values in (
        ("h.0.special.weight", 0, {"i": "0"}),
        ("h.0.bias", 1, {}),
        ("h.10.bias", 2, {"i": "10", "rest": "bias"}),
        ("h.10.bias.more", 3, {}),
    ):
        assert table.find(name) == (rules[index], values)
        assert in_turn(rules, name) is rules[index]
    assert Table(rules[:3]).find("h.x.bias") is None


def test_one_pattern_finds_what_trying_in_turn_finds(saved: Copy) -> None:
    by_name = {family.name: family for family in families()}
    for name in CONFIGS:
        checkpoint = open_checkpoint(saved(name).folder)
        spec = load(checkpoint.folder).spec
        rules = tuple(by_name[spec.family].rules(spec))
        table = Table(rules)
        for tensor in checkpoint.shapes:
            for known in (tensor, tensor.split(".", 1)[-1]):
                hit = table.find(known)
                assert (None if hit is None else hit[0]) is in_turn(rules, known)
