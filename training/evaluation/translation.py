"""The translator: BLEU and chrF by sacrebleu, and how many sentences come out exactly."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from tokenizers import Tokenizer

from core.model import Transformer
from training.data.pairs import Pair
from training.translator import END, PAD, START, TO_CHINESE, TO_ENGLISH

BATCH = 64
LONGEST = 64
Figures = dict[str, float]


@torch.inference_mode()
def translate(
    network: Transformer, tokenizer: Tokenizer, texts: Sequence[str], *, to_english: bool
) -> list[str]:
    """Greedy translations, in the order of the texts."""
    direction = TO_ENGLISH if to_english else TO_CHINESE
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found = [""] * len(texts)
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        sources = [
            [direction, *tokenizer.encode(texts[i], add_special_tokens=False).ids, END]
            for i in part
        ]
        length = max(map(len, sources))
        source = torch.tensor([s + [PAD] * (length - len(s)) for s in sources])
        padding = source == PAD
        memory = network.encode(source, padding=padding)
        cache = network.new_cache()
        last = torch.full((len(part), 1), START)
        said: list[torch.Tensor] = []
        done = torch.zeros(len(part), dtype=torch.bool)
        while len(said) < LONGEST and not bool(done.all()):
            states = network.decode(last, memory=memory, memory_padding=padding, cache=cache)
            last = network.vocab_logits(states).argmax(-1)
            done |= last[:, 0] == END
            said.append(last[:, 0])
        for row, index in enumerate(part):
            ids = [int(column[row]) for column in said]
            ids = ids[: ids.index(END)] if END in ids else ids
            found[index] = tokenizer.decode(ids)
    return found


def scores(network: Transformer, tokenizer: Tokenizer, pairs: Sequence[Pair], name: str) -> Figures:
    """chrF, BLEU and the share of exact sentences, both ways."""
    found: Figures = {}
    for way, to_english in (("zh → en", True), ("en → zh", False)):
        sources = [p.zh if to_english else p.en for p in pairs]
        wanted = [p.en if to_english else p.zh for p in pairs]
        got = translate(network, tokenizer, sources, to_english=to_english)
        bleu = BLEU(tokenize="13a" if to_english else "zh").corpus_score(got, [wanted])
        found[f"{name}, {way}: chrF"] = CHRF().corpus_score(got, [wanted]).score
        found[f"{name}, {way}: BLEU"] = bleu.score
        found[f"{name}, {way}: exact"] = sum(
            g == w for g, w in zip(got, wanted, strict=True)
        ) / len(pairs)
    return found
