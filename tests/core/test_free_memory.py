"""How much memory a system says is left."""

from __future__ import annotations

import platform
import subprocess
from types import SimpleNamespace

import pytest
import torch

from core import device

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               11000.
Pages active:                            300000.
Pages inactive:                          250000.
Pages speculative:                         4000.
Pages throttled:                              0.
Pages wired down:                        100000.
Pages purgeable:                           2000.
"Translation faults":                 123456789.
Pages copy-on-write:                    1234567.
File-backed pages:                       200000.
Pages stored in compressor:              500000.
"""


@pytest.mark.parametrize("kind", ["cpu", "mps"])
def test_a_mac_says_what_can_still_be_taken(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(
        subprocess, "run", lambda *given, **more: SimpleNamespace(stdout=VM_STAT, args=given)
    )
    assert device.free_memory(torch.device(kind)) == 16384 * (11000 + 250000 + 4000)


@pytest.mark.parametrize("said", ["", "Pages free: many.", None])
def test_a_system_that_says_nothing_is_not_guessed_at(
    monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")

    def run(*given: object, **more: object) -> SimpleNamespace:
        if said is None:
            raise FileNotFoundError("vm_stat")
        return SimpleNamespace(stdout=said)

    monkeypatch.setattr(subprocess, "run", run)
    assert device.free_memory(torch.device("cpu")) is None
    device.check_fits(10**15, torch.float32, torch.device("cpu"))
    monkeypatch.setattr(platform, "system", lambda: "FreeBSD")
    assert device.free_memory(torch.device("cpu")) is None
