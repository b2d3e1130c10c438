"""Broken checkpoints are refused in one sentence that names file and cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import CheckpointError, CoreError
from tests.core.checkpoints.conftest import Saved, load

Copy = Callable[[str], Saved]


def refusal(folder: Path, kind: type[CoreError] = CheckpointError) -> str:
    """The message; one line, no library's traceback behind it."""
    with pytest.raises(kind) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)
