"""Sees to the system packages that pip cannot bring: `system_packages.py venv|window|tests`.

What is missing is found by trying it, not by asking the package manager, so that any distribution's
own copy counts. Debian's and Fedora's package managers are called for the rest where the account
may call them; elsewhere one sentence names what to install. Runs on the bare standard library, with
any Python that could build `.venv`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something the system has to provide, and the package that does so on Debian and Fedora."""

    name: str
    debian: str
    fedora: str
    present: Callable[[], bool]


def library(name: str, debian: str, fedora: str) -> Need:
    def loads() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return Need(name=name, debian=debian, fedora=fedora, present=loads)


def font(language: str, debian: str, fedora: str) -> Need:
    """A font that fontconfig (what Qt asks) says covers a language, e.g. "en" or "zh"."""

    class FontSet(ctypes.Structure):
        _fields_ = (("count", ctypes.c_int),)

    def listed() -> bool:
        try:
            fontconfig = ctypes.CDLL("libfontconfig.so.1")
        except OSError:
            return False
        fontconfig.FcInitReinitialize()  # a font may have been installed a moment ago
        for function in ("FcNameParse", "FcObjectSetCreate"):
            getattr(fontconfig, function).restype = ctypes.c_void_p
        fontconfig.FcFontList.restype = ctypes.POINTER(FontSet)
        pattern = ctypes.c_void_p(fontconfig.FcNameParse(f":lang={language}".encode()))
        fields = ctypes.c_void_p(fontconfig.FcObjectSetCreate())
        return bool(fontconfig.FcFontList(None, pattern, fields).contents.count)

    return Need(name=f"a font for {language!r}", debian=debian, fedora=fedora, present=listed)


VENV = [
    Need(
        name="Python's ensurepip",
        debian=f"python3.{sys.version_info.minor}-venv",
        fedora="python3",
        present=lambda: importlib.util.find_spec("ensurepip") is not None,
    )
]
OFFSCREEN = [
    library("libEGL.so.1", "libegl1", "libglvnd-egl"),
    library("libGL.so.1", "libgl1", "libglvnd-glx"),
    library("libX11.so.6", "libx11-6", "libX11"),
    library("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    library("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    library("libfreetype.so.6", "libfreetype6", "freetype"),
    library("libgthread-2.0.so.0", "libglib2.0-0", "glib2"),
    library("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    font("en", "fonts-dejavu-core", "dejavu-sans-fonts"),
]
XCB = [
    library("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
    library("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    library("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    library("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    library("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    library("libxcb-randr.so.0", "libxcb-randr0", "libxcb"),
    library("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    library("libxcb-render.so.0", "libxcb-render0", "libxcb"),
    library("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    library("libxcb-shm.so.0", "libxcb-shm0", "libxcb"),
    library("libxcb-sync.so.1", "libxcb-sync1", "libxcb"),
    library("libxcb-util.so.1", "libxcb-util1", "xcb-util"),
    library("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb"),
    library("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
    library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
]
WAYLAND = [
    library("libwayland-client.so.0", "libwayland-client0", "libwayland-client"),
    library("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
    library("libwayland-egl.so.1", "libwayland-egl1", "libwayland-egl"),
]
TESTS = [
    font("zh", "fonts-wqy-microhei", "wqy-microhei-fonts"),
    Need(
        name="Xvfb",
        debian="xvfb",
        fedora="xorg-x11-server-Xvfb",
        present=lambda: shutil.which("Xvfb") is not None,
    ),
]
PURPOSES = {
    "venv": ("A virtual environment needs", VENV),
    "window": (
        "Trifocal's window needs",
        OFFSCREEN + XCB + (WAYLAND if os.environ.get("WAYLAND_DISPLAY") else []),
    ),
    "tests": ("Trifocal's tests need", OFFSCREEN + XCB + TESTS),
}


def package_manager(missing: list[Need]) -> tuple[list[list[str]], str]:
    """The commands that install them here, and the one to tell a person; none on other systems."""
    if shutil.which("apt-get"):
        packages = sorted({need.debian for need in missing})
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "--no-install-recommends"]
        commands = [[*apt, "update"], [*apt, "install", *packages]]
        return commands, f"sudo apt-get install {' '.join(packages)}"
    if shutil.which("dnf"):
        packages = sorted({need.fedora for need in missing})
        return [["dnf", "install", "-y", *packages]], f"sudo dnf install {' '.join(packages)}"
    return [], ""


def privilege() -> list[str] | None:
    """What to put before a command to run it as root without a password, None if nothing does."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if not shutil.which("sudo"):
        return None
    allowed = subprocess.run([*sudo, "true"], check=False, capture_output=True).returncode == 0
    return sudo if allowed else None


def main() -> int:
    purpose, needs = PURPOSES[sys.argv[1]]
    if not sys.platform.startswith("linux"):
        return 0  # Qt's packages for macOS and Windows need nothing from the system
    missing = [need for need in needs if not need.present()]
    if not missing:
        return 0
    commands, told = package_manager(missing)
    prefix = privilege()
    if prefix is not None:
        for command in commands:
            print("+", *prefix, *command, flush=True)
            subprocess.run(prefix + command, check=False, stdin=subprocess.DEVNULL)
        missing = [need for need in needs if not need.present()]
        if not missing:
            return 0
    names = ", ".join(need.name for need in missing)
    print(
        f"{purpose} what this system lacks: {names}{told and f' (install with: {told})'}.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
