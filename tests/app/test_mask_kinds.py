"""A kind of mask is chosen for a site, alone or with a second."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.mask_kinds import KINDS
from tests.app.choosing import choose
from tests.app.driver import Opener, heatmap, settled, type_text


def test_a_kind_changes_what_every_query_may_see(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    choose(qtbot, app, app.window.mask_panel.kind.combo, "causal")
    values, hidden = heatmap(app).values, heatmap(app).hidden
    assert hidden is not None
    for query in range(6):
        for key in range(6):
            assert hidden[query, key] == (key > query)
            assert not hidden[query, key] or values[query, key] == 0


def test_parameters_become_spin_boxes(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    choose(qtbot, app, app.window.mask_panel.kind.combo, "sliding_window")
    spins = app.window.mask_panel.kind.spins
    assert list(spins) == ["window"]
    spins["window"].setValue(1)
    settled(qtbot, app)
    assert (heatmap(app).values.diagonal() == 1).all()
    choose(qtbot, app, app.window.mask_panel.kind.combo, "strided")
    assert sorted(app.window.mask_panel.kind.spins) == ["local", "stride"]


def test_two_kinds_combine(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app()
    type_text(app, "abcd")
    mask = app.window.mask_panel
    choose(qtbot, app, mask.kind.combo, "causal")
    choose(qtbot, app, mask.second.combo, "no_self")
    hidden = heatmap(app).hidden
    assert hidden is not None
    assert hidden.diagonal().all()
    assert heatmap(app).dead_rows == (0,)
    told = [KINDS[key].explanation for key in ("causal", "no_self")]
    both = f"1. {told[0]} 2. {told[1]}"
    assert mask.explanation.text() == f"{both} Only what every kind allows is seen."
    choose(qtbot, app, mask.how, "or")
    assert mask.explanation.text() == f"{both} What any one kind allows is seen."
    hidden = heatmap(app).hidden
    assert hidden is None or not hidden.any()


def test_every_site_has_its_own_mask_and_thumbnail(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    mask = app.window.mask_panel
    assert [site for site, shown in mask.maps.items() if shown.isVisible()] == [
        "encoder.self",
        "decoder.self",
        "decoder.cross",
    ]
    QTest.mouseClick(mask.buttons["decoder.cross"], Qt.MouseButton.LeftButton)
    offered = {mask.kind.combo.itemData(i) for i in range(mask.kind.combo.count())}
    assert "local" in offered
    assert "causal" not in offered, "a cross-attention has no before and after"
    choose(qtbot, app, mask.kind.combo, "local")
    assert set(app.store.state.masks) == {"decoder.cross"}


def test_the_site_whose_mask_is_chosen_is_shown(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:encoder-decoder")
    for site in ("decoder.cross", "encoder.self", "decoder.self"):
        QTest.mouseClick(app.window.mask_panel.buttons[site], Qt.MouseButton.LeftButton)
        settled(qtbot, app)
        assert app.store.state.selection.site == site
        assert app.window.sitebar.site.currentData() == site
        assert app.window.mask_panel.buttons[site].isChecked()
