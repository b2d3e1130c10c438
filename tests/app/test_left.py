"""Models that are left wait in memory, up to a limit, with what was kept and decoded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from app.choices import Inputs
from app.left import Left
from app.store import State
from core.device import name_of


def model(name: str, millions: int, device: str = "cpu") -> Any:
    return SimpleNamespace(
        name=name, source=name, parameters=millions * 1_000_000, device=torch.device(device)
    )


def with_kept(of: Any) -> State:
    """Its state with a text that was kept: anything will do for one."""
    kept: Any = (f"a text of {of.name}",)
    return State(model=of, kept=kept)


def test_what_one_goes_back_to_does_not_have_to_go_for_what_is_left() -> None:
    left, first, second = Left(), model("A", 124), model("B", 220)
    assert left.exchange(with_kept(first), second, Inputs(), {}) == ({}, "")
    back, gone = left.exchange(with_kept(second), first, Inputs(), {})
    assert back == {"kept": ("a text of A",)}
    assert gone == ""
    assert left.model("B", "cpu") is second
    assert left.model("A", "cpu") is None, "it is open and no longer left"


def test_the_one_that_was_left_first_goes_when_there_are_too_many() -> None:
    left = Left()
    first, second, third = model("A", 124), model("B", 220), model("C", 1)
    left.exchange(with_kept(first), second, Inputs(), {})
    back, gone = left.exchange(with_kept(second), third, Inputs(), {})
    assert back == {}
    assert "tokens of A are gone" in gone
    assert left.model("A", "cpu") is None
    assert left.model("B", "cpu") is second


ANEW = "The kept texts and the decoded tokens of A are gone: it was opened anew."


def test_a_model_opened_anew_gets_nothing_back_and_that_is_said() -> None:
    left, first, other = Left(), model("A", 1), model("B", 1)
    left.exchange(with_kept(first), other, Inputs(), {})
    found = left.exchange(State(model=other), model("A", 1), Inputs(), {}, anew=True)
    assert found == ({}, ANEW)


def test_of_the_open_model_opened_anew_too() -> None:
    left = Left()
    assert left.exchange(with_kept(model("A", 1)), model("A", 1), Inputs(), {}) == ({}, ANEW)
    assert left.model("A", "cpu") is None
    assert left.exchange(State(model=model("A", 1)), model("A", 1), Inputs(), {}) == ({}, "")


def test_files_that_were_read_anew_are_not_there_as_they_were_on_another_device() -> None:
    left, card, other = Left(), model("A", 1, "cuda:0"), model("B", 1)
    left.exchange(with_kept(card), other, Inputs(), {})
    assert left.exchange(with_kept(other), model("A", 1), Inputs(), {}, anew=True) == ({}, ANEW)
    assert left.model("A", "cuda:0") is None
    assert left.model("B", "cpu") is other


def test_on_another_device_a_model_is_one_that_was_left() -> None:
    left, card = Left(), model("A", 1, "cuda:0")
    assert left.exchange(with_kept(card), model("A", 1), Inputs(), {}) == ({}, "")
    assert left.model("A", "cuda:0") is card


def test_a_model_on_a_mac_is_found_by_the_name_of_its_device() -> None:
    left, first = Left(), model("A", 1, "mps:0")
    left.exchange(with_kept(first), model("B", 1), Inputs(), {})
    assert left.model("A", "mps") is first


def test_devices_have_the_names_they_are_chosen_by() -> None:
    names = [name_of(torch.device(device)) for device in ("cpu", "cuda:1", "mps", "mps:0")]
    assert names == ["cpu", "cuda:1", "mps", "mps"]
