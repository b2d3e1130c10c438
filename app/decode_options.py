"""The options of `trifocal decode`: what they usually are, and where each of them acts; no Qt."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from app.choices import DecodeChoice, Narrowing
from app.sampling import sampling_of

if TYPE_CHECKING:
    from core.request import DecodeRequest, RunRequest
    from core.spec import ModelSpec

_SAMPLED = ("temperature", "top_k", "top_p", "min_p", "seed")
_SEARCHED = ("beams", "length_penalty")
_WRITTEN = ("strategy", "max_new_tokens", "repetition_penalty", *_SAMPLED, *_SEARCHED)
MOST_BEAMS = 64
"""Each holds a cache of its own, and every step looks at a multiple of them."""
_FIRST = {**asdict(DecodeChoice()), **asdict(Narrowing())}
USUAL: dict[str, Any] = {**{name: _FIRST[name] for name in _WRITTEN}, "candidates": 10}
"""By name; the window's at first."""


def check(asked: Namespace, spec: ModelSpec) -> None:
    """ValueError with one sentence where an option was given that would do nothing."""
    if spec.decoder is None:
        _check_idle(
            asked, _WRITTEN, f"{spec.name} is encoder-only and fills each mask with the likeliest"
        )
    if asked.strategy != "sample":
        _check_idle(asked, _SAMPLED, "it acts with --strategy sample alone")
    if asked.strategy != "beam":
        _check_idle(asked, _SEARCHED, "it acts with --strategy beam alone")
    if not asked.json:
        _check_idle(asked, ["candidates"], "only --json tells of candidates")
    elif asked.strategy == "beam":
        _check_idle(asked, ["candidates"], "a beam search tells of hypotheses, not of candidates")
    _check_candidates(asked.candidates)
    _check_beams(asked.beams)


def _check_idle(asked: Namespace, names: Iterable[str], why: str) -> None:
    for name in names:
        if getattr(asked, name) != USUAL[name]:
            raise ValueError(f"--{name.replace('_', '-')} would do nothing: {why}.")


def _check_candidates(count: int) -> None:
    from core.decoding.generate import CANDIDATES

    if count > CANDIDATES:
        raise ValueError(f"--candidates {count} are asked for; a step keeps {CANDIDATES} ready.")


def _check_beams(count: int) -> None:
    if count > MOST_BEAMS:
        raise ValueError(f"--beams {count} are asked for; at most {MOST_BEAMS} are searched.")


def request_of(asked: Namespace, run: RunRequest, spec: ModelSpec) -> DecodeRequest:
    from core.request import DecodeRequest

    names = [field.name for field in fields(Narrowing)]
    return DecodeRequest(
        run=run,
        strategy=asked.strategy,
        max_new_tokens=asked.max_new_tokens,
        sampling=sampling_of(Narrowing(**{name: getattr(asked, name) for name in names}), spec),
        seed=asked.seed,
        beams=asked.beams,
        length_penalty=asked.length_penalty,
    )
