"""The reference: tiny `transformers` models with every parameter redrawn, saved as checkpoints."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from tests.core.families.vanilla_reference import Transformer2017

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def make(config: Mapping[str, Any], seed: int = 0) -> Any:
    """A model of the class the configuration names, with eager attention, redrawn."""
    values = json.loads(json.dumps(dict(config)))
    name, model_type = values.pop("architectures")[0], values.pop("model_type")
    if name == "Transformer2017":
        model: Any = Transformer2017(dict(config))
    else:
        made = transformers.AutoConfig.for_model(model_type, **values)
        made._attn_implementation = "eager"
        model = getattr(transformers, name)(made)
    redraw(model, seed)
    return model.eval()


def redraw(model: nn.Module, seed: int = 0) -> None:
    """Weights and biases N(0, 0.3), norm weights 1 + N(0, 0.3), and w where a norm uses 1 + w.

    With default values a tiny model is nearly linear, and most faults do not show.
    """
    generator = torch.Generator().manual_seed(seed)
    done: set[int] = set()
    with torch.no_grad():
        for module in model.modules():
            kind = type(module).__name__
            around_one = "norm" in kind.lower() and "Gemma" not in kind
            for name, parameter in module.named_parameters(recurse=False):
                if id(parameter) in done or not parameter.requires_grad:
                    continue
                done.add(id(parameter))
                noise = torch.randn(parameter.shape, generator=generator) * 0.3
                parameter.copy_(1 + noise if around_one and name == "weight" else noise)
        for module in model.modules():
            if type(module).__name__ in ("T5Attention", "MT5Attention"):
                # T5 does not divide scores by √d: its W_q is that much smaller from the start.
                module.q.weight.mul_(module.key_value_proj_dim**-0.5)
        for name, buffer in model.named_buffers():
            if name.endswith(("final_logits_bias", "e_score_correction_bias")):
                buffer.copy_(torch.randn(buffer.shape, generator=generator) * 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the reference says, without the batch dimension.

    hidden: stack -> [layer + 1, position, d]. patterns: site -> [layer, head, query, key].
    heads: as `Trace.heads`.
    """

    hidden: Mapping[str, Tensor]
    patterns: Mapping[str, Tensor]
    heads: Mapping[str, Tensor]


def ask(
    model: Any,
    ids: Sequence[int],
    target_ids: Sequence[int] | None = None,
    *,
    padding: Sequence[bool] | None = None,
) -> Answer:
    """One text through the reference; positions follow the padding where it takes them."""
    inputs: dict[str, Any] = {"input_ids": torch.tensor([ids])}
    if target_ids is not None:
        inputs["decoder_input_ids"] = torch.tensor([target_ids])
    if padding is not None:
        seen = ~torch.tensor([padding])
        inputs["attention_mask"] = seen.long()
        if takes_positions(model) and not counts_by_itself(model):
            inputs["position_ids"] = (seen.long().cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad(), _last_states(model) as last:
        out = model(**inputs, output_hidden_states=True, output_attentions=True)
    if last:
        out["hidden_states"] = (*out["hidden_states"][:-1], last[0])
    return _answer(model, out)


@contextmanager
def _last_states(model: Any) -> Iterator[list[Tensor]]:
    """Of OPT-350m the states behind the last layer: it gives them in another width instead."""
    found: list[Tensor] = []
    hooks = [
        module.layers[-1].register_forward_hook(lambda *called: found.append(called[-1]))
        for module in model.modules()
        if getattr(module, "project_out", None) is not None
    ]
    yield found
    for hook in hooks:
        hook.remove()


def takes_positions(model: Any) -> bool:
    return "position_ids" in inspect.signature(model.forward).parameters


def counts_by_itself(model: Any) -> bool:
    """RoBERTa derives positions from the padding ids."""
    return any(hasattr(m, "create_position_ids_from_input_ids") for m in model.modules())


def _answer(model: Any, out: Any) -> Answer:
    if out.get("encoder_hidden_states") is not None:
        names = {"encoder": "encoder_", "decoder": "decoder_"}
    else:
        names = {"encoder" if _looks_both_ways(model) else "decoder": ""}
    hidden = {s: torch.cat(out[f"{p}hidden_states"]) for s, p in names.items()}
    patterns = {f"{s}.self": torch.cat(out[f"{p}attentions"]) for s, p in names.items()}
    if "encoder" in names and "decoder" in names:
        patterns["decoder.cross"] = torch.cat(out["cross_attentions"])
    heads = {ours: out[key][0] for key, ours in _heads(model).items() if out.get(key) is not None}
    return Answer(hidden=hidden, patterns=patterns, heads=heads)


def _looks_both_ways(model: Any) -> bool:
    name = type(model).__name__
    if hasattr(model, "score"):  # what decoders judge texts with
        return False
    return not name.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration"))


def _heads(model: Any) -> dict[str, str]:
    """Output name -> head name."""
    name = type(model).__name__
    if name.endswith("SequenceClassification"):
        return {"logits": "classes"}
    if name == "ElectraForPreTraining":
        return {"logits": "replaced"}
    if name.endswith("NextSentencePrediction"):
        return {"logits": "pair"}
    return {"logits": "vocab", "prediction_logits": "vocab", "seq_relationship_logits": "pair"}


def save(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    return folder
