"""How `trifocal render` was asked to show things, as the options every view takes."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from app.choices import SENTENCES, Narrowing
from app.examples import masks_of
from app.labels import labeller
from app.sampling import sampling_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.views import ViewOptions
    from core.loaded import LoadedModel
    from core.masks import MaskChoice
    from core.trace import Trace


def options_of(asked: Namespace, model: LoadedModel) -> ViewOptions:
    """Raises ValueError with one sentence where there is nothing an option could act on."""
    from app.views import ViewOptions

    if asked.sentences != "all" and not asked.pair:
        raise ValueError(f"--sentences {asked.sentences} needs a second sentence: give --pair.")
    if asked.pad_side != "right" and not asked.pad_to:
        raise ValueError(f"--pad-side {asked.pad_side} needs a length to pad to: give --pad-to.")
    if (asked.heads_by != "layer" or asked.heads_reversed) and asked.view != "head_table":
        raise ValueError(f"The view {asked.view} sorts no heads; --view head_table does.")
    options = ViewOptions(
        raw_labels=asked.raw_labels,
        sampling=sampling_of(Narrowing(), model.spec),
        limits="auto" if asked.fit_colours else "fixed",
        drop_sinks=asked.drop_sinks,
        sentences=SENTENCES[asked.sentences],
        heads_by=asked.heads_by,
        heads_reversed=asked.heads_reversed,
        missing=model.missing,
    )
    if model.tokenizer is None:
        return options
    raw, tokenizer = asked.raw_labels, model.tokenizer
    return replace(
        options,
        asked=_tokens(asked.find, model),
        pieces=labeller(tokenizer.target, raw),
        source_pieces=labeller(tokenizer, raw),
    )


def _tokens(word: str | None, model: LoadedModel) -> tuple[int, ...]:
    """What the vocabulary has for a word to find; says so where that is only its beginning."""
    from core.text.meant import tokens_meant, whole

    if word is None or model.tokenizer is None:
        return ()
    tokenizer = model.tokenizer.target
    found = tokens_meant(tokenizer, word)
    if not found:
        raise ValueError(f"Nothing in {model.name}'s vocabulary writes {word!r}.")
    if not whole(tokenizer, word):
        print(f"trifocal: {word!r} takes several tokens; shown is the first.", file=sys.stderr)
    return found


def kept(
    asked: Namespace, model: LoadedModel, masks: Mapping[str, MaskChoice]
) -> tuple[Trace, ...]:
    """Runs of the other texts, in the order given; each `--against-pair` and `--against-mask`
    belongs to the `--against` of its place. Without a mask of its own a text has those of
    `--mask`; each is padded as the first text is."""
    for option, given, what in (
        ("--against-pair", asked.against_pair, "the second sentence"),
        ("--against-mask", asked.against_mask, "the mask"),
    ):
        if len(given) > len(asked.against):
            raise ValueError(
                f"There are {len(given)} {option} for {len(asked.against)} --against;"
                f" each is {what} of one."
            )
    rest = [""] * len(asked.against)
    given = zip(
        asked.against, [*asked.against_pair, *rest], [*asked.against_mask, *rest], strict=False
    )
    return tuple(
        model.run(
            model.request(
                text,
                pair or None,
                asked.target,
                masks={**masks, **masks_of(mask, model.spec.sites)},
                pad_to=asked.pad_to,
                pad_side=asked.pad_side,
            )
        )
        for text, pair, mask in given
    )
