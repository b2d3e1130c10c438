"""Logits of a device without float64, such as Apple's: compared all the same, on the CPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from core.analysis.ablation import ablation
from core.analysis.sharing import share
from core.model import Transformer
from core.recorder import SILENT, Recorder
from core.run import run
from tests.traces import network, trace_of


class Single(Tensor):
    """Stands for a tensor of such a device: no float64 before it has come to the CPU."""

    def double(self, *given: Any, **more: Any) -> Tensor:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype")

    def cpu(self, *given: Any, **more: Any) -> Tensor:
        return self.as_subclass(Tensor)


@pytest.fixture
def without_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Transformer.vocab_logits

    def vocab_logits(self: Transformer, states: Tensor, rec: Recorder = SILENT) -> Tensor:
        return real(self, states, rec).as_subclass(Single)

    monkeypatch.setattr(Transformer, "vocab_logits", vocab_logits)


def test_a_head_is_switched_off(request: pytest.FixtureRequest) -> None:
    wanted = ablation(trace_of("decoder"), "decoder.self", 3)
    request.getfixturevalue("without_float64")
    found = ablation(run(network("decoder"), trace_of("decoder").request), "decoder.self", 3)
    assert found.answer == wanted.answer
    assert torch.equal(torch.from_numpy(found.divergence), torch.from_numpy(wanted.divergence))


def test_heads_are_shared(request: pytest.FixtureRequest) -> None:
    trace = trace_of("decoder")
    wanted = share(network("decoder"), trace, 2)
    request.getfixturevalue("without_float64")
    assert share(network("decoder"), run(network("decoder"), trace.request), 2) == wanted
