"""The translator: BLEU and chrF by sacrebleu, and how many sentences come out exactly."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from tokenizers import Tokenizer

from core.model import Transformer
from training.data.pairs import Pair
from training.evaluation.search import beam_search, greedy
from training.translator import END, PAD, START, TO_CHINESE, TO_ENGLISH

BATCH = 64
LONGEST = 64
Figures = dict[str, float]


@torch.inference_mode()
def translate(
    network: Transformer,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    to_english: bool,
    beams: int = 1,
) -> list[str]:
    """Translations in the order of the texts; one beam is greedy."""
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
        targets = (
            greedy(network, source, source == PAD, start=START, end=END, longest=LONGEST)
            if beams == 1
            else beam_search(
                network, source, source == PAD, start=START, end=END, beams=beams, longest=LONGEST
            )
        )
        for index, ids in zip(part, targets, strict=True):
            found[index] = tokenizer.decode(ids)
    return found


def scores(
    network: Transformer, tokenizer: Tokenizer, pairs: Sequence[Pair], name: str, *, beams: int = 1
) -> Figures:
    """chrF, BLEU and the share of exact sentences, both ways."""
    found: Figures = {}
    for way, to_english in (("zh → en", True), ("en → zh", False)):
        sources = [p.zh if to_english else p.en for p in pairs]
        wanted = [p.en if to_english else p.zh for p in pairs]
        got = translate(network, tokenizer, sources, to_english=to_english, beams=beams)
        bleu = BLEU(tokenize="13a" if to_english else "zh").corpus_score(got, [wanted])
        right = sum(g == w for g, w in zip(got, wanted, strict=True))
        found[f"{name}, {way}: chrF"] = CHRF().corpus_score(got, [wanted]).score
        found[f"{name}, {way}: BLEU"] = bleu.score
        found[f"{name}, {way}: exact"] = right / len(pairs)
    return found
