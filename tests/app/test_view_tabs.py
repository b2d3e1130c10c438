"""The names of the views: the one in front is always there to be read."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app import style
from app.panels.view_tabs import ViewTabs
from app.theme import LIGHT

TITLES = {f"view{i}": f"A view no. {i}" for i in range(20)}


@pytest.fixture
def tabs(qtbot: QtBot) -> ViewTabs:
    style.apply(LIGHT)
    made = ViewTabs()
    qtbot.addWidget(made)
    made.resize(600, 40)
    made.show()
    made.offer(TITLES)
    return made


def test_the_view_in_front_has_a_tab_of_its_width(qtbot: QtBot, tabs: ViewTabs) -> None:
    for key in ("view0", "view15", "view2", "view9", "view19", "view0"):
        tabs.show_key(key)
        qtbot.wait(1)
        index = list(TITLES).index(key)
        box = tabs.bar.tabRect(index)
        assert key not in tabs.hidden
        assert tabs.bar.currentIndex() == index
        assert box.width() >= tabs.bar.fontMetrics().horizontalAdvance(TITLES[key])
        assert box.right() <= tabs.bar.width()
        others = [tabs.bar.tabRect(i) for i in range(20) if tabs.bar.isTabVisible(i)]
        assert all(other.right() < tabs.bar.width() for other in others)
        assert len({other.left() for other in others}) == len(others) > 2


def test_what_has_no_tab_is_in_the_menu(tabs: ViewTabs) -> None:
    chosen: list[str] = []
    tabs.chosen.connect(chosen.append)
    assert tabs.more.isVisibleTo(tabs)
    tabs.menu.aboutToShow.emit()
    assert [a.text() for a in tabs.menu.actions()] == [TITLES[key] for key in tabs.hidden]
    tabs.menu.actions()[-1].trigger()
    assert chosen == ["view19"]
