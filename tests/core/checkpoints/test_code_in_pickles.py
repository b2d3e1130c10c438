"""Code in a pickled checkpoint is never run."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from tests.core.checkpoints.refusing import Copy, refusal


class Payload:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("code of a checkpoint was run",))


def test_code_in_a_pickled_file_never_runs(saved: Copy, capsys: pytest.CaptureFixture[str]) -> None:
    llama = saved("llama")
    tensors = load_file(llama.weights)
    llama.weights.unlink()
    torch.save({**tensors, "x": Payload()}, llama.folder / "pytorch_model.bin")
    assert "code in a checkpoint is never run" in refusal(llama.folder)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("zipped", [True, False])
def test_a_whole_model_in_a_pickle(saved: Copy, zipped: bool) -> None:
    llama = saved("llama")
    llama.weights.unlink()
    path = llama.folder / "pytorch_model.bin"
    torch.save(llama.model, path, _use_new_zipfile_serialization=zipped)
    message = refusal(llama.folder)
    assert "LlamaForCausalLM, not tensors alone" in message
    assert "code in a checkpoint is never run" in message
