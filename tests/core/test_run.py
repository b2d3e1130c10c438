"""A run records what really happened; nothing recorded changes what happens."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.errors import Cancelled, RequestError
from core.masks import MaskChoice
from core.recorder import SITES, Recorder
from core.request import ALL, RunRequest
from core.run import run
from core.spec import ResidualKind
from core.tokens import Tokens
from tests.core import tiny

MODELS = {"encoder": tiny.encoder, "decoder": tiny.decoder, "both": tiny.encoder_decoder}


def any_trace(kind: str, **more: object):
    network = MODELS[kind]()
    target = [2, *tiny.ids(5, 1)] if kind == "both" else None
    return network, tiny.trace(network, tiny.ids(12), target=target, **more)


@pytest.mark.parametrize("kind", MODELS)
def test_every_recorded_site_is_documented(kind: str) -> None:
    _, found = any_trace(kind)
    for site in found.sites():
        name = ".".join(site.split(".")[-2:]).replace("cross.", "self.", 1)
        name = f"resid.{name.split('.')[1]}" if ".resid." in site else name
        name = name if not name.startswith("norm.") else site.split(".", 2)[-1]
        assert name in SITES, site
        assert " ".join(found.axes(site)) == SITES[name][0], site


@pytest.mark.parametrize("positions", tiny.POSITIONS)
@pytest.mark.parametrize("softcap", [None, 5.0])
def test_pattern_is_what_the_forward_pass_used(positions: str, softcap: float | None) -> None:
    """weights · v, with the derived weights, is the recorded context; scores by plain numpy."""
    spec = tiny.attention(
        causal=True, kv_heads=2, positions=tiny.POSITIONS[positions], softcap=softcap
    )
    network = tiny.decoder(*[tiny.block(spec)] * 2)
    found = tiny.trace(network, tiny.ids(24))
    for layer in range(2):
        q, k, v = (found[f"decoder.{layer}.self.{x}"].double().numpy() for x in "qkv")
        k, v = np.repeat(k, 2, axis=0), np.repeat(v, 2, axis=0)
        pattern = found.pattern("decoder.self", layer).numpy()
        context = found[f"decoder.{layer}.self.context"].numpy()
        assert np.abs(pattern @ v - context).max() < 1e-4
        assert (pattern[:, np.triu_indices(24, 1)[0], np.triu_indices(24, 1)[1]] == 0).all()
        if positions in ("none", "rotary", "rotary interleaved"):
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(8)
            scores = scores if softcap is None else softcap * np.tanh(scores / softcap)
            assert np.abs(found.scores("decoder.self", layer).numpy() - scores).max() < 1e-4


@pytest.mark.parametrize("kind", MODELS)
def test_capture_does_not_change_the_result(kind: str) -> None:
    network, found = any_trace(kind)
    ids = torch.tensor([tiny.ids(12)])
    with torch.inference_mode():
        states = network.decode(ids) if kind == "decoder" else network.encode(ids)
        if kind == "both":
            states = network.decode(torch.tensor([[2, *tiny.ids(5, 1)]]), memory=states)
        bare = network.vocab_logits(states)[0]
    assert (found.logits - bare).abs().max() <= 1e-5


def test_head_and_query_pick_the_same_numbers() -> None:
    _, found = any_trace("decoder")
    other = any_trace("decoder")[1]
    whole = found.pattern("decoder.self", 1)
    assert torch.allclose(other.pattern("decoder.self", 1, 3), whole[3], atol=1e-6)
    assert torch.allclose(other.pattern("decoder.self", 1, 2, 5), whole[2, 5], atol=1e-6)
    assert torch.allclose(other.pattern("decoder.self", 1, query=4), whole[:, 4], atol=1e-6)
    assert torch.allclose(
        other.scores("decoder.self", 1, 2, 5), found.scores("decoder.self", 1)[2, 5], atol=1e-5
    )


def test_hidden_states_start_with_embeddings_and_end_after_the_final_norm() -> None:
    network, found = any_trace("decoder")
    hidden = found.hidden("decoder")
    assert hidden.shape == (4, 12, tiny.WIDTH)
    assert torch.equal(hidden[0], found["decoder.embed.out"])
    assert torch.equal(hidden[1], found["decoder.0.resid.out"])
    last = network.stack("decoder").final_norm(found["decoder.2.resid.out"])
    assert torch.allclose(hidden[3], last, atol=1e-6)


def norm(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (var + 1e-5).sqrt() * module.weight + module.bias


@pytest.mark.parametrize("residual", ["post", "pre", "parallel", "joint", "sandwich"])
def test_residual_kinds_follow_their_formula(residual: ResidualKind) -> None:
    network = tiny.decoder(tiny.block(tiny.attention(causal=True), residual))
    found = tiny.trace(network, tiny.ids(6))
    h = found["decoder.embed.out"]
    part = network.stack("decoder").block(0).residual
    a, f = found["decoder.0.self.out"], found["decoder.0.ffn.out"]
    block = network.stack("decoder").block(0)

    def feed(x: torch.Tensor) -> torch.Tensor:
        return block.feedforward(x[None])[0]

    if residual == "post":
        mid = norm(part["self"].norm, h + a)
        expected = norm(part["ffn"].norm, mid + feed(mid))
    elif residual == "pre":
        mid = h + a
        expected = mid + feed(norm(part["ffn"].norm, mid))
    elif residual == "parallel":
        expected = h + a + feed(norm(part["ffn"].norm, h))
    elif residual == "joint":
        expected = norm(part["self"].norm, h + a + feed(a))
    else:
        mid = h + norm(part["self"].post, a)
        expected = mid + norm(part["ffn"].post, feed(norm(part["ffn"].norm, mid)))
    assert (found["decoder.0.resid.out"] - expected).abs().max() < 1e-5
    assert f.shape == h.shape


def test_left_and_right_padding_change_nothing_real() -> None:
    network = tiny.decoder()
    plain = tiny.trace(network, tiny.ids(7))
    for side, first in (("left", 3), ("right", 0)):
        tokens = Tokens.of_ids(tiny.ids(7)).padded(10, pad=0, piece="p", side=side)
        found = tiny.trace(network, tokens)
        rows = slice(first, first + 7)
        assert found.logits.isfinite().all()
        assert (found.logits[rows] - plain.logits).abs().max() <= 1e-5
        for layer in range(3):
            mine = found.pattern("decoder.self", layer)
            assert (mine[:, rows, rows] - plain.pattern("decoder.self", layer)).abs().max() <= 1e-5
            outside = [i for i in range(10) if not first <= i < first + 7]
            assert (mine[:, rows][:, :, outside] == 0).all()
        if side == "left":
            assert not found.allowed("decoder.self", 0)[:3].any()
            assert (found.pattern("decoder.self", 0)[:, :3] == 0).all()
            assert (found["decoder.0.self.context"][:, :3] == 0).all()


def test_no_key_at_all_contributes_nothing() -> None:
    network = tiny.encoder()
    blocked = tuple((2, k) for k in range(6))
    found = tiny.trace(network, tiny.ids(6), masks=(("encoder.self", MaskChoice(blocked=blocked)),))
    assert found.logits.isfinite().all()
    for layer in range(3):
        assert (found.pattern("encoder.self", layer)[:, 2] == 0).all()
        assert (found[f"encoder.{layer}.self.context"][:, 2] == 0).all()


def test_what_is_computed_again_is_what_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {kind: any_trace(kind)[1] for kind in MODELS}
    again = {
        site for trace in made.values() for site, held in trace.captured.items() if held.bytes == 0
    }
    assert {"encoder.1.resid.self_sum", "decoder.1.norm.ffn", "decoder.0.ffn.act"} <= again

    def kept(rec: Recorder, name: str, value: torch.Tensor, axes: str, compute: object) -> object:
        return rec(name, value, axes)

    monkeypatch.setattr(Recorder, "derived", kept)
    for kind, trace in made.items():
        whole = any_trace(kind)[1]
        assert list(whole.sites()) == list(trace.sites())
        for site, held in whole.captured.items():
            assert held.bytes > 0
            assert torch.equal(whole[site], trace[site]), site
            assert trace.captured[site].rows([-1, 2]).equal(held.rows([-1, 2])), site
            assert trace.captured[site].cropped(4).values.equal(held.cropped(4).values), site


def test_the_recorder_refuses_twins_and_wrong_ranks() -> None:
    rec = Recorder().at("decoder", 0, "self")
    rec("q", torch.zeros(1, 2, 3, 4), "head query d_head")
    with pytest.raises(RuntimeError, match="recorded twice"):
        rec("q", torch.zeros(1, 2, 3, 4), "head query d_head")
    with pytest.raises(RuntimeError, match="its axes are batch"):
        rec("k", torch.zeros(2, 3, 4), "head query d_head")
    with pytest.raises(ValueError, match="unknown axis 'seq'"):
        rec("v", torch.zeros(1, 2), "seq")


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (RunRequest(source=Tokens.of_ids([])), "is empty"),
        (
            RunRequest(source=Tokens.of_ids([0] * 65)),
            "has 65 tokens; tiny encoder takes at most 64",
        ),
        (RunRequest(source=Tokens.of_ids([64])), "outside the vocabulary of 64"),
        (RunRequest(source=Tokens.of_ids([1]), target=Tokens.of_ids([1])), "takes no target"),
        (
            RunRequest(source=Tokens.of_ids([1]), masks=(("decoder.self", MaskChoice()),)),
            "no attention site 'decoder.self'",
        ),
        (
            RunRequest(source=Tokens.of_ids([5]), wants=frozenset({"logits.lst"})),
            "unknown wish 'logits.lst' in wants; there are heads, logits.all, logits.last",
        ),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(request_: RunRequest, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        run(tiny.encoder(), request_)


@pytest.mark.parametrize("whole", [False, True])
def test_places_that_are_not_there(whole: bool) -> None:
    """Said alike whether or not all of it was computed before."""
    _, found = any_trace("encoder")
    count = len(found.tokens["encoder"])
    if whole:
        found.pattern("encoder.self", 0), found.logits
    for head, query, said in (
        (-1, None, "heads 0 to 3, not -1"),
        (4, None, "heads 0 to 3, not 4"),
        (1.5, None, "the head 1.5 is no whole number"),
        (0, count, f"queries 0 to {count - 1}, not {count}"),
        (None, -1, f"queries 0 to {count - 1}, not -1"),
    ):
        with pytest.raises(RequestError, match=said):
            found.pattern("encoder.self", 0, head, query)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match=f"positions 0 to {count - 1}, not {count}"):
        found.logits_at(0, count)
    assert torch.equal(found.logits_at(-1), found.logits_at(count - 1))
    assert found.logits_at().shape == (0, found.logits_at(0).shape[1])


def test_the_token_that_is_outside_the_vocabulary_is_named() -> None:
    with pytest.raises(RequestError, match="token id -1 is outside the vocabulary"):
        run(tiny.encoder(), RunRequest(source=Tokens.of_ids([3, -1, 4])))


def test_asking_for_what_is_not_there() -> None:
    _, found = any_trace("encoder")
    with pytest.raises(RequestError, match=r"no attention site 'decoder\.self'"):
        found.pattern("decoder.self", 0)
    with pytest.raises(RequestError, match="layers 0 to 2, not 3"):
        found.pattern("encoder.self", 3)
    with pytest.raises(RequestError, match="heads 0 to 3, not 4"):
        found.pattern("encoder.self", 0, 4)
    with pytest.raises(KeyError, match="there are, near it"):
        found["encoder.0.ffn.nothing"]


def test_a_run_can_be_stopped() -> None:
    asked = 0

    def soon() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    with pytest.raises(Cancelled):
        run(tiny.decoder(), RunRequest(source=Tokens.of_ids([5, 6])), should_stop=soon)


def test_wanted_logits_equal_all_logits() -> None:
    network = tiny.encoder()
    source = [*tiny.ids(4), 3, *tiny.ids(3, 2), 3]
    few, every = tiny.trace(network, source), tiny.trace(network, source, wants=frozenset({ALL}))
    assert torch.allclose(few.logits_at(4, 8), every.logits[[4, 8]], atol=1e-6)
    assert torch.allclose(few.logits_at(4, 2), every.logits[[4, 2]], atol=1e-6)
    assert set(few.heads) == {"vocab", "pair"}
    pooled = (every["encoder.2.resid.out"][0] @ network.heads.pooler.weight.T
              + network.heads.pooler.bias).tanh()  # fmt: skip
    pair = pooled @ network.heads.pair.weight.T + network.heads.pair.bias
    assert torch.allclose(few.heads["pair"], pair, atol=1e-5)
