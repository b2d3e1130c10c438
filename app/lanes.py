"""The lanes of the worker: which goes first, and which give way to which."""

from __future__ import annotations

LANES = ("load", "against", "run", "decode", "prepare", "read", "check", "save")
"""The first one first."""
GIVING_WAY = ("prepare", "read", "check")
"""Dropped for a run or a step that is asked for; made again by whoever asked for it, where it is
still worth anything once that has ended."""
LASTING = ("save",)
"""Asked for once, and for a file: neither cancelled nor given up at the end."""
OF_ONE_MODEL = ("against", "run", "decode", *GIVING_WAY)
"""Their work is worth nothing once another model is there."""
GOING_FIRST = frozenset({"load", "against", "run", "decode"})
"""What the others wait for: whatever comes of it, they are of the run that is looked at then."""
TOWARDS_A_PICTURE = GOING_FIRST | {"prepare"}
"""What the worker does of which a picture comes."""
