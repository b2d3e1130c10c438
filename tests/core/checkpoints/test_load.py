"""`load_model`: sources, devices, progress, cancelling, what it refuses."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from benchmarks.loading import PEAK
from core import builtin, device, load_model
from core.errors import Cancelled, CheckpointError, RequestError
from core.families import llama
from core.random_models import byte_tokenizer
from tests.core.checkpoints.conftest import IDS, Saved

Copy = Callable[[str], Saved]


def with_tokenizer(found: Saved) -> Saved:
    """A tokenizer whose ids fit the tiny vocabularies, and their [MASK]."""
    words = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, "[UNK]": 4, "a": 5, "cat": 6}
    backend = Tokenizer.from_str(byte_tokenizer(frame=True).to_str())
    from tokenizers import models, pre_tokenizers

    backend.model = models.WordLevel(vocab=words, unk_token="[UNK]")
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.save(str(found.folder / "tokenizer.json"))
    return found


def test_a_folder(saved: Copy) -> None:
    bert = with_tokenizer(saved("bert"))
    model = load_model(bert.folder)
    assert model.name == "bert"
    assert model.source == str(bert.folder)
    assert model.spec is model.network.spec
    assert model.spec.special.mask == 3
    found = model.trace("a [MASK] cat")
    assert found.tokens["encoder"].ids == (1, 5, 3, 6, 2)
    with torch.no_grad():
        expected = bert.model(torch.tensor([[1, 5, 3, 6, 2]])).prediction_logits[0]
    torch.testing.assert_close(found.logits, expected, atol=1e-4, rtol=0)


def test_without_a_tokenizer_ids_can_be_read(saved: Copy) -> None:
    model = load_model(str(saved("llama").folder))
    assert model.tokenizer is None
    assert any("no tokenizer" in note for note in model.notes)
    assert model.trace(ids=IDS).logits.shape == (48, 99)
    with pytest.raises(RequestError, match=r"cannot read text, only token ids: .* no tokenizer;"):
        model.trace("a cat")


@pytest.mark.parametrize("name", ["encoder", "decoder", "encoder-decoder", "vanilla"])
def test_random_models(name: str) -> None:
    model = load_model(f"random:{name}", seed=1)
    found = model.trace("The cat 😀")
    first = next(iter(found.tokens))
    pattern = found.pattern(f"{first}.self", 0)
    assert (pattern.sum(-1) - 1).abs().max() < 1e-5
    assert found.logits.shape[-1] == 260
    if model.spec.decoder is not None:
        steps = list(model.decode("The cat", max_new_tokens=3))
        assert len(steps) == 3 or steps[-1].finished
    if name != "vanilla":
        again, other = load_model(f"random:{name}", seed=1), load_model(f"random:{name}", seed=2)
        assert torch.equal(found.logits, again.trace("The cat 😀").logits)
        assert not torch.equal(found.logits, other.trace("The cat 😀").logits)


def test_the_2017_transformer_is_as_in_the_paper() -> None:
    model = load_model("random:vanilla")
    for stack in model.spec.stacks:
        assert (stack.layers, stack.d_model, stack.blocks[0].attention.heads) == (6, 512, 8)
        assert stack.blocks[0].feedforward.d_ff == 2048
        assert stack.blocks[0].residual == "post"
    assert model.spec.heads.vocab is not None
    assert model.spec.heads.vocab.tied
    assert model.spec.shared_embedding


def test_random_models_leave_torch_s_generator_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    load_model("random:encoder", seed=9)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize("listed", builtin.available(), ids=lambda listed: listed.source)
def test_built_in_models(listed: builtin.Listed) -> None:
    model = load_model(listed.source)
    assert model.name == listed.title
    assert model.spec.architecture == listed.architecture
    assert model.tokenizer is not None
    assert model.trace("The cat sat on the mat.").logits.isfinite().all()


def test_unknown_names() -> None:
    with pytest.raises(CheckpointError, match="no model 'builtin:parrot'"):
        load_model("builtin:parrot")
    with pytest.raises(CheckpointError, match="random:encoder-decoder"):
        load_model("random:parrot")
    with pytest.raises(RequestError, match="no device 'abacus' here; available are cpu"):
        load_model("random:encoder", device="abacus")
    with pytest.raises(RequestError, match="cannot compute in 'int4'"):
        load_model("random:encoder", dtype="int4")


def test_progress_and_cancelling(saved: Copy) -> None:
    folder = saved("llama").folder
    seen: list[tuple[float, float, str]] = []
    load_model(folder, progress=lambda *told: seen.append(told))
    assert [done / total for done, total, _ in seen] == sorted(d / t for d, t, _ in seen)
    assert seen[-1][0] == seen[-1][1]
    calls = iter([False, False, True])
    with pytest.raises(Cancelled):
        load_model(folder, should_stop=lambda: next(calls))


@pytest.mark.parametrize("collecting", [True, False])
def test_python_s_collector_rests_only_while_loading(saved: Copy, collecting: bool) -> None:
    folder = saved("bert").folder
    seen: list[bool] = []
    if not collecting:
        gc.disable()
    try:
        load_model(folder, progress=lambda *_: seen.append(gc.isenabled()))
        after_success = gc.isenabled()
        with pytest.raises(Cancelled):
            load_model(folder, should_stop=lambda: True)
        after_cancelling = gc.isenabled()
    finally:
        gc.enable()
    assert not any(seen)
    assert after_success is after_cancelling is collecting


def test_a_model_that_cannot_fit(saved: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "free_memory", lambda where: 10_000)
    with pytest.raises(RequestError, match=r"needs 0 MB .* but cpu has 0 MB free"):
        load_model(saved("llama").folder)


def test_computing_in_half_precision_on_request(saved: Copy) -> None:
    folder = saved("llama").folder
    model = load_model(folder, dtype="bfloat16")
    assert {p.dtype for p in model.network.parameters()} == {torch.bfloat16}
    assert model.spec.dtype == "float32"
    exact = load_model(folder)
    difference = model.trace(ids=IDS).logits - exact.trace(ids=IDS).logits
    assert difference.abs().max() > 0


def test_float32_weights_are_the_file_s_own(saved: Copy) -> None:
    """No second copy: the parameters lie in the mapped file."""
    llama = saved("llama")
    model = load_model(llama.folder)
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("this system does not list its memory maps")
    spans = [
        tuple(int(end, 16) for end in line.split()[0].split("-"))
        for line in maps.read_text().splitlines()
        if str(llama.weights) in line
    ]
    for name, parameter in model.network.named_parameters():
        assert any(a <= parameter.data_ptr() < b for a, b in spans), name


@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_a_model_leaves_memory_as_soon_as_nobody_has_it(saved: Copy, name: str) -> None:
    """And not when Python next looks for cycles: the next model may need the room."""
    folder = saved(name).folder
    load_model(folder)
    gc.collect()
    gc.disable()
    try:
        model = load_model(folder)
        target = {"target_ids": [0, 5]} if name == "t5" else {}
        trace = model.trace(ids=IDS, **target)
        held = [weakref.ref(model.network), weakref.ref(trace[list(trace.sites())[-1]])]
        del model, trace
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("stored", [torch.float32, torch.bfloat16])
def test_peak_memory(tmp_path: Path, stored: torch.dtype) -> None:
    """At most 1.3 times the weights, every one of them read, converted or not."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell the peak of a process's memory")
    sizes = {"vocab_size": 8000, "hidden_size": 768, "num_hidden_layers": 4}
    config = llama.FAMILY.tiny[0] | sizes | {"intermediate_size": 2048, "head_dim": 192}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    table = torch.zeros(8000, 768, dtype=stored)
    tensors = {"model.embed_tokens.weight": table, "lm_head.weight": table.clone()}
    tensors["model.norm.weight"] = torch.ones(768, dtype=stored)
    for i in range(4):
        shapes = {
            "input_layernorm": (768,),
            "post_attention_layernorm": (768,),
            "self_attn.q_proj": (768, 768),
            "self_attn.k_proj": (384, 768),
            "self_attn.v_proj": (384, 768),
            "self_attn.o_proj": (768, 768),
            "mlp.gate_proj": (2048, 768),
            "mlp.up_proj": (2048, 768),
            "mlp.down_proj": (768, 2048),
        }
        for name, shape in shapes.items():
            tensors[f"model.layers.{i}.{name}.weight"] = torch.ones(shape, dtype=stored)
    save_file(tensors, tmp_path / "model.safetensors")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert done.returncode == 0, done.stderr
    most, weights = map(int, done.stdout.split())
    assert most <= 1.3 * weights
