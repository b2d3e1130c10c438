"""From view to view: by mouse, keys and menu; each group shows again what it showed last."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from app.figure import Words
from app.groups import GROUPS
from app.settings import Remembered, Settings
from app.views import views
from app.wiring import App
from tests.app.driver import Opener, front, press, settled

Key = Qt.Key
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
KEYS = [view.key for view in views()]


def click_tab(bar: QTabBar, title: str) -> None:
    place = next(i for i in range(bar.count()) if bar.tabText(i) == title)
    box = bar.tabRect(place)
    assert bar.rect().contains(box), f"{title} is not in sight"
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=box.center())


def shortcut(qtbot: QtBot, app: App, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    app.window.activateWindow()
    qtbot.waitUntil(app.window.isActiveWindow)
    QTest.keyClick(app.window.focusWidget(), key, modifier)


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_every_view_is_two_clicks_away_with_the_docks_open(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    tabs = app.window.pictures.tabs
    assert app.window.width() == 1366
    assert not any(dock.isHidden() for dock in app.window.docks)
    titles = {group.key: group.title for group in GROUPS}
    for view in views():
        click_tab(tabs.groups, titles[view.group])
        click_tab(tabs.views, view.title)
        assert app.store.state.view == view.key
    settled(qtbot, app)
    assert front(app).isVisible()
    assert front(app).hasFocus()


def test_a_group_shows_at_once_what_it_showed_last(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    tabs = app.window.pictures.tabs
    click_tab(tabs.groups, "States")
    settled(qtbot, app)
    assert app.store.state.view == "hidden_states"
    assert app.window.pictures.widgets["hidden_states"].isVisible()
    click_tab(tabs.views, "Paths")
    click_tab(tabs.groups, "Inside the model")
    assert app.store.state.view == "architecture"
    click_tab(tabs.groups, "States")
    settled(qtbot, app)
    assert app.store.state.view == "paths"


def test_the_next_window_remembers_the_view_of_every_group(qtbot: QtBot, open_app: Opener) -> None:
    first = open_app()
    first.session.look_at("head_table")
    first.session.look_at("beams")
    settled(qtbot, first)
    first.window.close()
    second = open_app("")
    assert second.store.state.view == "beams"
    assert second.window.pictures.tabs.shown == ("over_time", "branches", "beams", "cache")
    second.session.leafing.turn_to("attention")
    settled(qtbot, second)
    assert second.store.state.view == "head_table"


def test_a_remembered_view_that_is_no_more_gives_the_first_of_its_group(
    qtbot: QtBot, open_app: Opener, tmp_path: Path
) -> None:
    fronts = {"states": "beams", "inside": "gone", "elsewhere": "lens"}
    Settings(tmp_path / "settings.ini").save(Remembered(fronts=fronts))
    app = open_app()
    app.session.leafing.turn_to("states")
    assert app.store.state.view == "hidden_states"
    app.session.leafing.turn_to("inside")
    assert app.store.state.view == "architecture"
    app.session.leafing.turn_to("elsewhere")
    assert app.store.state.view == "architecture"


def test_page_keys_go_through_all_views_and_around(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    seen = []
    for _ in KEYS:
        seen.append(app.store.state.view)
        shortcut(qtbot, app, Key.Key_PageDown, CTRL)
    assert seen == KEYS
    assert app.store.state.view == KEYS[0]
    shortcut(qtbot, app, Key.Key_PageUp, CTRL)
    settled(qtbot, app)
    assert app.store.state.view == KEYS[-1]


def test_number_keys_choose_views_of_the_group_and_with_alt_the_group(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    for number, group in enumerate(GROUPS):
        shortcut(qtbot, app, Key(Key.Key_1.value + number), ALT)
        settled(qtbot, app)
        there = [view.key for view in views() if view.group == group.key]
        assert app.store.state.view == there[0]
        for place, key in enumerate(there):
            press(app, Key(Key.Key_1.value + place))
            settled(qtbot, app)
            assert app.store.state.view == key
        press(app, Key.Key_9)
        assert app.store.state.view == there[-1], "where there is no view, nothing happens"


def test_from_within_the_text_the_groups_are_reached_and_nothing_is_typed(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    editor = app.window.prompt.text
    editor.setFocus()
    before = editor.toPlainText()
    shortcut(qtbot, app, Key.Key_3, ALT)
    assert app.store.state.view == "predictions"
    shortcut(qtbot, app, Key.Key_PageDown, CTRL)
    assert app.store.state.view == "lens"
    assert editor.toPlainText() == before
    assert editor.hasFocus(), "one goes on typing"
    settled(qtbot, app)


def test_who_came_to_the_tabs_by_tab_stays_there(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    app.window.activateWindow()
    tabs = app.window.pictures.tabs
    for bar in (tabs.groups, tabs.views):
        bar.setFocus(Qt.FocusReason.TabFocusReason)
        for _ in range(2):
            QTest.keyClick(bar, Key.Key_Right)
            settled(qtbot, app)
            assert bar.hasFocus()
    assert app.store.state.view == "lens"


def test_the_menu_has_the_same_groups_and_marks_the_view_in_front(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app()
    menus = app.window.menus
    for group in GROUPS:
        actions = menus.groups[group.key].actions()
        assert [(a.text(), a.toolTip()) for a in actions] == [
            (view.title, view.summary) for view in views() if view.group == group.key
        ]
    menus.views["rollout"].trigger()
    assert app.store.state.view == "rollout"
    app.session.look_at("cache")
    assert [key for key, action in menus.views.items() if action.isChecked()] == ["cache"]
    settled(qtbot, app)


@pytest.mark.parametrize("source", ["random:encoder", "random:decoder", "random:encoder-decoder"])
def test_views_that_have_nothing_yet_say_what_they_need(
    qtbot: QtBot, open_app: Opener, source: str
) -> None:
    app = open_app(source)
    for key in ("over_time", "branches", "beams", "compare", "two_runs"):
        app.session.look_at(key)
        settled(qtbot, app)
        (panel,) = app.window.pictures.figure.panels
        assert isinstance(panel, Words), key
        assert len(panel.text) > 20, key
        assert panel.text.endswith("."), key
        assert not app.window.banner.isVisible()
