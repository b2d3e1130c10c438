"""The theme as a stylesheet: what Fusion and a palette leave to say. 8-pixel grid."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from app.theme import Theme


def apply(theme: Theme) -> None:
    """Dress the whole application."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        app.setPalette(palette(theme))
        for kind in ("QAbstractSpinBox", "QComboBox", "QCheckBox", "QLineEdit", "QMenu"):
            app.setPalette(_framed(theme, kind), kind)  # type: ignore[arg-type]  # the stub errs
        app.setStyleSheet(stylesheet(theme))


def _framed(theme: Theme, kind: str) -> QPalette:
    """Fusion makes frames, boxes and separators darker than the window, and buttons lighter: in the
    dark theme the ones would not be seen, the others shine."""
    made = palette(theme)
    if theme.name == "dark":
        made.setColor(QPalette.ColorRole.Window, QColor(theme.border).lighter(130))
        made.setColor(QPalette.ColorRole.Button, QColor(theme.raised).darker(130))
        if kind != "QMenu":
            made.setColor(QPalette.ColorRole.Base, QColor(theme.raised))
    return made


def palette(theme: Theme) -> QPalette:
    """For Fusion, which follows its palette on every platform."""
    made = QPalette()
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    for which, colour in (
        (role.Window, theme.background),
        (role.WindowText, theme.text),
        (role.Base, theme.surface),
        (role.AlternateBase, theme.raised),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.Link, theme.accent),
        (role.BrightText, theme.warning),
        (role.Mid, theme.border),
        (role.Dark, theme.border),
        (role.Light, theme.raised),
        (role.Shadow, theme.border),
    ):
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(group.Disabled, which, QColor(theme.muted))
    return made


def resting(theme: Theme) -> str:
    """Half as strong as secondary text, which the names of tabs are written in as it is."""
    one, other = QColor(theme.muted), QColor(theme.background)
    return QColor(
        (one.red() + other.red()) // 2,
        (one.green() + other.green()) // 2,
        (one.blue() + other.blue()) // 2,
    ).name()


def stylesheet(theme: Theme) -> str:
    return f"""
QMainWindow, QDialog {{ background: {theme.background}; }}
QMainWindow::separator {{ background: {theme.background}; width: 4px; height: 4px; }}
QMainWindow::separator:hover {{ background: {theme.accent}; }}
QToolBar {{ background: {theme.surface}; border: none;
    border-bottom: 1px solid {theme.border}; }}
QMenuBar {{ background: {theme.surface}; }}
QDockWidget {{ color: {theme.muted}; font-weight: 600; border: 1px solid {theme.muted}; }}
QDockWidget::title {{ background: {theme.background}; padding: 4px 8px; }}
QPlainTextEdit {{ background: {theme.surface}; color: {theme.text};
    border: 1px solid {theme.border}; border-radius: 4px; }}
QPlainTextEdit:focus {{ border: 1px solid {theme.accent}; }}
QPushButton, QToolButton {{ background: {theme.raised}; color: {theme.text};
    border: 1px solid {theme.border}; border-radius: 4px; padding: 2px 8px; min-height: 18px; }}
QToolButton {{ padding: 2px 4px; }}
QToolButton::menu-indicator {{ subcontrol-origin: padding;
    subcontrol-position: center right; right: 6px; }}
QToolButton[popupMode="2"] {{ padding: 2px 20px 2px 8px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {theme.accent}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {theme.accent}; }}
QPushButton:checked, QToolButton:checked {{ background: {theme.accent};
    color: {theme.on_accent}; border-color: {theme.accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {theme.muted};
    background: {theme.background}; }}
QToolButton[autoRaise="true"] {{ background: transparent; border-color: transparent; }}
QTabBar::tab {{ background: transparent; color: {theme.muted}; }}
QTabBar::tab:hover {{ color: {theme.text}; }}
QTabBar::tab:selected:enabled {{ color: {theme.text}; }}
QTabBar#groups::tab {{ padding: 4px 2px; border: 1px solid transparent;
    border-bottom: 2px solid transparent; }}
QTabBar#groups::tab:selected:enabled {{ border-bottom-color: {theme.accent}; }}
QTabBar#views::tab {{ padding: 1px 2px; margin: 3px 2px 3px 0; border-radius: 9px;
    border: 1px solid transparent; }}
QTabBar#views::tab:hover {{ border-color: {theme.border}; }}
QTabBar#views::tab:selected {{ background: {theme.border}; }}
QTabBar#groups::tab:selected:focus, QTabBar#views::tab:selected:focus {{
    border-color: {theme.accent}; }}
QTabBar::tab:disabled {{ color: {resting(theme)}; }}
QMenu::separator {{ background: {theme.border}; height: 1px; margin: 3px 8px; }}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: 10px; }}
QScrollBar:horizontal {{ height: 10px; }}
QScrollBar::handle {{ background: {theme.border}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {theme.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QStatusBar {{ background: {theme.surface}; color: {theme.muted};
    border-top: 1px solid {theme.border}; }}
QStatusBar QLabel {{ color: {theme.muted}; padding: 0 6px; }}
QStatusBar::item {{ border: none; }}
QProgressBar {{ border: 1px solid {theme.border}; border-radius: 3px; max-height: 10px;
    background: {theme.background}; }}
QProgressBar::chunk {{ background: {theme.accent}; }}
QToolTip {{ background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.border}; }}
"""
