"""tokenizer.json: a whole tokenizer in one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tokenizers

from core.text.engine import Opened
from core.text.files import built
from core.text.library import LibraryEngine
from core.text.settings import CONFIG, Settings
from core.text.switches import follow_switches

NAME = "tokenizer.json"


def open_whole(path: Path, settings: Settings) -> Opened:
    """CheckpointError when the file is no tokenizer."""
    made = built(path, lambda: tokenizers.Tokenizer.from_file(str(path)))
    notes = follow_switches(made, settings, path.name)
    engine = LibraryEngine(made, unknown=settings.unknown, split=settings.splits_special)
    notes += add_missing(engine, settings, path.name)
    notes += complete(engine, settings, path.name)
    return Opened(engine=engine, settings=settings, notes=notes)


def add_missing(engine: LibraryEngine, settings: Settings, name: str) -> tuple[str, ...]:
    """Recognises the tokens that only the files beside it list, in the order of their ids, as the
    reference does: one that is no piece gets the next free id. The flags that tokenizer_config.json
    lists count before the tokenizer's own. Notes name those that should have another id."""
    notes = []
    named, own = set(settings.names().values()), engine.added
    for number, token in sorted(settings.added.items()):
        flagged = replace(token, special=token.special or token.content in named)
        if token.content in own and (not settings.lists_flags or own[token.content] == flagged):
            continue
        lacking = engine.id_of(token.content) is None
        engine.recognise(flagged)
        found = engine.id_of(token.content)
        if lacking and found != number:
            notes.append(
                f"{name} lacks {token.content!r}, which the files beside it give the id {number}; "
                f"it is read as {found}, as in transformers."
            )
    return tuple(notes)


def complete(engine: LibraryEngine, settings: Settings, name: str) -> tuple[str, ...]:
    """Adds what only the files beside it say; where both speak, the tokenizer wins. Notes."""
    appended = settings.appended
    for token in (*settings.names().values(), *appended):
        named = token in appended or engine.id_of(token) is not None
        if named and not engine.recognises(token):
            engine.recognise(settings.special(token))
    template = settings.template
    said = any(switch in settings.values for switch in ("add_bos_token", "add_eos_token"))
    if engine.adds_special:
        if said and not template.roles:
            return (f"{CONFIG} says that no special tokens are added; {name} adds some, and wins.",)
        return ()
    names = settings.names()
    expected = said or settings.kind.template is not None
    known = all(engine.id_of(names.get(role, "")) is not None for role in template.roles)
    if not (template.roles and expected and known):
        return ()
    engine.use_template(template, names)
    if said:
        return ()
    added = ", ".join(sorted({names[role] for role in template.roles}))
    return (f"{name} adds no special tokens; {added} are added as this family has it.",)
