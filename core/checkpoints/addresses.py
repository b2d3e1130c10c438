"""What a person may write for a model of the Hub: hub:org/name, org/name@revision, or the address
of its page."""

from __future__ import annotations

import re

_PREFIX = "hub:"
_NAME = re.compile(r"(?!.*\.(?i:safetensors|gguf|bin)$)[A-Za-z0-9][\w.-]*(/[\w.-]+)?(@[\w./-]+)?")
_PAGE = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<name>[\w.-]+(?:/[\w.-]+)?)"
    r"(?:/(?:tree|blob|resolve)/(?P<revision>[\w.-]+)(?:/[^?#]*)?)?/?(?:[?#].*)?",
    re.IGNORECASE,
)


def after_prefix(text: str) -> str | None:
    """What stands behind "hub:", None where that is not written."""
    if text[: len(_PREFIX)].lower() != _PREFIX:
        return None
    said = text[len(_PREFIX) :].strip()
    return of_page(said) or said


def possible(text: str) -> str | None:
    """What the text may name there, as "gpt2" and "org/name@revision" do and the address of a page
    does; None where it cannot. A file here may be called so too."""
    return text if _NAME.fullmatch(text) else of_page(text)


def of_page(address: str) -> str | None:
    """The model whose page it is, or one of its files'."""
    page = _PAGE.fullmatch(address)
    if page is None:
        return None
    name, revision = page["name"], page["revision"]
    return name if revision is None else f"{name}@{revision}"
