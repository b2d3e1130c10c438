"""`trifocal decode`: the text a model writes, or one JSON object a step; no Qt.

An encoder-only model fills its masks instead, one at a time.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.decode_options import check, request_of
from app.examples import masks_of
from app.labels import labeller

if TYPE_CHECKING:
    from core.decoding import Fill, Hypothesis
    from core.decoding.record import Names
    from core.loaded import LoadedModel
    from core.request import DecodeRequest, RunRequest, Step


def decode(asked: Namespace) -> None:
    """Raises CoreError or ValueError with one sentence."""
    from core import load_model

    if not asked.text.strip():
        raise ValueError("The text is empty; give at least one word to go on from.")
    model = load_model(asked.model, device=asked.device)
    check(asked, model.spec)
    run = model.request(
        asked.text,
        asked.pair,
        asked.target,
        masks=masks_of(" ".join(asked.mask), model.spec.sites),
    )
    if model.spec.decoder is None:
        _fill(asked, model, run)
    elif asked.strategy == "beam":
        _search(asked, model, request_of(asked, run, model.spec))
    else:
        _steps(asked, model, request_of(asked, run, model.spec))


def _steps(asked: Namespace, model: LoadedModel, request: DecodeRequest) -> None:
    """Each step as soon as it is there; plain text is written once per finished character."""
    from core.decoding import record

    names = _names(model)
    written = 0
    decoding = model.decoding(request)
    while decoding.finished is None:
        step = decoding.step()
        _tell_notes(model, step)
        if asked.json:
            print(record.json_line(step, candidates=asked.candidates, names=names), flush=True)
        else:
            print(step.text[written:], end="", flush=True)
            written = len(step.text)
    if not asked.json:
        print()


def _search(asked: Namespace, model: LoadedModel, request: DecodeRequest) -> None:
    """The finished hypotheses, best first."""
    from core.decoding import BeamSearch

    search = BeamSearch(model, request)
    for rank, hypothesis in enumerate(search.run()):
        steps = search.steps(hypothesis.id)
        if rank == 0:
            _tell_notes(model, steps[0])
        print(_line(asked, hypothesis, steps))


def _line(asked: Namespace, hypothesis: Hypothesis, steps: Sequence[Step]) -> str:
    if not asked.json:
        return f"{hypothesis.score:8.3f}  {steps[-1].text}"
    found = {
        "score": hypothesis.score,
        "log_probability": hypothesis.log_probability,
        "tokens": [step.token for step in steps],
        "text": steps[-1].text,
    }
    return json.dumps(found, ensure_ascii=False)


def _fill(asked: Namespace, model: LoadedModel, run: RunRequest) -> None:
    from core.decoding import Filling, record

    names = _names(model)
    filling = Filling(model, run)
    while filling.finished is None:
        fill = filling.step()
        _tell_notes(model, fill)
        if asked.json:
            print(record.json_line(fill, candidates=asked.candidates, names=names), flush=True)
    if not asked.json:
        tokens = filling.tokens
        kept = [t for t, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        print(model.tokenizer.decode(kept) if model.tokenizer is not None else kept)


def _tell_notes(model: LoadedModel, move: Step | Fill) -> None:
    """What was assumed of the model and which of its settings are not followed; and of the first
    run only, as a text that grows comes nearer to what it is too short for."""
    for said in () if move.index else (*model.notes, *move.trace.notes):
        print(f"trifocal: {said}", file=sys.stderr)


def _names(model: LoadedModel) -> Names:
    from core.decoding.record import Names

    if model.tokenizer is None:
        return Names(piece=_numbered, label=_numbered)
    target = model.tokenizer.target
    return Names(piece=target.piece, label=labeller(target))


def _numbered(token: int) -> str:
    return f"⟨{token}⟩"
