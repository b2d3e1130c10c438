"""Says in one sentence that there is no display, where Qt would abort, and exits with status 1."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def wayland_answers() -> bool:
    """Whether the socket that WAYLAND_DISPLAY names (absolute, or in XDG_RUNTIME_DIR) is there."""
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and (Path(os.environ.get("XDG_RUNTIME_DIR", "")) / str(name)).is_socket()


def x_answers() -> bool:
    """Whether the X server that DISPLAY names accepts a connection; it may be gone or forbid us."""
    if not os.environ.get("DISPLAY"):
        return False
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not refused


def main() -> int:
    platform = os.environ.get("QT_QPA_PLATFORM", "xcb").partition(":")[0]
    if not sys.platform.startswith("linux") or platform not in {"xcb", "wayland"}:
        return 0
    if wayland_answers() or x_answers():
        return 0
    print(
        "Trifocal found no display to open its window on;"
        " `.venv/bin/trifocal render --help` tells how to draw any view to a file without one.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
