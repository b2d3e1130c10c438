"""What the session asks of the core. torch is imported inside the methods, so in the worker."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.choices import DecodeChoice, FillOrder, Inputs, Listed, Narrowing
from app.imports import finish_torch, import_core
from app.sampling import sampling_of
from app.store import SEARCHING, Abilities, Answer
from app.tasks import Report, ShouldStop
from core.errors import RequestError

if TYPE_CHECKING:
    from core.analysis.sharing import Shared
    from core.decoding import BeamSearch, Fill
    from core.decoding.verify import Difference
    from core.loaded import LoadedModel
    from core.masks import MaskChoice
    from core.request import DecodeRequest, Step
    from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A run to make: what to read, and under which masks."""

    model: LoadedModel
    inputs: Inputs
    masks: Mapping[str, MaskChoice]


class Engine:
    """The real core. All of torch is imported before anything but the first picture."""

    def __init__(self) -> None:
        self._opened = False

    def abilities(self) -> Abilities:
        """Import the core and say what it offers."""
        import_core()
        from app.views import views
        from core import builtin, device
        from core.mask_kinds import KINDS

        listed = tuple(
            Listed(
                source=found.source,
                title=found.title,
                architecture=found.architecture,
                description=found.description,
            )
            for found in builtin.available()
        )
        return Abilities(
            views=views(), mask_kinds=dict(KINDS), models=listed, devices=device.available()
        )

    def load(self, source: str, device: str, report: Report, stop: ShouldStop) -> LoadedModel:
        """A model that is whole; raises CoreError otherwise."""
        from core import load_model
        from core.builtin import PREFIX

        if self._opened or device != "cpu" or not source.startswith(PREFIX):
            finish_torch()
        self._opened = True

        found: LoadedModel = load_model(
            source, device=device, progress=_told(report), should_stop=stop
        )
        return found

    def run(self, question: Question, previous: Answer | None, stop: ShouldStop) -> Answer:
        """Tokenise and run; what lists over the vocabulary need is computed with it."""
        from core.request import RunRequest

        if previous is not None:
            finish_torch()

        model, inputs = question.model, question.inputs
        if not inputs.text.strip():
            raise RequestError("There is nothing to read yet: type a sentence.")
        if model.tokenizer is None:
            raise RequestError(f"{model.name} cannot read text: {model.no_text}")
        started = time.perf_counter()
        source, target = model.tokenize(
            inputs.text,
            inputs.pair.strip() or None,
            inputs.target or None,
            add_special=inputs.add_special,
            pad_to=inputs.pad_to or None,
            pad_side=inputs.pad_side,
        )
        tokenised = time.perf_counter()
        request = RunRequest(
            source=source,
            target=target,
            masks=tuple(sorted((s, c) for s, c in question.masks.items() if s in model.spec.sites)),
        )
        earlier = previous.trace if previous is not None and previous.model is model else None
        trace = model.run(request, previous=earlier, should_stop=stop)
        return Answer(
            model=model,
            inputs=inputs,
            request=request,
            trace=trace,
            tokenise_ms=1000 * (tokenised - started),
            run_ms=1000 * (time.perf_counter() - tokenised),
            trouble=model.trouble(trace),
        )

    def advance(
        self,
        answer: Answer,
        steps: tuple[Step, ...],
        choice: DecodeChoice,
        narrowing: Narrowing,
        stop: ShouldStop,
        *,
        forced: int | None = None,
    ) -> Step:
        """One more token after `steps`, under the choices as they stand; or the token `forced`.

        Beam search leaves its tree where a token was taken by hand; from there it goes on greedily.
        """
        finish_torch()
        request = _request(answer, choice, narrowing)
        if request.strategy == "beam":
            request = replace(request, strategy="greedy")
        decoding = answer.model.decoding(request, stop)
        # Each step's trace continues the one before it, so this goes on where the last one ended.
        decoding.steps = list(steps)
        if steps and steps[-1].finished is not None and len(steps) < choice.max_new_tokens:
            # It ended because fewer tokens were wanted then, or the person takes another token.
            decoding.steps[-1] = replace(steps[-1], finished=None)
        return decoding.step() if forced is None else decoding.force(forced)

    def fill(
        self,
        answer: Answer,
        fills: tuple[Fill, ...],
        order: FillOrder,
        stop: ShouldStop,
        *,
        forced: tuple[int, int] | None = None,
    ) -> Fill:
        """One more mask filled after `fills`; forced: (position, token) of one's own choice."""
        from core.decoding import Filling

        finish_torch()
        filling = Filling(answer.model, answer.request, order=order, should_stop=stop)
        filling.steps = list(fills)
        return filling.step() if forced is None else filling.force(*forced)

    def verify(self, model: LoadedModel, steps: tuple[Step, ...], stop: ShouldStop) -> Difference:
        """Every step against its row of one full forward."""
        from core.decoding.verify import verify

        finish_torch()
        return verify(model, steps, should_stop=stop)

    def share(self, model: LoadedModel, trace: Trace, kv_heads: int, stop: ShouldStop) -> Shared:
        """The text of a run on fewer key/value heads."""
        from core.analysis.sharing import share

        finish_torch()
        return share(model.network, trace, kv_heads, should_stop=stop)

    def search(
        self,
        answer: Answer,
        choice: DecodeChoice,
        narrowing: Narrowing,
        report: Report,
        stop: ShouldStop,
    ) -> BeamSearch:
        """A beam search run to its end."""
        from core.decoding import BeamSearch

        finish_torch()
        found = BeamSearch(answer.model, _request(answer, choice, narrowing), stop)
        while found.finished is None:
            fraction = found.index / choice.max_new_tokens
            steps = f"step {found.index + 1} of {choice.max_new_tokens}"
            report(f"{SEARCHING}, {steps}", fraction)
            found.step()
        return found


def _request(answer: Answer, choice: DecodeChoice, narrowing: Narrowing) -> DecodeRequest:
    from core.request import DecodeRequest

    return DecodeRequest(
        run=answer.request,
        strategy=choice.strategy,
        seed=choice.seed,
        max_new_tokens=choice.max_new_tokens,
        sampling=sampling_of(narrowing, answer.model.spec),
        beams=choice.beams,
        length_penalty=choice.length_penalty,
    )


def _told(report: Report) -> Callable[[float, float, str], None]:
    """`load_model` tells how much of how much, and what is being done."""

    def progress(done: float, total: float, what: str) -> None:
        report(what, done / max(total, 1))

    return progress
