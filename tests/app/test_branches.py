"""Taking another candidate keeps the old continuation; going back restores everything."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.branches import Branch, Tree
from app.figure import Diagram
from app.wiring import App
from tests.app.driver import Opener, click_at, find, front, heatmap, settled, type_text
from tests.app.test_decoding import step, to_the_end, turn_to


def tokens(app: App) -> list[int]:
    return [made.token for made in app.store.state.steps]


def take(qtbot: QtBot, app: App, at: int, rank: int) -> int:
    """Force the candidate of this rank at a step."""
    token = app.store.state.steps[at].candidates[rank].token
    app.session.stepping.take(token, at)
    qtbot.waitUntil(lambda: tokens(app)[at:] == [token], timeout=10_000)
    settled(qtbot, app)
    return token


def test_the_old_continuation_can_be_revisited(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 4)
    old = app.store.state.steps
    prompt = len(app.store.state.answer.trace.tokens["decoder"])
    assert not app.window.decoding.branch.isVisible()
    take(qtbot, app, 1, 3)
    step(qtbot, app, 2)
    new = app.store.state.steps
    choice = app.window.decoding.branch
    assert choice.isVisible()
    assert (choice.count(), choice.currentIndex()) == (2, 1)
    choice.setCurrentIndex(0)
    choice.activated.emit(0)
    settled(qtbot, app)
    assert app.store.state.steps == old, "the very steps, nothing computed again"
    assert heatmap(app).values.shape == (prompt + 3, prompt + 3)
    assert len(app.window.decoding.chips.chips) == 4
    assert app.window.decoding.count.text() == "step 4 of 4"
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    settled(qtbot, app)
    assert app.store.state.steps == new
    step(qtbot, app, 1)
    assert app.store.state.steps[:4] == new


def test_a_step_after_going_back_equals_the_full_forward(qtbot: QtBot, open_app: Opener) -> None:
    """The cache had moved on in the other branch; nothing of it may be left."""
    app = open_app("random:decoder")
    step(qtbot, app, 4)
    take(qtbot, app, 1, 3)
    step(qtbot, app, 3)
    app.session.stepping.revisit(0)
    step(qtbot, app, 2)
    last = app.store.state.steps[-1]
    assert last.index == 5
    whole = app.store.state.model.trace(ids=list(last.tokens.ids[:-1]))
    assert (last.logits - whole.logits[-1]).abs().max() < 1e-4
    mine = last.trace.pattern("decoder.self", 2)
    assert (mine - whole.pattern("decoder.self", 2)).abs().max() < 1e-5


def test_taking_what_was_taken_before_goes_there(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 3)
    old = app.store.state.steps
    take(qtbot, app, 1, 2)
    app.session.stepping.take(old[1].token, 1)
    settled(qtbot, app)
    assert app.store.state.steps == old
    assert app.store.state.selection.step == 1
    assert len(app.store.state.tree.branches) == 2


def test_the_tree_view_shows_and_restores_branches(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 4)
    old = app.store.state.steps
    turn_to(qtbot, app, "branches")
    take(qtbot, app, 2, 1)
    step(qtbot, app, 1)
    panel = app.window.pictures.figure.panels[0]
    assert isinstance(panel, Diagram)
    assert panel.title == "2 continuations"
    kinds = {box.picks: box.kind for box in panel.boxes if box.picks}
    shared, rest = (("branch", 0), ("step", 1)), (("branch", 0), ("step", 3))
    mine = (("branch", 1), ("step", 3))
    assert kinds == {shared: "selected", rest: "embedding", mine: "selected"}
    click_at(front(app), find(front(app), branch=0, step=3))
    settled(qtbot, app)
    assert app.store.state.steps == old
    kinds = {box.picks: box.kind for box in app.window.pictures.figure.panels[0].boxes}  # type: ignore[union-attr]
    assert kinds[rest] == "selected"
    assert kinds[mine] == "embedding"


def test_another_text_forgets_the_branches(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    take(qtbot, app, 0, 1)
    type_text(app, "x")
    settled(qtbot, app)
    assert app.store.state.tree == Tree()
    assert not app.window.decoding.branch.isVisible()


def test_a_fork_before_its_own_fork_leaves_the_older_branch() -> None:
    steps = tuple(object() for _ in range(5))
    tree = Tree(
        branches=(Branch(steps=steps), Branch(steps=steps, parent=0, fork=3)),  # type: ignore[arg-type]
        current=1,
    )
    for at, parent in ((4, 1), (3, 0), (1, 0)):
        made = tree.forked(at)
        assert made.branches[-1] == Branch(steps=steps[:at], parent=parent, fork=at)  # type: ignore[arg-type]
        assert made.current == 2


def choose(app: App, strategy: str) -> None:
    """From the list, as a person does."""
    combo = app.window.decoding.choices.strategy
    combo.setCurrentIndex(combo.findData(strategy))
    combo.activated.emit(combo.currentIndex())


def test_another_strategy_keeps_what_was_decoded_as_a_branch(
    qtbot: QtBot, open_app: Opener
) -> None:
    app = open_app("random:decoder")
    bar = app.window.decoding
    bar.choices.most.setValue(5)
    to_the_end(qtbot, app)
    greedy = app.store.state.steps
    choose(app, "beam")
    settled(qtbot, app)
    assert app.store.state.steps == ()
    assert "kept as a branch" in bar.chips._empty
    assert bar.branch.isVisible()
    assert bar.branch.itemText(0).startswith("1 · Greedy: “")
    assert bar.branch.currentText() == "2 · 4 beams"
    assert bar.buttons["restart"].isEnabled()
    to_the_end(qtbot, app)
    search, beam = app.store.state.search, app.store.state.steps
    assert search is not None
    choose(app, "greedy")
    settled(qtbot, app)
    state = app.store.state
    assert state.steps == greedy, "the very steps, nothing computed again"
    assert state.search is None
    assert bar.branch.count() == 2
    bar.branch.setCurrentIndex(1)
    bar.branch.activated.emit(1)
    settled(qtbot, app)
    state = app.store.state
    assert (state.steps, state.search) == (beam, search)
    assert state.decode.strategy == "beam", "it goes on as it was decoded"
    turn_to(qtbot, app, "branches")
    panel = app.window.pictures.figure.panels[0]
    assert isinstance(panel, Diagram)
    texts = [box.text for box in panel.boxes]
    for how in ("Greedy", "4 beams"):
        assert any("log P" in text and text.endswith(f" · {how}") for text in texts)


def test_a_strategy_that_decoded_nothing_leaves_no_branch(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    step(qtbot, app, 2)
    old = app.store.state.steps
    turn_to(qtbot, app, "branches")
    for strategy in ("sample", "beam"):
        choose(app, strategy)
        settled(qtbot, app)
        assert app.window.pictures.figure.panels[0].title == "One continuation so far"
        assert len(app.store.state.tree.branches) == 2
    choose(app, "greedy")
    settled(qtbot, app)
    assert app.store.state.steps == old
    assert len(app.store.state.tree.branches) == 1
    choose(app, "sample")
    app.session.stepping.restart()
    settled(qtbot, app)
    assert app.store.state.tree == Tree(), "thrown away means all of it"
    assert not app.window.decoding.branch.isVisible()


def test_another_hypothesis_leaves_what_branched_off(qtbot: QtBot, open_app: Opener) -> None:
    app = open_app("random:decoder")
    app.window.decoding.choices.most.setValue(4)
    choose(app, "beam")
    to_the_end(qtbot, app)
    search = app.store.state.search
    assert search is not None
    best = app.store.state.steps
    take(qtbot, app, 1, 3)
    by_hand = app.store.state.steps
    app.session.stepping.writer.searching.show(search.best[1].id)
    qtbot.waitUntil(lambda: app.store.state.steps not in (best, by_hand))
    settled(qtbot, app)
    held = [branch.steps for branch in app.store.state.tree.branches[:2]]
    assert held == [best, by_hand]
