"""What `trifocal render` decodes before it draws: the views of decoding show nothing without."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.branches import Tree
from app.choices import Narrowing
from app.sampling import sampling_of

if TYPE_CHECKING:
    from app.views import ViewOptions
    from core.decoding import BeamSearch, Fill
    from core.loaded import LoadedModel
    from core.request import RunRequest, Step

LENGTH = 20  # of a beam search where --steps does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """steps: of a decoder; of the best hypothesis after a search. fills: of an encoder's masks."""

    steps: tuple[Step, ...] = ()
    fills: tuple[Fill, ...] = ()
    search: BeamSearch | None = None

    @property
    def last(self) -> Step | Fill | None:
        """What is shown."""
        moves = self.fills or self.steps
        return moves[-1] if moves else None

    def shown_in(self, options: ViewOptions) -> ViewOptions:
        """The options of the window when it stands at the last step."""
        return replace(
            options,
            step=self.steps[-1] if self.steps else None,
            fill=self.fills[-1] if self.fills else None,
            steps=self.fills or self.steps,
            tree=Tree().holding(self.steps),
            search=self.search,
        )


def decoded(asked: Namespace, model: LoadedModel, run: RunRequest) -> Decoded:
    """`--steps` tokens or masks greedily, or a search with `--beams`; nothing without either.

    Raises CoreError or ValueError with one sentence.
    """
    if asked.steps is not None and asked.steps < 1:
        raise ValueError(f"--steps says how many tokens to decode, at least 1, not {asked.steps}.")
    if asked.beams is not None:
        return _searched(model, run, asked.beams, asked.steps or LENGTH)
    if asked.steps is None:
        return Decoded()
    if model.spec.decoder is None:
        return Decoded(fills=_filled(model, run, asked.steps))
    return Decoded(steps=_written(model, run, asked.steps))


def _written(model: LoadedModel, run: RunRequest, length: int) -> tuple[Step, ...]:
    from core.decoding import decode
    from core.request import DecodeRequest

    own = sampling_of(Narrowing(), model.spec)
    return tuple(decode(model, DecodeRequest(run=run, max_new_tokens=length, sampling=own)))


def _filled(model: LoadedModel, run: RunRequest, most: int) -> tuple[Fill, ...]:
    from core.decoding import Filling

    filling = Filling(model, run)
    while filling.finished is None and len(filling.steps) < most:
        filling.step()
    return tuple(filling.steps)


def _searched(model: LoadedModel, run: RunRequest, beams: int, length: int) -> Decoded:
    from core.decoding import BeamSearch
    from core.request import DecodeRequest

    request = DecodeRequest(
        run=run,
        strategy="beam",
        max_new_tokens=length,
        beams=beams,
        sampling=sampling_of(Narrowing(), model.spec),
    )
    search = BeamSearch(model, request)
    best = search.run()
    return Decoded(steps=search.steps(best[0].id) if best else (), search=search)
