"""The look of the window: Fusion with a palette and a short style sheet from a Theme.

`styleHints().setColorScheme` does nothing on some platforms; a palette of one's own works on all.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.theme import DARK, LIGHT, Theme

CHOICES = ("system", "light", "dark")
SMALLEST_POINTS = 10.0

Role = QPalette.ColorRole
Group = QPalette.ColorGroup


class Appearance(QObject):
    """Which theme the application wears, and its changing with the system's.

    changed: the theme now worn. Made once, for the running application.
    """

    changed = Signal(object)

    def __init__(self, application: QApplication, choice: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice = choice
        application.setStyle("Fusion")
        font = application.font()
        if 0 < font.pointSizeF() < SMALLEST_POINTS:
            font.setPointSizeF(SMALLEST_POINTS)
            application.setFont(font)
        self._theme = _theme(choice)
        dress(application, self._theme)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def theme(self) -> Theme:
        """The theme worn."""
        return self._theme

    @property
    def choice(self) -> str:
        """What was asked for: "system", "light" or "dark"."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Wears a theme from now on, or the system's; ValueError for any other word."""
        theme = _theme(choice)
        self._choice = choice
        if theme is not self._theme:
            self._theme = theme
            dress(self._application, theme)
            self.changed.emit(theme)

    def _system_changed(self) -> None:
        if self._choice == "system":
            self.choose("system")


def _theme(choice: str) -> Theme:
    if choice not in CHOICES:
        raise ValueError(f"no theme {choice!r}: {', '.join(CHOICES)} are known")
    if choice == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def dress(application: QApplication, theme: Theme) -> None:
    """Gives all windows the theme's palette and style sheet."""
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme))


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's colour roles."""
    result = QPalette()
    for role, colour in (
        (Role.Window, theme.background),
        (Role.WindowText, theme.text),
        (Role.Base, theme.surface),
        (Role.AlternateBase, theme.background),
        (Role.Text, theme.text),
        (Role.PlaceholderText, theme.muted),
        (Role.Button, theme.raised),
        (Role.ButtonText, theme.text),
        (Role.BrightText, theme.warning),
        (Role.ToolTipBase, theme.raised),
        (Role.ToolTipText, theme.text),
        (Role.Highlight, theme.accent),
        (Role.HighlightedText, theme.on_accent),
        (Role.Accent, theme.accent),
        (Role.Link, theme.accent),
        (Role.LinkVisited, theme.accent),
        (Role.Light, theme.raised),
        (Role.Midlight, theme.border),
        (Role.Mid, theme.border),
        (Role.Dark, theme.muted),
        (Role.Shadow, theme.border),
    ):
        result.setColor(role, QColor(colour))
    faint = QColor(theme.muted)
    faint.setAlphaF(0.6)
    for role in (Role.WindowText, Role.Text, Role.ButtonText, Role.HighlightedText):
        result.setColor(Group.Disabled, role, faint)
    result.setColor(Group.Disabled, Role.Highlight, QColor(theme.border))
    return result


def style_sheet(theme: Theme) -> str:
    """What a palette cannot say: flat borders, an 8-pixel grid, one accent colour.

    A label, button or frame may carry a property to be styled: role = "muted", "title", "warning"
    or "primary".
    """
    return f"""
QToolTip {{ color: {theme.text}; background: {theme.raised}; border: 1px solid {theme.border};
  padding: 4px 8px; }}
QMainWindow::separator {{ background: {theme.background}; width: 6px; height: 6px; }}
QMainWindow::separator:hover {{ background: {theme.border}; }}
QDockWidget {{ color: {theme.muted}; font-weight: bold; }}
QDockWidget::title {{ padding: 6px 8px; text-align: left; background: {theme.background}; }}
QToolBar {{ border: 0; spacing: 8px; padding: 4px 8px; background: {theme.background}; }}
QStatusBar {{ background: {theme.background}; color: {theme.muted}; }}
QStatusBar::item {{ border: 0; }}
QTabWidget::pane {{ border: 0; border-top: 1px solid {theme.border}; }}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{ padding: 8px 14px; color: {theme.muted}; background: transparent;
  border: 0; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; }}
QTabBar::tab:hover {{ color: {theme.text}; }}
QTabBar::tab:focus {{ background: {theme.raised}; }}
QLineEdit, QPlainTextEdit, QTextEdit {{ background: {theme.surface}; color: {theme.text};
  border: 1px solid {theme.border}; border-radius: 4px; padding: 4px 6px;
  selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {{ border: 1px solid {theme.accent}; }}
QPushButton {{ padding: 5px 12px; border: 1px solid {theme.border}; border-radius: 4px;
  background: {theme.raised}; color: {theme.text}; }}
QPushButton:hover {{ border-color: {theme.muted}; }}
QPushButton:focus {{ border-color: {theme.accent}; }}
QPushButton:pressed, QPushButton:checked {{ background: {theme.accent}; color: {theme.on_accent};
  border-color: {theme.accent}; }}
QPushButton:disabled {{ color: {theme.muted}; background: {theme.background}; }}
QPushButton[role="primary"] {{ background: {theme.accent}; color: {theme.on_accent};
  border-color: {theme.accent}; }}
QToolButton {{ padding: 4px 8px; border: 1px solid transparent; border-radius: 4px; }}
QToolButton:hover {{ background: {theme.raised}; border-color: {theme.border}; }}
QToolButton:focus {{ border-color: {theme.accent}; }}
QToolButton:checked {{ background: {theme.accent}; color: {theme.on_accent}; }}
QLabel[role="muted"] {{ color: {theme.muted}; }}
QLabel[role="title"] {{ font-weight: bold; }}
QLabel[role="warning"] {{ color: {theme.warning}; }}
QScrollArea {{ border: 0; }}
QProgressBar {{ border: 1px solid {theme.border}; border-radius: 4px; text-align: center;
  background: {theme.surface}; }}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}
"""
