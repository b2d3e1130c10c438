"""What was kept and decoded with a model, for as long as another one is looked at; free of Qt.

The model stays in memory with it, so all of it together has a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.choices import DecodeChoice, Inputs

if TYPE_CHECKING:
    from app.store import State
    from core.loaded import LoadedModel
    from core.masks import MaskChoice

MOST_WEIGHTS = 250_000_000
"""Of all models that are left and stay; 1 GB of 32-bit numbers."""
DECODED = ("steps", "fills", "tree", "search", "checked", "what_if", "ending")


class Left:
    """Models that were left with something to come back to."""

    def __init__(self) -> None:
        self._states: dict[tuple[str, str], State] = {}

    def model(self, source: str, device: str) -> LoadedModel | None:
        """The very model that was left."""
        state = self._states.get((source, device))
        return state.model if state is not None else None

    def exchange(
        self,
        state: State,
        model: LoadedModel,
        inputs: Inputs,
        masks: Mapping[str, MaskChoice],
        *,
        anew: bool = False,
    ) -> tuple[dict[str, Any], str]:
        """`model` takes the place of the one in `state`, and will read `inputs` under `masks`.

        Fields of the store as they were with `model`: its kept texts and, where text and masks are
        the same, its run and what was decoded, with the step that was looked at. And what is to be
        said where what was done with the model before, or with an older one, cannot stay. anew: it
        was read from its files, which may be others by now.
        """
        # First, so that what one goes back to neither counts nor can be what has to go.
        was = self._states.pop(key_of(model), None)
        found = _back(was, inputs, masks, state.decode) if was and was.model is model else {}
        lost = was is not None and not found
        if anew:
            older = [key for key in self._states if key[0] == model.source]
            lost = lost or bool(older)
            for key in older:
                del self._states[key]
        before = state.model
        reopened = before is not None and (
            key_of(before) == key_of(model) or (anew and before.source == model.source)
        )
        lost = lost or (reopened and _worth_keeping(state))
        gone = _gone(model.name, "it was opened anew") if lost else ""
        if not reopened:
            gone = f"{gone} {self._leave(state)}".strip()
        return found, gone

    def _leave(self, state: State) -> str:
        model = state.model
        if model is None or not _worth_keeping(state):
            return ""
        if model.parameters > MOST_WEIGHTS:
            return _gone(model.name, "it is too large to stay in memory beside another model")
        self._states[key_of(model)] = state
        gone = []
        while sum(_weights(other) for other in self._states.values()) > MOST_WEIGHTS:
            first = self._states.pop(next(iter(self._states)))  # the one that was left first
            gone.append(first.model.name if first.model is not None else "")
        if not gone:
            return ""
        return _gone(" and ".join(gone), "not all models that were left can stay in memory")


def _gone(names: str, why: str) -> str:
    return f"The kept texts and the decoded tokens of {names} are gone: {why}."


def _back(
    was: State, inputs: Inputs, masks: Mapping[str, MaskChoice], decode: DecodeChoice
) -> dict[str, Any]:
    """What comes back of the state in which a model was left."""
    same = replace(was, inputs=inputs, masks=masks)
    if was.answer is None or was.answer.trouble or not same.answered:
        return {"kept": was.kept}
    found: dict[str, Any] = {"kept": was.kept, "answer": was.answer}
    if _decoded(was):
        found |= {name: getattr(was, name) for name in DECODED}
        found["decode"] = replace(was.decode, speed=decode.speed)
        found["step"] = was.selection.step
    return found


def _worth_keeping(state: State) -> bool:
    return bool(state.kept) or _decoded(state)


def _decoded(state: State) -> bool:
    return bool(state.moves) or len(state.tree.branches) > 1


def key_of(model: LoadedModel) -> tuple[str, str]:
    """As it is asked for: its source and the name of its device."""
    from core.device import name_of

    return model.source, name_of(model.device)


def _weights(state: State) -> int:
    return state.model.parameters if state.model is not None else 0
