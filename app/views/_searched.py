"""How a step of a beam search was weighed: not by the sampling that is set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.views import ViewOptions

if TYPE_CHECKING:
    from core.decoding import BeamSearch


def search_of(options: ViewOptions) -> BeamSearch | None:
    """The beam search that made the step; None too where a token was taken by hand since."""
    step, search = options.step, options.search
    return search if step is not None and search is not None and search.ran(step.trace) else None


def heeded(options: ViewOptions) -> ViewOptions:
    """The same with the sampling that acts."""
    search = search_of(options)
    return options if search is None else replace(options, sampling=search.sampling)


def weighing(search: BeamSearch, options: ViewOptions) -> str:
    """One sentence where the numbers are others than one would think; else nothing."""
    if options.sampling == search.sampling and search.sampling.repetition_penalty == 1:
        return ""
    return (
        "Weighed as in the search: of penalty, temperature and cut-offs only the penalty acts, and"
        " on log-probabilities."
    )
