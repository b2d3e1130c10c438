"""A mask that a script writes wrongly is refused in a sentence, before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core import masks
from core.errors import RequestError
from core.masks import MaskChoice, choose
from tests.core import tiny

WRONG = [
    ({"blocked": (("a", 1),)}, "the blocked query or key 'a' is no whole number"),
    ({"blocked": ((1, "a"),)}, "the blocked query or key 'a' is no whole number"),
    ({"blocked": ((0, 1), ([0], 1))}, r"the blocked query or key \[0\] is no whole number"),
    ({"blocked": ((0.5, 1),)}, "the blocked query or key 0.5 is no whole number"),
    ({"blocked": ((1, None),)}, "the blocked query or key None is no whole number"),
    ({"blocked": ((2, 1), (0, -1))}, "a painted cell has the place -1; places count from 0"),
    ({"key": ["causal"]}, r"there is no mask \['causal'\]; there are model, bidirectional"),
    ({"key": None}, "there is no mask None; there are model, bidirectional"),
    ({"hide_padding": "x"}, "hide_padding is 'x'; it must be True or False"),
    ({"hide_padding": None}, "hide_padding is None; it must be True or False"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
@pytest.mark.parametrize("joined", [False, True])
def test_what_no_mask_can_be_is_refused_by_a_run(
    wrong: dict[str, Any], sentence: str, joined: bool
) -> None:
    choice = MaskChoice(**wrong)
    if joined:
        choice = MaskChoice(key="causal", also=(choice,))
    with pytest.raises(RequestError, match=sentence):
        tiny.trace(tiny.decoder(), tiny.ids(4), masks=(("decoder.self", choice),))


def test_cells_may_be_numbers_of_another_library() -> None:
    """Such as those of `torch.nonzero` or `numpy.argwhere`."""
    network = tiny.decoder()

    def logits(*cells: Any) -> torch.Tensor:
        choice = MaskChoice(key="causal", blocked=cells)
        return tiny.trace(network, tiny.ids(4), masks=(("decoder.self", choice),)).logits

    expected = logits((2, 0), (3, 1))
    assert torch.equal(logits((np.int64(2), np.int64(0)), [3, np.int32(1)]), expected)
    assert not torch.equal(logits(), expected)
    plain = tiny.trace(network, tiny.ids(4), masks=(("decoder.self", choose("causal")),))
    assert torch.equal(plain.logits, logits())


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (False, False)])
def test_joined_masks_hide_padding_as_each_of_them_would(first: bool, second: bool) -> None:
    one = MaskChoice(key="bidirectional", hide_padding=first)
    other = MaskChoice(key="local", params=(("window", 3),), hide_padding=second)
    spec = tiny.attention(causal=False)
    padding = torch.tensor([False, False, False, True])
    where = masks.context_of(q_padding=padding, k_padding=padding)
    apart = [masks.allowed(choice, where, spec) for choice in (one, other)]
    assert torch.equal(masks.allowed(one & other, where, spec), apart[0] & apart[1])
    assert (one & other).hide_padding == (first or second)
    assert (one | other).hide_padding == (first and second)


def test_cells_painted_on_one_of_joined_masks_are_refused() -> None:
    """They would be told and not obeyed."""
    painted = MaskChoice(key="local", blocked=((1, 0),))
    choice = MaskChoice(key="causal", also=(painted,))
    with pytest.raises(RequestError, match="not on the joined local − 1 cell"):
        tiny.trace(tiny.decoder(), tiny.ids(4), masks=(("decoder.self", choice),))
    masks.check(MaskChoice(key="causal", also=(MaskChoice(key="local"),), blocked=((1, 0),)))


@pytest.mark.parametrize(
    ("kind", "parameter"),
    [(key, p.name) for key, kind in masks.KINDS.items() for p in kind.parameters],
)
def test_a_parameter_may_be_far_longer_than_the_text_but_not_endless(
    kind: str, parameter: str
) -> None:
    network, most = tiny.decoder(), 2**31
    longest = (("decoder.self", choose(kind, **{parameter: most})),)
    assert tiny.trace(network, tiny.ids(4), masks=longest).logits.isfinite().all()
    with pytest.raises(RequestError, match=f"is {most + 1}; it must be at most {most}"):
        choose(kind, **{parameter: most + 1})
