"""The window: panels in their places, menus, keys, drag and drop."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QIcon,
    QKeyEvent,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QMainWindow,
    QMessageBox,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from app import style
from app.about import about_html
from app.examples import Example
from app.hands import Hands
from app.icons import window_icon
from app.keys import binding_of, help_html
from app.menus import Menus
from app.panels.banner import Banner
from app.panels.decoding import DecodingPanel
from app.panels.dock import Dock
from app.panels.exporting import PictureExport
from app.panels.header import Header
from app.panels.mask import MaskPanel
from app.panels.pictures import Pictures
from app.panels.predictions import PredictionsPanel
from app.panels.prompt import PromptPanel
from app.panels.readout import ReadoutPanel
from app.panels.save_dialog import SaveDialog
from app.panels.sitebar import SiteBar
from app.panels.status import StatusLine
from app.session import Session
from app.store import Store
from app.theme import DARK, LIGHT, Theme

MODEL_FILES = "Model files (*.gguf *.GGUF *.safetensors *.bin *.pt *.pth *.ckpt)"


class _Centre(QWidget):
    """Tells when it was painted for the first time: the window is on screen then."""

    painted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._told = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._told:
            self._told = True
            QTimer.singleShot(0, self.painted.emit)


class Window(QMainWindow):
    """painted: the first picture of the window is on screen. closed: it went away."""

    painted = Signal()
    closed = Signal()

    def __init__(
        self,
        store: Store,
        session: Session,
        examples: tuple[Example, ...] = (),
    ) -> None:
        super().__init__()
        self._store, self._session = store, session
        self.setWindowTitle("Trifocal")
        self.setWindowIcon(window_icon())
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.header = Header(store, session)
        self.prompt = PromptPanel(store, session)
        self.mask_panel = MaskPanel(store, session)
        self.banner = Banner(store, session)
        self.pictures = Pictures(store, session, self.banner)
        self.sitebar = SiteBar(store, session, self.pictures)
        self.readout = ReadoutPanel(store, session)
        self.predictions = PredictionsPanel(store, session)
        self.decoding = DecodingPanel(store, session)
        self.status = StatusLine(store, session)
        self._hands = Hands(store, session, self.sitebar)
        self._place()
        self._first_layout = self.saveState()
        self.save_dialog = SaveDialog(self)
        self.exporting = PictureExport(self, store, session, self.pictures, self.save_dialog)
        self.exporting.done.connect(lambda said: self.status.showMessage(said, 5000))
        self.menus = Menus(self, store, session, examples)
        self._themed = (
            self.prompt,
            self.mask_panel,
            self.banner,
            self.pictures,
            self.sitebar,
            self.readout,
            self.predictions,
            self.decoding,
            self.exporting,
        )
        self.theme: Theme | None = None
        self.header.open_folder.connect(self.choose_folder)
        store.changed.connect(self._show)
        QApplication.styleHints().colorSchemeChanged.connect(self._set_theme)
        self._set_theme()
        self._leave_keys_to_the_picture()

    def _leave_keys_to_the_picture(self) -> None:
        """A button clicked with the mouse does not take the arrow keys and Space for itself."""
        for panel in (self.sitebar, self.decoding, self.header):
            for button in panel.findChildren(QAbstractButton):
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                button.clicked.connect(partial(self._clicked, button))

    def _clicked(self, button: QAbstractButton) -> None:
        if button.hasFocus():  # who came by Tab stays
            return
        if button in self.header.architectures.values():
            self.prompt.text.setFocus()  # each architecture has its own text: one goes on typing
        else:
            self.pictures.take_keys()

    def _place(self) -> None:
        bar = QToolBar("Model")
        bar.setObjectName("model-bar")
        bar.setMovable(False)
        bar.toggleViewAction().setEnabled(False)
        bar.addWidget(self.header)
        self.addToolBar(bar)
        centre = _Centre()
        centre.painted.connect(self.painted)
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.setSpacing(4)
        layout.addWidget(self.pictures, 1)
        layout.addWidget(self.sitebar)
        self.setCentralWidget(centre)
        self.setStatusBar(self.status)
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        self.setCorner(Qt.Corner.BottomLeftCorner, bottom)
        self.setCorner(Qt.Corner.BottomRightCorner, bottom)
        self.docks: list[Dock] = []
        for title, widget, area in (
            ("Input", self.prompt, left),
            ("Mask", self.mask_panel, left),
            ("Read-out", self.readout, right),
            ("Predictions", self.predictions, right),
            ("Decoding", self.decoding, bottom),
        ):
            dock = Dock(title, widget, self.pictures, len(self.docks))
            self.addDockWidget(area, dock)
            self.docks.append(dock)
        self.prompt.lacking.connect(self.docks[0].room.lacking)
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([self.docks[0], self.docks[2]], [315, 325], horizontal)
        self.resizeDocks(self.docks[:2], [245, 275], vertical)
        self.resizeDocks(self.docks[2:4], [182, 338], vertical)
        self.resize(1366, 740)

    # --- looks ------------------------------------------------------------------------------

    def _set_theme(self) -> None:
        wanted = self._wanted_theme()
        if wanted is self.theme:
            return
        self.theme = wanted
        style.apply(wanted)
        for panel in self._themed:
            panel.set_theme(wanted)

    def _show(self, names: frozenset[str]) -> None:
        if "display" in names:
            self._set_theme()
        if names & {"model", "source"}:
            model = self._store.state.model
            self.setWindowTitle(f"{model.name} – Trifocal" if model is not None else "Trifocal")

    def _wanted_theme(self) -> Theme:
        choice = self._store.state.display.theme
        system = QApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return DARK if choice == "dark" or (choice == "system" and system) else LIGHT

    # --- layout -----------------------------------------------------------------------------

    def layout_state(self) -> tuple[QByteArray, QByteArray]:
        return self.saveGeometry(), self.saveState()

    def restore(self, geometry: QByteArray, layout: QByteArray) -> None:
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        if not layout.isEmpty():
            self.restoreState(layout)

    def reset_layout(self) -> None:
        self.restoreState(self._first_layout)

    # --- files ------------------------------------------------------------------------------

    def choose_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, "Open a checkpoint folder")
        self.activateWindow()  # not every desktop does: keys would go nowhere
        if path:
            self._session.opening.open(path)

    def choose_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Open a model file", "", MODEL_FILES)
        self.activateWindow()
        if path:
            self._session.opening.open(path)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self._session.opening.open(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()

    # --- examples and help ------------------------------------------------------------------

    def show_example(self, example: Example) -> None:
        self._session.opening.show_example(example)

    def show_keys(self) -> None:
        self._tell("Keys", help_html())

    def show_about(self) -> None:
        self._tell("About Trifocal", about_html())

    def _tell(self, title: str, text: str) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(title)
        box.setText(text)
        box.setStandardButtons(QMessageBox.StandardButton.Close)
        box.button(QMessageBox.StandardButton.Close).setIcon(QIcon())
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def go_to_text(self) -> None:
        self.prompt.text.setFocus()
        self.prompt.text.selectAll()

    # --- keys -------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        binding = binding_of(event, QApplication.focusWidget())
        if binding is None:
            super().keyPressEvent(event)
        else:
            self._hands.act(binding)

    # --- coming and going -------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.prompt.text.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closed.emit()
        super().closeEvent(event)
