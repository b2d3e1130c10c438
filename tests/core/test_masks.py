"""Every mask kind, key by key."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch

from core import masks
from core.checkpoints.load import load_model
from core.errors import RequestError
from core.mask_kinds import KINDS, Context
from core.masks import MaskChoice, choose
from core.request import RunRequest
from core.run import run
from core.tokens import Tokens
from core.trace import Trace
from tests.core import tiny

OWN = tiny.attention(causal=True)


def where(
    count: int, *, left: int = 0, right: int = 0, segments: list[int] | None = None
) -> Context:
    padding = torch.tensor([True] * left + [False] * count + [True] * right)
    kinds = torch.tensor(segments) if segments else None
    return masks.context_of(
        q_padding=padding, k_padding=padding, q_segments=kinds, k_segments=kinds
    )


def grid(choice: MaskChoice, context: Context) -> list[str]:
    return ["".join(".x"[int(c)] for c in row) for row in masks.allowed(choice, context, OWN)]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (choose("bidirectional"), ["xxxx"] * 4),
        (choose("causal"), ["x...", "xx..", "xxx.", "xxxx"]),
        (choose("model"), ["x...", "xx..", "xxx.", "xxxx"]),
        (choose("prefix", prefix=2), ["xx..", "xx..", "xxx.", "xxxx"]),
        (choose("prefix", prefix=0), ["x...", "xx..", "xxx.", "xxxx"]),
        (choose("prefix", prefix=1), ["x...", "xx..", "xxx.", "xxxx"]),
        (choose("prefix", prefix=4), ["xxxx"] * 4),
        (choose("sliding_window", window=2), ["x...", "xx..", ".xx.", "..xx"]),
        (choose("sliding_window", window=1), ["x...", ".x..", "..x.", "...x"]),
        (choose("local", window=2), ["xx..", "xxx.", ".xxx", "..xx"]),
        (choose("strided", stride=3, local=1), ["x..x", ".x..", "..x.", "x..x"]),
        (choose("global_local", tokens=1, window=1), ["xxxx", "xx..", "x.x.", "x..x"]),
        (choose("no_self"), [".xxx", "x.xx", "xx.x", "xxx."]),
        (choose("causal") & choose("no_self"), ["....", "x...", "xx..", "xxx."]),
        (choose("causal") & choose("local", window=2), ["x...", "xx..", ".xx.", "..xx"]),
        (choose("sliding_window", window=1) | choose("no_self"), ["xxxx"] * 4),
        (MaskChoice(key="causal", blocked=((2, 0), (3, 3))), ["x...", "xx..", ".xx.", "xxx."]),
    ],
)
def test_allowed_cells(choice: MaskChoice, expected: list[str]) -> None:
    assert grid(choice, where(4)) == expected


def test_segments_see_only_themselves() -> None:
    assert grid(choose("segment"), where(4, segments=[0, 0, 1, 1])) == [
        "xx..",
        "xx..",
        "..xx",
        "..xx",
    ]


@pytest.mark.parametrize("key", KINDS)
def test_padding_is_hidden_from_every_query(key: str) -> None:
    context = where(4, left=1, right=2)
    found = masks.allowed(choose(key), context, OWN)
    assert not found[:, [0, 5, 6]].any()
    shown = masks.allowed(MaskChoice(key=key, hide_padding=False), context, OWN)
    assert key == "padding" or shown[:, [0, 5, 6]].any()


def test_positions_count_real_tokens() -> None:
    flags = torch.tensor([[True, True, False, False, True]])
    assert masks.positions(flags).tolist() == [[-1, -1, 0, 1, 1]]
    assert Tokens.of_ids([5, 6]).padded(4, pad=0, piece="p", side="left").positions == (
        None, None, 0, 1,
    )  # fmt: skip


def test_prefix_counts_from_the_first_real_token() -> None:
    found = grid(choose("prefix", prefix=2), where(3, left=2))
    assert found[2:] == ["..xx.", "..xx.", "..xxx"]


@pytest.mark.parametrize(
    ("window", "seen"), [(1, [1] * 10), (4, [1, 2, 3] + [4] * 7), (10, range(1, 11))]
)
def test_the_models_own_window_holds_itself_and_those_before(window: int, seen: list[int]) -> None:
    spec = tiny.attention(causal=True, window=window)
    found = masks.allowed(MaskChoice(), where(10), spec)
    assert found.sum(-1).tolist() == list(seen)
    assert torch.equal(
        found, masks.allowed(choose("sliding_window", window=window), where(10), OWN)
    )


def test_fast_paths_agree_with_the_predicates() -> None:
    """The shortcuts of `build` stand for exactly the cells of `allowed`."""
    for choice in (MaskChoice(), choose("causal"), choose("bidirectional")):
        for start in (0, 4):
            padding = torch.zeros(5, dtype=torch.bool)
            context = masks.context_of(q_padding=padding, k_padding=padding, q_start=start)
            built = masks.build(choice, context, OWN)
            expected = masks.allowed(choice, context, OWN)
            if built.is_causal:
                assert torch.equal(expected, torch.ones(5, 5).tril().bool())
            elif built.allowed is None:
                assert expected.all()
            else:
                assert torch.equal(built.allowed[0, 0], expected)


def test_parameters_may_stand_in_the_name() -> None:
    assert choose("local:window=2") == choose("local", window=2)
    assert choose("global_local:window=2,tokens=1") == choose("global_local", window=2, tokens=1)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: choose("diagonal"), "there is no mask 'diagonal'"),
        (lambda: choose("sliding_window", window=0), "it must be at least 1"),
        (lambda: choose("causal", window=3), "has no parameter 'window'"),
        (lambda: choose("local:wide=3"), "has no parameter 'wide'"),
        (lambda: choose("local:window"), "'window' is not understood; write it as name=number"),
        (lambda: (choose("causal") & choose("no_self")) | choose("local"), "all “and” or all “or”"),
        (lambda: MaskChoice(blocked=((0, 0),)) & choose("causal"), "then paint cells"),
        (lambda: choose("model:window=3"), "has no parameter 'window'; it has none"),
        (lambda: choose("local:window=2,window=5"), "the mask 'local' has .*names window twice"),
        (lambda: choose("local:window=2", window=2), "names window twice"),
        (lambda: choose("local", window=2.5), "the window 2.5 is no whole number"),
        (lambda: choose("local", window="3"), "the window '3' is no whole number"),
        (lambda: choose(choose("local"), window=3), "window goes with the name of a mask"),
        (lambda: masks.check("local"), "'local' is no MaskChoice"),
        (lambda: masks.check(MaskChoice(also=("prefix",))), "'prefix' is no MaskChoice"),
        (lambda: masks.check(MaskChoice(also=None)), "also is None; it must be a tuple"),
        (lambda: masks.check(MaskChoice(key="local", params=None)), "must be pairs of a param"),
        (lambda: masks.check(MaskChoice(params=((1, 2),))), "must be pairs of a parameter's name"),
        (lambda: masks.check(MaskChoice(blocked=(3, 4))), "must be pairs of a query and a key"),
        (lambda: masks.check(MaskChoice(how="xor")), "joined by 'and' or 'or', not by 'xor'"),
        (
            lambda: masks.check(choose("padding") & choose("causal"), "decoder.cross"),
            "'causal' compares tokens of one text, .* there are model, bidirectional, padding, loc",
        ),
    ],
)
def test_bad_choices_are_refused_in_a_sentence(make: object, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("key", "site"),
    [
        (key, site)
        for site in ("decoder.self", "encoder.self", "decoder.cross")
        for key, kind in KINDS.items()
        if site.split(".")[1] in kind.sites
    ],
)
def test_any_mask_on_any_model(key: str, site: str) -> None:
    """Blocked cells weigh exactly 0, rows sum to 1, and rows without a key are 0."""
    network = tiny.encoder_decoder()
    source = Tokens.of_ids(tiny.ids(6)).padded(8, pad=0, piece="p")
    found = tiny.trace(network, source, target=[2, *tiny.ids(4, 1)], masks=((site, choose(key)),))
    for layer in range(2):
        pattern, allowed = found.pattern(site, layer), found.allowed(site, layer)
        assert pattern.isfinite().all()
        assert (pattern[:, ~allowed] == 0).all()
        alive = allowed.any(-1)
        assert (pattern.sum(-1) - alive.float()).abs().max() <= 1e-5
        used = torch.einsum("hqk,hkd->hqd", pattern, found[f"{site.replace('.', f'.{layer}.')}.v"])
        context = found[f"{site.replace('.', f'.{layer}.')}.context"]
        assert (used - context).abs().max() <= 1e-4


def test_choices_are_data() -> None:
    text = (choose("causal") & choose("local", window=2)).describe()
    assert text == "causal & local(window=2)"
    assert hash(RunRequest(source=Tokens.of_ids([1]), masks=(("decoder.self", choose("causal")),)))


@pytest.mark.parametrize("key", KINDS)
def test_an_explanation_reads_as_a_sentence(key: str) -> None:
    """It names the parameters as their spin boxes are labelled, and holds no code."""
    kind = KINDS[key]
    assert kind.explanation.endswith(".")
    assert not set("`<>≤≥=-_") & set(kind.explanation)
    quoted = re.findall("“(.*?)”", kind.explanation)
    assert sorted(quoted) == sorted(parameter.label for parameter in kind.parameters)


@pytest.mark.parametrize(("left", "right"), [(8, 0), (0, 8), (3, 2)])
def test_not_itself_hides_one_cell_of_every_row_padding_or_not(left: int, right: int) -> None:
    choice = MaskChoice(key="bidirectional", also=(MaskChoice(key="no_self"),), hide_padding=False)
    found = masks.allowed(choice, where(6, left=left, right=right), OWN)
    assert torch.equal(found, ~torch.eye(6 + left + right, dtype=torch.bool))


def test_not_itself_means_the_same_token_for_queries_behind_a_cache() -> None:
    padding = torch.tensor([True] * 3 + [False] * 5)
    choice = MaskChoice(key="no_self", hide_padding=False)
    for start in range(8):
        context = masks.context_of(q_padding=padding, k_padding=padding, q_start=start)
        expected = ~torch.eye(8, dtype=torch.bool)[start:]
        assert torch.equal(masks.allowed(choice, context, OWN), expected)


def test_not_itself_holds_for_a_cached_run_behind_left_padding() -> None:
    network = tiny.decoder()
    choice = replace(choose("causal") & choose("no_self"), hide_padding=False)
    ids = [0] * 3 + tiny.ids(5)

    def text(count: int) -> RunRequest:
        tokens = Tokens.of_ids(ids[3:count]).padded(count, pad=0, piece="p", side="left")
        return RunRequest(source=tokens, masks=(("decoder.self", choice),))

    whole, first = run(network, text(8)), run(network, text(6))
    grown = run(network, text(8), previous=run(network, text(7), previous=first))
    assert grown.cache.cache is first.cache.cache
    for layer in range(network.spec.stack("decoder").layers):
        expected = torch.ones(8, 8).tril(-1).bool()
        expected[:3, :3] = ~torch.eye(3, dtype=torch.bool)  # all at one position before the text
        assert torch.equal(grown.allowed("decoder.self", layer), expected)
        site = f"decoder.{layer}.self.context"
        assert torch.allclose(grown[site], whole[site], atol=1e-5)


def test_one_painted_cell_is_told_in_the_singular() -> None:
    assert MaskChoice(blocked=((0, 0),)).describe().endswith(" − 1 cell")
    assert MaskChoice(blocked=((0, 0), (0, 1))).describe().endswith(" − 2 cells")


@pytest.mark.parametrize("key", [key for key, kind in KINDS.items() if "cross" not in kind.sites])
def test_a_mask_of_one_text_is_refused_across_two(key: str) -> None:
    network = tiny.encoder_decoder()
    for choice in (choose(key), choose("padding") | choose(key)):
        masks_ = (("decoder.cross", choice),)
        with pytest.raises(RequestError, match="compares tokens of one text, and dec"):
            tiny.trace(network, tiny.ids(6), target=[2, 7], masks=masks_)


def test_an_unknown_way_of_joining_is_refused_by_a_run() -> None:
    choice = MaskChoice(key="causal", also=(choose("no_self"),), how="xor")  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="not by 'xor'"):
        tiny.trace(tiny.decoder(), tiny.ids(4), masks=(("decoder.self", choice),))


def test_joined_choices_may_be_joined_again() -> None:
    anywhere = choose("sliding_window", window=1) | choose("no_self")
    choice = choose("causal") & anywhere
    assert choice.describe() == "causal & (sliding_window(window=1) | no_self)"
    assert grid(choice, where(4)) == ["x...", "xx..", "xxx.", "xxxx"]
    near_or_first = choose("causal") | (choose("local", window=2) & choose("prefix", prefix=3))
    assert masks.look_ahead(near_or_first, OWN) == 3


def test_more_leading_tokens_than_there_are_act_like_all_of_them_and_it_is_said() -> None:
    network = tiny.decoder()
    text = Tokens.of_ids(tiny.ids(6)).padded(9, pad=0, piece="p", side="left")

    def under(choice: MaskChoice) -> Trace:
        return tiny.trace(network, text, masks=(("decoder.self", choice),))

    all_of_it = under(choose("prefix", prefix=6))
    assert all_of_it.notes == ()
    beyond = under(choose("prefix", prefix=9) & choose("bidirectional"))
    assert torch.equal(beyond.logits, all_of_it.logits)
    (said,) = beyond.notes
    assert said == (
        "at decoder.self, prefix 9 of the mask 'Prefix LM' is more than the tokens of the text "
        "and acts like 6"
    )
    (said,) = under(choose("causal") & choose("global_local", tokens=7)).notes
    assert "global 7 of the mask 'Global + local'" in said
    assert under(choose("sliding_window", window=99)).notes == ()


def test_a_script_is_warned_of_a_prefix_beyond_the_text() -> None:
    model = load_model("random:decoder")
    with pytest.warns(RuntimeWarning, match="prefix 99 of the mask 'Prefix LM' is more than"):
        model.trace(ids=[5, 6, 7], masks={"decoder.self": "prefix:prefix=99"})
    with pytest.warns(RuntimeWarning, match="prefix 5 of the mask 'Prefix LM' is more") as told:
        steps = list(model.decode(ids=[5, 6, 7], masks={"decoder.self": "prefix:prefix=5"}))
    assert len(steps) > 3
    assert len(told) == 1, "once, however many steps the text stays shorter"
    assert "acts like 3" in str(told[0].message)
    assert told[0].filename == __file__
