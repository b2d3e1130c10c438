"""GGUF files: the same numbers as the checkpoint they were made from, and the same tokens."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import sentencepiece
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor

from core import load_model
from core.checkpoints.gguf_file import GgufFile
from core.errors import CheckpointError, UnsupportedModel
from core.text.splits import cut_as
from tests.core.checkpoints.conftest import IDS, Saved

Kind = gguf.GGMLQuantizationType
NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.o_proj": "attn_output",
}


def their_name(name: str) -> str:
    name = re.sub(r"model\.layers\.", "blk.", name)
    name = re.sub(r"self_attn\.([qkv])_proj", r"attn_\1", name)
    name = re.sub(r"self_attn\.([qk])_norm", r"attn_\1_norm", name)
    name = re.sub(r"mlp\.(gate|up|down)_proj", r"ffn_\1", name)
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


def permuted(tensor: Tensor, heads: int) -> Tensor:
    """As llama.cpp's converter stores q and k."""
    rows, *rest = tensor.shape
    return tensor.reshape(heads, 2, rows // heads // 2, *rest).swapaxes(1, 2).reshape(rows, *rest)


def write(
    path: Path,
    model: Any,
    kind: Kind = Kind.F32,
    *,
    architecture: str = "llama",
    more: Callable[[gguf.GGUFWriter], None] = lambda writer: None,
) -> Path:
    """A model of the reference as GGUF; norms and biases stay in float32, as everywhere."""
    config = model.config
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny one")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    if getattr(config, "head_dim", None):
        writer.add_key_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    more(writer)
    for name, tensor in model.state_dict().items():
        part = re.search(r"self_attn\.([qk])_proj", name)
        if part is not None and architecture == "llama":
            q = part[1] == "q"
            heads = config.num_attention_heads if q else config.num_key_value_heads
            tensor = permuted(tensor, heads)
        values = tensor.numpy()
        if tensor.dim() == 1 or kind == Kind.F32:
            writer.add_tensor(their_name(name), np.ascontiguousarray(values))
        else:
            stored = gguf.quantize(np.ascontiguousarray(values), kind)
            writer.add_tensor(their_name(name), stored, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def rounded(values: np.ndarray, kind: Kind) -> np.ndarray:
    """What is left of values after a way of storing them, from the formats' definitions."""
    if kind == Kind.F16:
        return values.astype(np.float16).astype(np.float32)
    if kind == Kind.BF16:
        return torch.from_numpy(values).bfloat16().float().numpy()
    blocks = values.reshape(-1, 32)
    if kind == Kind.Q8_0:
        d = np.abs(blocks).max(1, keepdims=True) / 127
        q = np.where(d > 0, blocks / np.where(d > 0, d, 1), 0)
        q = np.sign(q) * np.floor(np.abs(q) + 0.5)
        found = q * d.astype(np.float16).astype(np.float32)
    elif kind == Kind.Q4_0:
        peak = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
        d = peak / -8
        inverse = np.where(d != 0, 1 / np.where(d != 0, d, 1), 0).astype(np.float32)
        q = np.clip(np.trunc(blocks.astype(np.float64) * inverse + 8.5), 0, 15) - 8
        found = q * d.astype(np.float16).astype(np.float32)
    else:
        assert kind == Kind.Q4_1
        least, most = blocks.min(1, keepdims=True), blocks.max(1, keepdims=True)
        d = (most - least) / 15
        inverse = np.where(d != 0, 1 / np.where(d != 0, d, 1), 0).astype(np.float32)
        q = np.clip(np.trunc((blocks - least) * inverse + 0.5), 0, 15)
        half = np.float16
        found = q * d.astype(half).astype(np.float32) + least.astype(half).astype(np.float32)
    return found.astype(np.float32).reshape(values.shape)


@pytest.mark.parametrize("kind", [Kind.F32, Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0, Kind.Q4_1])
def test_the_same_numbers(originals: Callable[[str], Saved], tmp_path: Path, kind: Kind) -> None:
    from tests.core.families import reference

    saved = originals("llama")
    path = write(tmp_path / "tiny.gguf", saved.model, kind)
    ours = load_model(path)
    expected = saved.model
    if kind != Kind.F32:
        expected = reference.make(saved.config)
        expected.load_state_dict(
            {
                n: t if t.dim() == 1 else torch.from_numpy(rounded(t.numpy(), kind))
                for n, t in saved.model.state_dict().items()
            }
        )
    with torch.no_grad():
        logits = expected(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(ours.trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)
    assert ours.name == "Tiny one"
    assert ours.spec.dtype == {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}.get(
        kind.name, kind.name
    )


@pytest.mark.parametrize("architecture", ["qwen2", "qwen3"])
def test_other_architectures(
    originals: Callable[[str], Saved], tmp_path: Path, architecture: str
) -> None:
    """Their q and k lie as Hugging Face has them."""
    saved = originals(architecture)
    ours = load_model(write(tmp_path / "a.gguf", saved.model, architecture=architecture))
    with torch.no_grad():
        logits = saved.model(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(ours.trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)
    assert ours.spec.family.lower() == architecture


def test_a_scaled_rotation(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    """A divisor for each frequency, as Llama 3's scaling is stored."""
    saved = originals("llama scaled")
    inverse = saved.model.model.rotary_emb.inv_freq
    theta, size = saved.model.config.rope_parameters["rope_theta"], 2 * len(inverse)
    plain = theta ** -(torch.arange(0, size, 2) / size)
    divisors = (plain / inverse).numpy().astype(np.float32)
    path = write(
        tmp_path / "scaled.gguf",
        saved.model,
        more=lambda writer: writer.add_tensor("rope_freqs.weight", divisors),
    )
    with torch.no_grad():
        logits = saved.model(torch.tensor([IDS])).logits[0]
    torch.testing.assert_close(load_model(path).trace(ids=IDS).logits, logits, atol=1e-4, rtol=0)


def q4_k(block: bytes) -> list[float]:
    """One block of 256 values: eight groups with a six-bit scale and minimum each."""
    d, least = struct.unpack("<2e", block[:4])
    packed, quants = block[4:16], block[16:]
    found = []
    for group in range(8):
        if group < 4:
            scale, minimum = packed[group] & 63, packed[group + 4] & 63
        else:
            scale = (packed[group + 4] & 15) | (packed[group - 4] >> 6) << 4
            minimum = (packed[group + 4] >> 4) | (packed[group] >> 6) << 4
        for i in range(32):
            byte = quants[32 * (group // 2) + i]
            value = byte >> 4 if group % 2 else byte & 15
            found.append(d * scale * value - least * minimum)
    return found


def q6_k(block: bytes) -> list[float]:
    """One block of 256 values: sixteen groups with an eight-bit scale each."""
    low, high, scales = block[:128], block[128:192], struct.unpack("<16b", block[192:208])
    (d,) = struct.unpack("<e", block[208:])
    found = []
    for half in range(2):
        for quarter in range(4):
            for i in range(32):
                byte = low[64 * half + 32 * (quarter % 2) + i]
                four = byte >> 4 if quarter >= 2 else byte & 15
                two = high[32 * half + i] >> 2 * quarter & 3
                scale = scales[8 * half + 2 * quarter + i // 16]
                found.append(d * scale * ((four | two << 4) - 32))
    return found


@pytest.mark.parametrize(
    ("kind", "size", "formula"), [(Kind.Q4_K, 144, q4_k), (Kind.Q6_K, 210, q6_k)]
)
def test_k_quants(
    originals: Callable[[str], Saved],
    tmp_path: Path,
    kind: Kind,
    size: int,
    formula: Callable[[bytes], list[float]],
) -> None:
    random = np.random.default_rng(5)
    blocks = random.integers(0, 256, (6, size), dtype=np.uint8)
    scale_at = [0, 2] if kind == Kind.Q4_K else [208]
    for at in scale_at:
        halves = random.normal(0, 0.1, 6).astype(np.float16)
        blocks[:, at : at + 2] = halves.view(np.uint8).reshape(6, 2)
    path = write(
        tmp_path / "k.gguf",
        originals("llama").model,
        more=lambda writer: writer.add_tensor(
            "blk.9.ffn_up.weight", blocks.reshape(3, 2 * size), raw_dtype=kind
        ),
    )
    found = GgufFile(path).read("model.layers.9.mlp.up_proj.weight")
    expected = torch.tensor([formula(block.tobytes()) for block in blocks]).reshape(3, 512)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


# --- tokenizers ---------------------------------------------------------------------------------

CORPUS = [
    "The cat sat on the mat, and the dog's bone wasn't there.",
    "In 1984 there were 365 days; it's 2024 now.",
    "naïve café 東京 😀!  two  spaces\nnew lines\n\n",
] * 20
TEXTS = ["The cat's 1984 mats", " spaced  out\n\nlines", "café 😀 東京", "they'll see 12345!"]


@pytest.mark.parametrize("pre", ["gpt-2", "smollm"])
def test_a_byte_level_tokenizer(
    originals: Callable[[str], Saved], tmp_path: Path, pre: str
) -> None:
    made = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = (
        level
        if pre == "gpt-2"
        else pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), level])
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, special_tokens=["<|end|>"]),
    )
    made.save(str(tmp_path / "tokenizer.json"))
    import json

    merges = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["model"]["merges"]
    vocab = sorted(made.get_vocab().items(), key=lambda item: item[1])

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list([piece for piece, _ in vocab])
        writer.add_token_types([3] + [1] * (len(vocab) - 1))
        writer.add_token_merges([" ".join(m) if isinstance(m, list) else m for m in merges])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(0)

    path = write(tmp_path / "t.gguf", originals("llama").model, more=describe)
    tokenizer = load_model(path).tokenizer
    assert tokenizer is not None
    for text in TEXTS:
        assert list(tokenizer.encode(text).ids) == made.encode(text).ids
        assert tokenizer.decode(made.encode(text).ids) == text
    assert tokenizer.is_special(0)
    assert tokenizer.encode("a<|end|>").ids[-1] == 0


def test_a_sentencepiece_tokenizer(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    stored = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_writer=stored,
        model_type="bpe",
        vocab_size=360,
        byte_fallback=True,
        character_coverage=0.98,
        remove_extra_whitespaces=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    made = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    count = made.get_piece_size()

    def kind(i: int) -> int:
        return 2 if made.is_unknown(i) else 3 if made.is_control(i) else 6 if made.is_byte(i) else 1

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("llama")
        writer.add_token_list([made.id_to_piece(i) for i in range(count)])
        writer.add_token_scores([made.get_score(i) for i in range(count)])
        writer.add_token_types([kind(i) for i in range(count)])
        writer.add_unk_token_id(0)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_add_bos_token(True)

    path = write(tmp_path / "s.gguf", originals("llama").model, more=describe)
    tokenizer = load_model(path).tokenizer
    assert tokenizer is not None
    assert tokenizer.notes == ()  # the file itself says that <s> is added
    for text in TEXTS:
        if "\n" in text:
            continue  # sentencepiece itself reads a line at a time
        assert list(tokenizer.encode(text).ids) == [1, *made.encode(text)]
        assert tokenizer.decode(made.encode(text)) == text


@pytest.mark.parametrize(
    ("name", "same"),
    [("llama3", "llama-bpe"), ("llama-v3", "llama-bpe"), ("deepseek-r1-qwen", "qwen2")],
)
def test_further_names_of_a_way_to_cut(
    originals: Callable[[str], Saved], tmp_path: Path, name: str, same: str
) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())

    def read(pre: str) -> list[tuple[int, ...]]:
        def describe(writer: gguf.GGUFWriter) -> None:
            writer.add_tokenizer_model("gpt2")
            writer.add_tokenizer_pre(pre)
            writer.add_token_list([*letters, "12", "123", "1234", "Ġ1"])
            writer.add_token_types([1] * (len(letters) + 4))
            writer.add_token_merges(["1 2", "12 3", "123 4", "Ġ 1"])

        path = write(tmp_path / f"{pre}.gguf", originals("llama").model, more=describe)
        tokenizer = load_model(path).tokenizer
        assert tokenizer is not None
        return [tokenizer.encode(text).ids for text in ("x 1234", "1234's", *TEXTS)]

    assert read(name) == read(same)
    assert read(name) != read("gpt-2")


@pytest.mark.parametrize(
    ("pre", "text", "words"),
    [
        ("tekken", "helloWorld JSONParser", "hello|World|ĠJSONParser"),
        ("tekken", "don't say 2024!//\n\nx", "don|'t|Ġsay|Ġ|2|0|2|4|!//ĊĊ|x"),
        ("tekken", "éÀ  two", "Ã©|ÃĢ|Ġ|Ġtwo"),
        ("deepseek-coder", "helloWorld a+b, 2024\n\nx", "helloWorld|Ġa|+|b|,|Ġ|2|0|2|4|Ċ|Ċ|x"),
        ("deepseek-coder", "ab 你好, ok", "ab|Ġ|ä½łå¥½|,|Ġok"),
        ("deepseek-llm", "helloWorld a+b, 2024\n\nx", "helloWorld|Ġa|+|b|,|Ġ|2024|Ċ|Ċ|x"),
        ("deepseek-llm", "café 好。不  ", "caf|Ã©|Ġ|å¥½|ãĢĤ|ä¸į|ĠĠ"),
    ],
)
def test_words_of_other_ways_to_cut(pre: str, text: str, words: str) -> None:
    made = Tokenizer(models.BPE())
    cut_as(made, pre)
    assert made.pre_tokenizer is not None
    assert [word for word, _ in made.pre_tokenizer.pre_tokenize_str(text)] == words.split("|")


@pytest.mark.parametrize(
    ("pre", "said", "begins"),
    [
        ("llama-bpe", None, True),
        ("llama3", None, True),
        ("tekken", None, True),
        ("llama-bpe", False, False),
        ("gpt-2", None, False),
        ("qwen2", None, False),
        ("gpt-2", True, True),
    ],
)
def test_which_byte_level_texts_begin_with_the_start_token(
    originals: Callable[[str], Saved], tmp_path: Path, pre: str, said: bool | None, begins: bool
) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(["<|begin|>", *letters])
        writer.add_token_types([3] + [1] * len(letters))
        writer.add_token_merges([])
        writer.add_bos_token_id(0)
        if said is not None:
            writer.add_add_bos_token(said)

    tokenizer = load_model(
        write(tmp_path / "b.gguf", originals("llama").model, more=describe)
    ).tokenizer
    assert tokenizer is not None
    assert (tokenizer.encode("ab").ids[0] == 0) is begins
    assert len(tokenizer.encode("ab").ids) == 2 + begins


def test_an_unknown_tokenizer_leaves_the_ids(
    originals: Callable[[str], Saved], tmp_path: Path
) -> None:
    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("babel")
        writer.add_token_list(["a"])

    model = load_model(write(tmp_path / "u.gguf", originals("llama").model, more=describe))
    assert model.tokenizer is None
    assert any("babel" in note for note in model.notes)
    assert model.trace(ids=IDS).logits.isfinite().all()


# --- what is refused ----------------------------------------------------------------------------


def test_broken_files(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    whole = write(tmp_path / "a.gguf", originals("llama").model).read_bytes()
    for spoilt, cause in (
        (whole[:-100], "cut off"),
        (whole[:90], "cut off"),
        (b"XXXX" + whole[4:], "does not begin with GGUF"),
        (whole[:4] + struct.pack("<I", 1) + whole[8:], "version is 1"),
        (b"", "empty"),
    ):
        path = tmp_path / "broken.gguf"
        path.write_bytes(spoilt)
        with pytest.raises(CheckpointError, match=cause) as caught:
            load_model(path)
        assert str(path) in str(caught.value)


def test_what_gguf_files_are_not_read(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    model = originals("llama").model
    path = write(tmp_path / "a.gguf", model, architecture="mamba")
    with pytest.raises(UnsupportedModel, match="'mamba'; supported in GGUF files are llama"):
        load_model(path)
    path = write(tmp_path / "b.gguf", model, more=lambda writer: writer.add_expert_count(4))
    with pytest.raises(UnsupportedModel, match="experts"):
        load_model(path)


def test_a_folder_with_one_file(originals: Callable[[str], Saved], tmp_path: Path) -> None:
    write(tmp_path / "a.gguf", originals("llama").model)
    assert load_model(tmp_path).name == "Tiny one"
