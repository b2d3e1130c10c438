"""What can go wrong, said in one sentence a person can act on.

Every message states what was found and what is supported. Nothing is half-done when one is raised.
"""

from __future__ import annotations


class CoreError(Exception):
    """Any failure the core reports on purpose; `str(error)` is fit to show to a person."""


class CheckpointError(CoreError):
    """A checkpoint's files are missing, broken, or do not match its configuration."""


class NotNow(CheckpointError):
    """A checkpoint that cannot be had now, and may be later: the Hub is out of reach, its terms are
    not accepted yet, the disk is full."""


class UnsupportedModel(CoreError):
    """A configuration asks for something that is not implemented; it is named."""


class RequestError(CoreError):
    """A run was asked for that this model or this text cannot give."""


class Cancelled(CoreError):
    """The work was stopped because `should_stop()` said so."""
