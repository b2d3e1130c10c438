"""Tables and biases of positions: where they are computed, and to which number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from core.checkpoints.places import skeleton
from core.edits import Edit
from core.layers.positions import AlibiBias, Sinusoidal, alibi_slopes
from core.request import ALL, RunRequest
from core.run import run
from core.spec import SinusoidalPositions
from core.tokens import Tokens
from tests.core import tiny

ALIBI = tiny.attention(causal=True, positions=tiny.POSITIONS["alibi"])


class WithoutDoubles(Tensor):
    """A tensor of a device that knows no float64, such as Apple's GPUs."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Sequence[type], args: Any = (), kwargs: Any = None
    ) -> Any:
        found = super().__torch_function__(function, types, args, kwargs)
        if function is Tensor.cpu:
            return found.as_subclass(Tensor)
        if isinstance(found, cls) and found.dtype == torch.float64:
            raise TypeError("the device does not support float64")
        return found


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("width", [8, 7])
def test_sinusoids_need_no_float64_of_the_device(interleaved: bool, width: int) -> None:
    table = Sinusoidal(SinusoidalPositions(size=600, interleaved=interleaved), width)
    positions = torch.tensor([[0, 1, 2, 599]])
    found = table(positions.as_subclass(WithoutDoubles))
    assert found.dtype == torch.float32
    for column in range(width):
        # Frequency i stands in the columns 2i and 2i + 1, or in i and half the width on.
        half = (width + 1) // 2
        i, cosine = divmod(column, 2) if interleaved else (column % half, column >= half)
        angles = positions.double() / 10000 ** torch.tensor(2 * i / width, dtype=torch.float64)
        wave = angles.cos() if cosine else angles.sin()
        assert torch.equal(found[..., column], wave.float())


@pytest.mark.parametrize(
    ("heads", "powers"),
    [
        (1, [8]),
        (4, [2, 4, 6, 8]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (6, [2, 4, 6, 8, 1, 3]),
        (3, [4, 8, 2]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_alibi_s_slopes_are_those_of_the_paper(heads: int, powers: list[float]) -> None:
    assert alibi_slopes(heads) == pytest.approx([2**-power for power in powers], rel=1e-12)


@pytest.mark.parametrize("heads", [*range(1, 18), 25, 112])
def test_alibi_is_the_reference_s_up_to_a_number_for_each_row(heads: int) -> None:
    """Which the softmax takes out again; also of batches padded on the left."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    seen = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
    theirs = build_alibi_tensor(seen, heads, torch.float32).view(2, heads, 1, 5)
    positions = (seen.cumsum(-1) - 1) * seen
    ours = AlibiBias(heads)(positions, positions)
    slopes = torch.tensor(alibi_slopes(heads))
    rows = slopes[None, :, None, None] * positions[:, None, :, None]
    torch.testing.assert_close(ours + rows, theirs.expand(-1, -1, 5, -1))
    assert (ours.diagonal(dim1=-2, dim2=-1) == 0).all()


def test_alibi_has_its_slopes_behind_a_network_without_memory() -> None:
    made = tiny.decoder(*[tiny.block(ALIBI)] * 2)
    empty = skeleton(made.spec)
    empty.load_state_dict(made.state_dict(), assign=True)
    request = RunRequest(source=Tokens.of_ids([5, 6, 7, 8, 9]), wants=frozenset({ALL}))
    assert torch.equal(run(empty, request).logits, run(made, request).logits)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_alibi_beside_half_as_many_digits(kind: torch.dtype) -> None:
    """The fused kernel takes its bias in float32 too; what is written out for an edit would not."""
    made = tiny.decoder(*[tiny.block(ALIBI)] * 2).to(kind)
    request = RunRequest(source=Tokens.of_ids([5, 6, 7, 8, 9]), wants=frozenset({ALL}))
    plain = run(made, request)
    assert plain.logits.isfinite().all()
    same = Edit(site="decoder.0.self.pattern", at=(("head", 0),), value=1.0, mode="scale")
    edited = run(made, RunRequest(source=request.source, wants=request.wants, edits=(same,)))
    assert (edited.logits - plain.logits).abs().max() < 0.5
