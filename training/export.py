"""`python -m training.export encoder`: a trained run as an ordinary checkpoint folder.

resources/models/<name>/ gets config.json, model.safetensors (f16) and tokenizer.json, in the
names of its family, so that it loads through the same code as anybody's checkpoint.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from core.checkpoints.convert import original
from core.checkpoints.load import load_model
from core.families import bert, llama, vanilla
from core.model import Transformer
from training import shapes
from training.data.sentiment import LABELS
from training.folders import MODELS, WORK
from training.loop import trained
from training.shapes import SPECS
from training.vocabularies import DECODER_SIZE, ENCODER_SIZE, TRANSLATOR_SIZE


def configuration(name: str) -> dict[str, Any]:
    """config.json of a built-in model, in its family's words."""
    common = {
        "hidden_size": shapes.D_MODEL,
        "num_attention_heads": shapes.HEADS,
        "dtype": "float16",
    }
    if name == "encoder":
        return common | {
            "model_type": "bert",
            "architectures": ["BertForPreTraining", "BertForSequenceClassification"],
            "vocab_size": ENCODER_SIZE,
            "num_hidden_layers": shapes.ENCODER_LAYERS,
            "intermediate_size": shapes.ENCODER_FF,
            "hidden_act": "gelu",
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "max_position_embeddings": shapes.ENCODER_POSITIONS,
            "type_vocab_size": 2,
            "layer_norm_eps": shapes.BERT_EPS,
            "pad_token_id": 0,
            "id2label": {str(i): label for i, label in enumerate(LABELS)},
            "label2id": {label: i for i, label in enumerate(LABELS)},
            "tie_word_embeddings": True,
        }
    if name == "decoder":
        return common | {
            "model_type": "llama",
            "architectures": ["LlamaForCausalLM"],
            "vocab_size": DECODER_SIZE,
            "num_hidden_layers": shapes.DECODER_LAYERS,
            "num_key_value_heads": shapes.DECODER_KV_HEADS,
            "head_dim": shapes.D_HEAD,
            "intermediate_size": shapes.DECODER_FF,
            "hidden_act": "silu",
            "max_position_embeddings": shapes.DECODER_POSITIONS,
            "rms_norm_eps": shapes.LLAMA_EPS,
            "rope_theta": shapes.ROPE_THETA,
            "attention_bias": False,
            "mlp_bias": False,
            "bos_token_id": 0,
            "eos_token_id": 1,
            "tie_word_embeddings": True,
        }
    if name == "translator":
        return {
            "model_type": "transformer-2017",
            "architectures": ["Transformer2017"],
            "vocab_size": TRANSLATOR_SIZE,
            "d_model": shapes.D_MODEL,
            "d_ff": shapes.TRANSLATOR_FF,
            "num_attention_heads": shapes.HEADS,
            "encoder_layers": shapes.TRANSLATOR_LAYERS,
            "decoder_layers": shapes.TRANSLATOR_LAYERS,
            "activation": "relu",
            "layer_norm_eps": shapes.VANILLA_EPS,
            "max_position_embeddings": shapes.TRANSLATOR_POSITIONS,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "decoder_start_token_id": 1,
            "eos_token_id": 2,
            "dtype": "float16",
        }
    raise ValueError(f"no configuration for {name!r}; known are encoder, decoder, translator")


def renamed(name: str, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under their family's names: its rename table, read backwards."""
    family = {"encoder": bert, "decoder": llama, "translator": vanilla}[name].FAMILY
    rules = family.rules(SPECS[name]())
    prefix = next(iter(family.prefixes), "")
    found = {original(key, rules, prefix): tensor for key, tensor in state.items()}
    if lost := sorted(found.keys() & state.keys()):
        raise ValueError(f"the rules of {family.name} do not name {', '.join(lost)}")
    return found


def load_run(name: str, runs: Sequence[str] = (), *, also: Sequence[Path] = ()) -> Transformer:
    """The model of one training run, or the mean of several that began alike. also: checkpoint
    folders that count in the mean."""
    others = [load_model(folder).network for folder in also]
    folders = [WORK / run for run in runs or (name,)]
    return trained(Transformer(SPECS[name]()), folders, others).eval()


def export(
    name: str, *, runs: Sequence[str] = (), also: Sequence[Path] = (), to: Path = MODELS
) -> Path:
    """Write the checkpoint folder and return it."""
    model = load_run(name, runs, also=also)
    folder = to / name
    folder.mkdir(parents=True, exist_ok=True)
    # One tensor may carry several names in a state dict (tied embeddings): it is stored once.
    state = dict(model.named_parameters())
    tensors = {
        key: tensor.detach().to(torch.float16).contiguous()
        for key, tensor in renamed(name, state).items()
    }
    weights = folder / "model.safetensors"
    save_file(tensors, weights, metadata={"format": "pt"})
    weights.chmod(0o644)  # the library leaves it readable by its owner alone
    text = json.dumps(configuration(name), indent=2, ensure_ascii=False)
    (folder / "config.json").write_text(text + "\n", encoding="utf-8")
    shutil.copyfile(WORK / (runs or (name,))[0] / "tokenizer.json", folder / "tokenizer.json")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(SPECS))
    parser.add_argument(
        "--run",
        nargs="+",
        default=(),
        help="folders under training/work (default: the name); of several runs that began alike "
        "the mean is written",
    )
    parser.add_argument(
        "--also",
        type=Path,
        nargs="+",
        default=(),
        metavar="FOLDER",
        help="checkpoints of earlier runs that count like one more end of a cycle each",
    )
    given = parser.parse_args()
    try:
        folder = export(given.name, runs=given.run, also=given.also)
    except ValueError as error:
        parser.error(str(error))
    size = (folder / "model.safetensors").stat().st_size
    print(f"{folder.name}: model.safetensors {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
