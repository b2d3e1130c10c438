"""What a click on a picture means. A mark of a figure names what it picks: fields of the selection,
or what it does ("token", "hypothesis", "sort", "branch", "step")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.choices import HEAD_ORDERS
from app.looking import at_site, fitted
from app.selection import Selection
from app.session import Session
from app.stepping import Stepping
from app.store import Store


def took(picks: Mapping[str, int], stepping: Stepping) -> bool:
    """Whether the click was on a token to take; it names its step or the position it follows."""
    if "token" not in picks:
        return False
    if "position" in picks:
        stepping.take_at(picks["position"], picks["token"])
    else:
        stepping.take(picks["token"], picks.get("step"))
    return True


class Picking:
    """Clicks on the views' pictures."""

    def __init__(self, store: Store, session: Session) -> None:
        self._store, self._session = store, session
        self._selected: tuple[Selection, Selection] | None = None  # by a click: before and after

    def picked(self, picked: Mapping[str, int | str]) -> None:
        """A click selects; a second one on the same pin lets go; a head of the mosaic opens.
        picked: empty where the picture is of a run before, whose places are not to be taken."""
        self._selected = None
        picks = {name: value for name, value in picked.items() if isinstance(value, int)}
        if took(picks, self._session.stepping):
            return
        if len(picks) < len(picked):
            self._go_to(picked)
        elif "hypothesis" in picks:
            self._session.stepping.writer.searching.show(picks["hypothesis"])
        elif "sort" in picks:
            self._session.sort_heads(HEAD_ORDERS[picks["sort"] + 1])
        elif "branch" in picks:
            self._session.stepping.revisit(picks["branch"], picks.get("step"))
        else:
            self._select(picks)

    def unpicked(self) -> None:
        """The click only began a double click: what it selected is let go, unless more happened."""
        if self._selected is not None and self._store.state.selection == self._selected[1]:
            before = self._selected[0]
            if before.step == self._selected[1].step:
                self._store.select(before)
        self._selected = None

    def opened(self, target: str) -> None:
        """A double click on what stands for another view."""
        if self._is_view(target):
            self._session.look_at(target)

    def _select(self, picks: Mapping[str, int]) -> None:
        selection = self._store.state.selection
        changes: dict[str, int | str | None] = dict(picks)
        pins = {name: index for name, index in picks.items() if name in ("query", "key")}
        if pins and all(getattr(selection, name) == index for name, index in pins.items()):
            changes |= dict.fromkeys(pins)
        if "step" in changes:
            self._session.stepping.show(picks["step"])
            del changes["step"]
        state = self._store.state
        wanted = replace(state.selection, **changes)  # type: ignore[arg-type]
        if state.trace is not None:
            self._store.select(fitted(wanted, state.trace.spec, state.trace))
        self._selected = selection, self._store.state.selection
        if {"layer", "head"} <= set(picks) and self._is_view("attention"):
            self._session.look_at("attention")

    def _go_to(self, picked: Mapping[str, int | str]) -> None:
        """To another stack or attention site: what is looked at must exist there too."""
        state = self._store.state
        if state.trace is None:
            return
        stack, part = str(picked["stack"]), str(picked["part"])
        wanted = at_site(state.selection, stack, part)
        found = fitted(
            replace(wanted, **picked),  # type: ignore[arg-type]
            state.trace.spec,
            state.trace,
        )
        self._store.select(found)

    def _is_view(self, key: str) -> bool:
        abilities = self._store.state.abilities
        return abilities is not None and any(view.key == key for view in abilities.views)
