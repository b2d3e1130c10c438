"""The names of the views: every one in sight within two clicks, and no menu needed."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from app import style
from app.groups import GROUPS
from app.panels.view_tabs import ViewTabs
from app.theme import DARK, LIGHT, Theme
from app.views import views


@pytest.fixture
def tabs(qtbot: QtBot) -> ViewTabs:
    style.apply(LIGHT)
    made = ViewTabs()
    qtbot.addWidget(made)
    made.resize(700, 60)
    made.show()
    made.offer(views())
    return made


def titles(bar: QTabBar) -> list[str]:
    return [bar.tabText(i) for i in range(bar.count())]


def middle(bar: QTabBar, place: int) -> QPoint:
    return bar.tabRect(place).center()


@pytest.mark.parametrize("width", [526, 700])  # the window lets its middle be no narrower
def test_all_groups_and_all_views_of_a_group_find_room(
    qtbot: QtBot, tabs: ViewTabs, width: int
) -> None:
    tabs.resize(width, tabs.height())
    for view in views():
        tabs.show_key(view.key)
        qtbot.wait(1)
        for bar in (tabs.groups, tabs.views):
            for i in range(bar.count()):
                box = bar.tabRect(i)
                assert box.left() >= 0
                assert box.right() < width, (view.key, bar.tabText(i))
                assert box.width() >= bar.fontMetrics().horizontalAdvance(bar.tabText(i))
                assert bar.tabAt(box.center()) == i


def test_in_a_window_too_narrow_the_longest_names_are_cut_and_none_is_out_of_reach(
    qtbot: QtBot, tabs: ViewTabs
) -> None:
    tabs.resize(400, tabs.height())
    tabs.show_key("attention")
    qtbot.wait(1)
    for bar in (tabs.groups, tabs.views):
        boxes = [bar.tabRect(i) for i in range(bar.count())]
        assert all(right.left() > left.left() for left, right in itertools.pairwise(boxes))
        assert boxes[-1].right() < 400
        assert min(box.width() for box in boxes) > 40


def test_the_two_lines_are_little_higher_than_one_line_of_tabs(tabs: ViewTabs) -> None:
    one_line = tabs.fontMetrics().height() + 16
    assert tabs.sizeHint().height() <= one_line + 28


def test_the_second_line_shows_the_group_of_the_view_in_front(tabs: ViewTabs) -> None:
    told: list[str] = []
    tabs.chosen.connect(told.append)
    tabs.turned.connect(told.append)
    assert titles(tabs.groups) == [group.title for group in GROUPS]
    for view in views():
        tabs.show_key(view.key)
        group = GROUPS[tabs.groups.currentIndex()]
        assert group.key == view.group
        assert tabs.shown == tuple(v.key for v in views() if v.group == view.group)
        assert tabs.views.tabText(tabs.views.currentIndex()) == view.title
    assert told == [], "what is set from outside is told to nobody"


def test_a_click_tells_which_view_or_group_is_wanted(tabs: ViewTabs) -> None:
    tabs.show_key("attention")
    chosen, turned = [], []
    tabs.chosen.connect(chosen.append)
    tabs.turned.connect(turned.append)
    QTest.mouseClick(tabs.views, Qt.MouseButton.LeftButton, pos=middle(tabs.views, 3))
    QTest.mouseClick(tabs.groups, Qt.MouseButton.LeftButton, pos=middle(tabs.groups, 4))
    assert (chosen, turned) == (["heads"], ["matters"])


def test_tooltips_say_what_is_shown_and_the_key(tabs: ViewTabs) -> None:
    tabs.show_key("beams")
    for i, view in enumerate(v for v in views() if v.group == "decoding"):
        assert tabs.views.tabToolTip(i) == f"{view.summary} ({i + 1})"
    for i, group in enumerate(GROUPS):
        assert tabs.groups.tabToolTip(i) == f"{group.summary} (Alt+{i + 1})"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_groups_that_cannot_be_chosen_yet_look_so(qtbot: QtBot, theme: Theme) -> None:
    made = ViewTabs()
    style.apply(theme)
    qtbot.addWidget(made)
    made.resize(700, 60)
    made.show()

    def strongest() -> int:
        """How far the letters of a group that is not in front are from what they stand on."""
        shot = (
            made.grab(made.groups.tabRect(3))
            .toImage()
            .convertToFormat(QImage.Format.Format_Grayscale8)
        )
        shades = {shot.pixelColor(x, y).red() for x in range(shot.width()) for y in range(20)}
        return max(shades) - min(shades)

    resting = strongest()
    made.offer(views())
    made.show_key("lens")
    assert 0.3 < resting / strongest() < 0.75


def test_before_the_views_are_known_the_groups_cannot_be_chosen(qtbot: QtBot) -> None:
    made = ViewTabs()
    qtbot.addWidget(made)
    before = made.sizeHint().height()
    assert titles(made.groups) == [group.title for group in GROUPS]
    assert not made.groups.isEnabled()
    made.offer(views())
    made.show_key("lens")
    assert made.groups.isEnabled()
    assert made.sizeHint().height() == before, "nothing jumps when the views come"
