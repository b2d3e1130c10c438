"""Whether there is a display to open a window on; where there is none Qt would abort."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def missing() -> bool:
    """True where Qt would find neither a Wayland nor an X server that answers."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if not sys.platform.startswith("linux") or platform not in {"", "xcb", "wayland"}:
        return False
    return not (_wayland_answers() or _x_answers())


def _wayland_answers() -> bool:
    """Whether the socket that WAYLAND_DISPLAY names (absolute, or in XDG_RUNTIME_DIR) is there."""
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and (Path(os.environ.get("XDG_RUNTIME_DIR", "")) / str(name)).is_socket()


def _x_answers() -> bool:
    """Whether the X server that DISPLAY names accepts a connection; it may be gone or forbid us."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not refused
