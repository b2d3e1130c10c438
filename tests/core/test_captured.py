"""What is kept of a run that others continue: no more than they show, however often they do."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from types import FunctionType

import torch
from torch import Tensor, nn

from core.captured import Captured, Recipe
from core.model import Transformer
from core.trace import Trace
from tests.core import tiny


def held_bytes(trace: Trace) -> int:
    """Bytes of all the storages that what a trace recorded keeps alive, the weights not counted."""
    seen: set[int] = set()
    storages: dict[int, int] = {}
    waiting: list[object] = [*trace.captured.values(), trace.cache]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, nn.Module | type):
            continue
        seen.add(id(one))
        if isinstance(one, Tensor):
            storage = one.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
        elif isinstance(one, FunctionType):
            waiting.extend(cell.cell_contents for cell in one.__closure__ or ())
        else:
            waiting.extend(gc.get_referents(one))
    return sum(storages.values())


def deleted(ids: list[int], lengths: Iterable[int]) -> tuple[Transformer, Trace]:
    """A text that is shortened again and again, each run continuing the one before."""
    network = tiny.decoder(*tiny.decoder().spec.stack("decoder").blocks[:1])
    trace = tiny.trace(network, ids)
    for length in lengths:
        trace = tiny.trace(network, ids[:length], previous=trace)
    return network, trace


def test_a_text_deleted_word_by_word_is_still_there() -> None:
    ids = tiny.ids(150)
    network, trace = deleted(ids, range(149, 79, -1))
    fresh = tiny.trace(network, ids[:80])
    for site in fresh.sites():
        assert (trace[site] - fresh[site]).abs().max() <= 1e-5, site


def test_crops_of_a_recipe_are_not_nested() -> None:
    """However many there are: Python allows a thousand calls in one another."""
    rows = torch.randn(1, 4000, 3)
    captured = Captured(Recipe(rows.shape, lambda: rows * 2), ("position", "d_ff"))
    for length in range(3999, 2000, -1):
        captured = captured.cropped(length)
    assert captured.length == 2001
    assert captured.bytes == 0
    assert torch.equal(captured.values, rows[0, :2001] * 2)


def test_a_crop_inside_rows_that_continue_others() -> None:
    rows = torch.randn(1, 9, 3)
    for held in (rows[:, 4:], Recipe(rows[:, 4:].shape, lambda: rows[:, 4:].clone())):
        first = Captured(rows[:, :4], ("position", "d_ff"))
        both = Captured(held, ("position", "d_ff"), first)
        for length in range(1, 10):
            crop = both.cropped(length)
            assert crop.length == length
            assert torch.equal(crop.values, rows[0, :length])
            assert torch.equal(crop.rows([-1, 0]), rows[0, [length - 1, 0]])
            assert torch.equal(crop.cropped(1).values, rows[0, :1])


def test_a_short_text_does_not_keep_the_long_one_before_it() -> None:
    ids = tiny.ids(200)
    _, trace = deleted(ids, (20,))
    network, slowly = deleted(ids, range(190, 9, -10))
    assert held_bytes(tiny.trace(network, ids)) > 9 * held_bytes(tiny.trace(network, ids[:20]))
    assert held_bytes(trace) < 3 * held_bytes(tiny.trace(network, ids[:20]))
    assert held_bytes(slowly) < 3 * held_bytes(tiny.trace(network, ids[:10]))
