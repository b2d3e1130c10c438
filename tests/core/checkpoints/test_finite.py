"""Weights, edits and overflows that make results no finite numbers are named, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from core import LoadedModel, load_model
from core.decoding import Filling
from core.edits import Edit
from core.errors import RequestError
from core.finite import trouble
from core.request import MASKED
from core.tokens import Tokens
from tests.core.checkpoints.conftest import IDS, Saved

Copy = Callable[[str], Saved]
NAN, INF = float("nan"), float("inf")


def spoilt(found: Saved, key: str, value: float, at: tuple[int, ...] = (3,)) -> LoadedModel:
    """The checkpoint with one value of one tensor changed."""

    def spoil(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        tensors[key][at] = value
        return tensors

    found.rewrite(spoil)
    return load_model(found.folder)


def said(model: LoadedModel, ids: list[int] = IDS, **more: object) -> str:
    """What the model warns of."""
    with pytest.warns(RuntimeWarning) as caught:
        model.trace(ids=ids, **more)  # type: ignore[arg-type]
    (warning,) = caught
    assert Path(warning.filename) == Path(__file__)  # the line that asked
    return str(warning.message)


@pytest.mark.parametrize(
    ("name", "key", "site"),
    [
        ("llama", "model.layers.1.mlp.up_proj.weight", "ffn.inner .* in layer 2 of the decoder"),
        ("llama", "model.layers.1.self_attn.k_proj.weight", "self.k .* in layer 2 of the decoder"),
        ("llama", "model.layers.0.input_layernorm.weight", "norm.self .* in layer 1 of the"),
        ("llama", "model.norm.weight", "final.norm .* in the last norm of the decoder"),
        ("gpt2", "transformer.wpe.weight", "embed.position .* in the embedding of the decoder"),
        ("gpt2", "transformer.h.2.attn.c_attn.bias", "self.q .* in layer 3 of the decoder"),
        ("t5", "encoder.block.1.layer.1.DenseReluDense.wo.weight", "ffn.out .* 2 of the encoder"),
        ("t5", "decoder.block.1.layer.1.EncDecAttention.v.weight", "cross.v .* 2 of the decoder"),
        (
            "t5",
            "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            "self.context .* in layer 1 of the decoder",
        ),
    ],
)
@pytest.mark.parametrize("value", [NAN, INF])
def test_the_first_value_and_its_weights(
    saved: Copy, name: str, key: str, site: str, value: float
) -> None:
    found = saved(name)
    at = (0,) if "relative" in key else (3,)
    model = spoilt(found, key, value, at)
    target = {"target_ids": [0, 5, 6]} if name == "t5" else {}
    text = said(model, **target)
    what = "NaN" if value != value else "infinity"
    assert f"because {key} holds {what}" in text
    assert text.startswith(f"{model.name}: the results are no finite numbers")
    assert re.search(f"stands first in {site}", text), text
    assert "\n" not in text


def test_a_model_as_it_should_be_is_not_warned_of(saved: Copy) -> None:
    for name in ("llama", "bert", "t5"):
        model = load_model(saved(name).folder)
        target = {"target_ids": [0, 5, 6]} if name == "t5" else {}
        found = model.trace(ids=IDS, **target)  # a warning would be an error here
        assert trouble(found) == model.trouble(found) == ""


def test_loading_reads_no_weight(saved: Copy) -> None:
    """Not even to look for NaN: a page of the file that was read is in this process's memory."""
    maps = Path("/proc/self/smaps")
    if not maps.exists():
        pytest.skip("this system does not tell which pages of a file are in memory")
    gpt2 = saved("gpt2")
    gpt2.configure(lambda config: config.update(vocab_size=100_000))
    key = "transformer.wte.weight"
    gpt2.rewrite(lambda tensors: tensors | {key: torch.ones(100_000, 32)})
    model = load_model(gpt2.folder)
    assert _in_memory(maps, gpt2.weights) < 0.1
    assert model.network.stack("decoder").embedding.token.weight.sum() == 3_200_000
    assert _in_memory(maps, gpt2.weights) > 0.9


def _in_memory(maps: Path, file: Path) -> float:
    """The share of a file that this process has mapped and read."""
    _, _, rest = maps.read_text().partition(f" {file}\n")
    found = re.search(r"^Rss:\s+(\d+) kB", rest, re.MULTILINE)
    assert found is not None
    return 1024 * int(found[1]) / file.stat().st_size


def test_a_word_the_text_does_not_hold(saved: Copy) -> None:
    """Its embedding is tied to the output matrix, so only its own score is spoilt."""
    gpt2 = saved("gpt2")
    model = spoilt(gpt2, "transformer.wte.weight", NAN, (98, 3))
    assert 98 not in IDS
    assert "in the scores of 1 of 99 tokens, because transformer.wte.weight holds NaN" in said(
        model
    )


def test_a_spoilt_classifier(saved: Copy) -> None:
    bert = saved("bert classes")
    model = spoilt(bert, "classifier.weight", INF, (0, 0))
    assert "stands first in the classes head, because classifier.weight holds infinity" in said(
        model
    )


def test_many_weights_are_counted(saved: Copy) -> None:
    llama = saved("llama")

    def spoil(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        for name in ("q", "k", "v", "o"):
            tensors[f"model.layers.0.self_attn.{name}_proj.weight"][0, 0] = NAN
        return tensors

    llama.rewrite(spoil)
    text = said(load_model(llama.folder))
    assert "model.layers.0.self_attn.q_proj.weight holds NaN and" in text
    assert text.endswith("and 1 more weights do so")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_edit_is_not_the_weights_fault(saved: Copy) -> None:
    model = load_model(saved("llama").folder)
    edit = Edit(site="decoder.1.ffn.out", value=INF)
    found = model.trace(ids=IDS, edits=[edit])
    assert (
        "ffn.out (output of the feed-forward network) in layer 2 of the decoder, where an edit"
        in (trouble(found))
    )
    large = Edit(site="decoder.0.self.scores", value=3e38, mode="scale")
    found = model.trace(ids=IDS, edits=[large])
    assert "edit" in trouble(found)


def test_numbers_that_outgrow_the_type(saved: Copy) -> None:
    llama = saved("llama")
    key = "model.layers.1.mlp.down_proj.weight"
    llama.rewrite(lambda tensors: tensors | {key: torch.full_like(tensors[key], 3e4)})
    assert trouble(load_model(llama.folder).trace(ids=IDS)) == ""
    text = said(load_model(llama.folder, dtype="float16"))
    assert "its weights are finite, so the numbers outgrew float16" in text
    assert text.endswith("; float32 holds more")


def test_weights_that_do_not_fit_the_type_asked_for(saved: Copy) -> None:
    model = spoilt(saved("llama"), "model.layers.0.mlp.up_proj.weight", 1e30)
    assert trouble(model.trace(ids=IDS)) == ""
    half = load_model(model.source, dtype="float16")
    assert "because model.layers.0.mlp.up_proj.weight holds infinity" in said(half)


def test_a_run_that_continues_another(saved: Copy) -> None:
    """A row of the positions that only the appended token reaches."""
    model = spoilt(saved("gpt2"), "transformer.wpe.weight", NAN, (5, 0))
    first = model.trace(ids=IDS[:5])
    request = replace(first.request, source=model.trace(ids=IDS[:4]).request.source)
    assert trouble(model.run(request, previous=first)) == ""
    longer = replace(first.request, source=Tokens.of_ids(IDS[:6]))
    assert "embed.position" in trouble(model.run(longer, previous=first))


@pytest.mark.parametrize("strategy", ["greedy", "sample"])
def test_no_token_is_chosen_from_scores_that_are_none(saved: Copy, strategy: str) -> None:
    model = spoilt(saved("llama"), "model.layers.1.mlp.up_proj.weight", NAN)
    with pytest.raises(RequestError, match=r"no token can be chosen: .*up_proj\.weight holds NaN"):
        next(model.decode(ids=IDS, strategy=strategy))  # type: ignore[arg-type]


def test_no_beam_grows_from_scores_that_are_none(saved: Copy) -> None:
    from core.decoding import BeamSearch
    from core.request import DecodeRequest

    model = spoilt(saved("llama"), "model.layers.1.mlp.up_proj.weight", NAN)
    request = model._request(Tokens.of_ids(IDS), None, None, (), ())
    search = BeamSearch(model, DecodeRequest(run=request, strategy="beam"))
    with pytest.raises(RequestError, match="no token can be chosen"):
        search.step()


def test_no_mask_is_filled_from_scores_that_are_none(saved: Copy) -> None:
    found = saved("bert masked")
    key = next(k for k in _names(found) if k.endswith("layer.1.output.dense.bias"))
    model = spoilt(found, key, NAN)
    spec = replace(model.spec, special=replace(model.spec.special, mask=7))
    model = replace(model, spec=spec)
    model.network.spec = spec
    request = model._request(Tokens.of_ids([5, 7, 6]), None, None, (), (MASKED,))
    with pytest.raises(RequestError, match="no token can be chosen"):
        Filling(model, request).step()


def _names(found: Saved) -> list[str]:
    from safetensors.torch import load_file

    return list(load_file(found.weights))


def test_a_configuration_that_divides_by_zero(saved: Copy) -> None:
    """No weight is blamed where all are finite."""
    llama = saved("llama")
    llama.configure(lambda config: config.update(rms_norm_eps=0))
    llama.rewrite(lambda tensors: {n: t * 0 if "embed" in n else t for n, t in tensors.items()})
    text = said(load_model(llama.folder))
    assert "norm.self" in text
    assert "division by zero" in text
