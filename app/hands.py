"""What each key of `app.keys` does."""

from __future__ import annotations

from app.keys import Binding
from app.looking import lengths_at
from app.panels.sitebar import SiteBar
from app.session import Session
from app.store import Store


class Hands:
    """Carries out bindings; knows who can do what."""

    def __init__(self, store: Store, session: Session, sitebar: SiteBar) -> None:
        self._store, self._session, self._sitebar = store, session, sitebar

    def act(self, binding: Binding) -> None:
        by = binding.argument
        stepping = self._session.stepping
        match binding.action:
            case "head":
                self._sitebar.move_head(by)
            case "layer":
                self._sitebar.move_layer(by)
            case "query" | "key":
                self._move_pin(binding.action, by)
            case "mean":
                self._sitebar.toggle_mean()
            case "site":
                self._sitebar.next_site()
            case "clear":
                self._store.select(query=None, key=None)
            case "play":
                stepping.play()
            case "step":
                stepping.on()
            case "back":
                stepping.back()
            case "first":
                stepping.first()
            case "last":
                stepping.last()
            case "tab":
                self._session.leafing.open(by)

    def _move_pin(self, name: str, by: int) -> None:
        state = self._store.state
        if state.trace is None or state.selection.site not in state.trace.spec.sites:
            return
        count = lengths_at(state.trace, state.selection.site)[0 if name == "query" else 1]
        now = getattr(state.selection, name)
        moved = (0 if by > 0 else count - 1) if now is None else now + by
        self._store.select(**{name: max(0, min(count - 1, moved))})
