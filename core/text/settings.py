"""What the small files beside a vocabulary say: names and ids of special tokens, switches."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.text.files import read_if_there
from core.text.kinds import GENERIC, KINDS, ROLES, UNKNOWN, Kind, Template, bracketed, key

CONFIG = "tokenizer_config.json"
SPECIAL = "special_tokens_map.json"
ADDED = "added_tokens.json"
_DECODER = "added_tokens_decoder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A token beside the vocabulary; lstrip and rstrip: it swallows the spaces around it.
    single_word: not recognised within a longer word."""

    content: str
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    single_word: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """kind_name: the family, "" where nothing names one. tokenizer_class: as written, None where it
    is absent or says nothing. built_as: whose class in the reference builds the tokenizer, "" where
    it takes a tokenizer.json as it stands. said: role -> token as the files name it. added: by id.
    more: further special tokens, in their order. described: those of them that have flags, by what
    they are."""

    kind_name: str = ""
    tokenizer_class: str | None = None
    built_as: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[int, Added] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    described: Mapping[str, Added] = field(default_factory=dict)

    @classmethod
    def from_folder(cls, folder: Path, family: str | None = None) -> Settings:
        """Missing files say nothing, then `family` counts; CheckpointError for a broken one."""
        values = read_if_there(folder / CONFIG)
        special = read_if_there(folder / SPECIAL)
        model = read_if_there(folder / "config.json")
        named = _name(values, "tokenizer_class") or _name(model, "tokenizer_class")
        kinds = (key(name) for name in (named, _name(model, "model_type"), family))
        kind = next((name for name in kinds if name in KINDS), "")
        # As in the reference, an added_tokens_decoder takes the place of the files of before it;
        # where there is none, they count first.
        old, now = _roles(special), _roles(values)
        said = old | now if _DECODER in values else now | old
        more = _more(values) or _more(special)
        known = {*KINDS.get(kind, UNKNOWN).names.values(), *said.values(), *more}
        added = (
            _added(values) if _DECODER in values else _listed(read_if_there(folder / ADDED), known)
        )
        return cls(
            kind_name=kind,
            tokenizer_class=None if key(named) in GENERIC else named,
            built_as=_built_as(named, _name(model, "model_type") or family),
            values=values,
            said=said,
            added=added,
            more=more,
            described=_described(values)
            | ({} if _DECODER in values else _described(special, special=True)),
        )

    @classmethod
    def of_family(cls, family: str | None) -> Settings:
        """Where there is no folder to read."""
        return cls(kind_name=key(family) if key(family) in KINDS else "")

    @property
    def kind(self) -> Kind:
        """What the family expects."""
        return KINDS.get(self.kind_name, UNKNOWN)

    def names(self) -> dict[str, str]:
        """Role -> token, of the roles that have one."""
        return {role: token for role in ROLES if (token := self.name(role)) is not None}

    def switch(self, name: str, default: bool) -> bool:
        """A yes-or-no value of tokenizer_config.json."""
        value = self.values.get(name)
        return default if value is None else bool(value)

    @property
    def splits_special(self) -> bool:
        """Whether special tokens that are typed are read as ordinary text."""
        return self.switch("split_special_tokens", False)

    @property
    def lists_flags(self) -> bool:
        """Whether the added tokens come with flags that count before those of a tokenizer.json."""
        return _DECODER in self.values

    def special(self, content: str, *, lstrip: bool = False) -> Added:
        """A special token, with the flags that the files give it. lstrip: where they give none."""
        return self.described.get(content) or Added(content=content, lstrip=lstrip)

    def name(self, role: str) -> str | None:
        """The token of a role: as the files say, else as the family has it."""
        return self.said.get(role) or self.kind.names.get(role)

    @property
    def appended(self) -> tuple[str, ...]:
        """Special tokens that the files name; one that is no piece gets the next free id. What
        only the family names is not among them."""
        roles = (self.said[role] for role in ROLES if role in self.said)
        return tuple(dict.fromkeys((*roles, *self.more)))

    @property
    def unknown(self) -> str | None:
        """The token for what has no piece, unless it has another role as well: GPT-2's
        <|endoftext|> ends texts."""
        names = self.names()
        token = names.pop("unk", None)
        return None if token in names.values() else token

    def begins_unsaid(self, file: str) -> tuple[str, ...]:
        """A note, where texts begin with a token only because they do in this family: newer
        tokenizers of some families put none there unless they are told to."""
        unsaid = self.values.get("add_bos_token") is None and self.kind.template is None
        if not (unsaid and self.kind.begins):
            return ()
        start = self.name("bos")
        note = f"Nothing says whether {file} begins a text with {start}; it does, as in its family."
        return (note,)

    @property
    def template(self) -> Template:
        """Where special tokens go in this family."""
        return self.kind.template or bracketed(
            bos=self.switch("add_bos_token", self.kind.begins),
            eos=self.switch("add_eos_token", False),
        )


_REGISTERED = {"modernbert": "", "phi3": "", "mistral": "", "mixtral": "", "qwen2": "qwen2"}
"""Model types of which the reference does not believe the class that is stated."""


def _built_as(named: str | None, model_type: str | None) -> str:
    stated = key(model_type) if named is None else key(named)
    return _REGISTERED.get(key(model_type), "" if stated in GENERIC else stated)


def _name(values: Mapping[str, Any], of: str) -> str | None:
    """A name, where one is written there; what is no name says nothing."""
    said = values.get(of)
    return said if isinstance(said, str) else None


def _content(token: object) -> str | None:
    """A token is written as a string or as an object with its content."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) and found else None


def _roles(values: Mapping[str, Any]) -> dict[str, str]:
    found = {role: _content(values.get(f"{role}_token")) for role in ROLES}
    return {role: token for role, token in found.items() if token is not None}


def _more(values: Mapping[str, Any]) -> tuple[str, ...]:
    for name in ("additional_special_tokens", "extra_special_tokens"):
        listed = values.get(name)
        if isinstance(listed, dict):
            listed = list(listed.values())
        if isinstance(listed, list) and listed:
            return tuple(token for item in listed if (token := _content(item)) is not None)
    return ()


def _listed(listed: Mapping[str, Any], special: AbstractSet[str]) -> dict[int, Added]:
    """What added_tokens.json holds: tokens without flags. special: those that have a role."""
    return {
        number: Added(
            content=content, special=content in special, normalized=content not in special
        )
        for content, number in listed.items()
        if isinstance(number, int)
    }


def _added(values: Mapping[str, Any]) -> dict[int, Added]:
    found: dict[int, Added] = {}
    decoder = values.get(_DECODER)
    for number, token in (decoder if isinstance(decoder, dict) else {}).items():
        content = _content(token)
        if content is not None and str(number).isdigit():
            found[int(number)] = _flagged(content, token if isinstance(token, dict) else {})
    return found


def _described(values: Mapping[str, Any], *, special: bool = False) -> dict[str, Added]:
    """The tokens of roles that are written with their flags. special: so where they do not say."""
    tokens = (values.get(f"{role}_token") for role in ROLES)
    return {
        content: replace(_flagged(content, {"special": special} | token), special=True)
        for token in tokens
        if isinstance(token, dict) and (content := _content(token)) is not None
    }


def _flagged(content: str, flags: Mapping[str, Any]) -> Added:
    special = bool(flags.get("special", False))
    return Added(
        content=content,
        special=special,
        lstrip=bool(flags.get("lstrip", False)),
        rstrip=bool(flags.get("rstrip", False)),
        # Where nothing is said, a word is looked for in the text as the model reads it.
        normalized=bool(flags.get("normalized", not special)),
        single_word=bool(flags.get("single_word", False)),
    )
