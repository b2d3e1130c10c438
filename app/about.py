"""What Help, About says."""

from __future__ import annotations

PARTS = (("Trifocal", "trifocal"), ("PyTorch", "torch"), ("Qt for Python", "PySide6-Essentials"))


def about_html() -> str:
    """The program in a sentence, and the versions that a bug report should name."""
    import platform  # these two load slowly, and nobody waits for them before

    names = [f"{name} {version}" for name, part in PARTS if (version := _version(part))]
    names.append(f"Python {platform.python_version()}")
    return (
        "<h3>Trifocal</h3>"
        "<p>See a real Transformer think: attention, hidden states and predictions, live, for "
        "encoder-only, decoder-only and encoder–decoder models.</p>"
        f"<p>{' · '.join(names)}</p>"
        "<p>MIT licence.</p>"
    )


def _version(part: str) -> str:
    """Empty where it was not installed as a package, as when run from its folder."""
    from importlib import metadata

    try:
        return metadata.version(part)
    except metadata.PackageNotFoundError:
        return ""
