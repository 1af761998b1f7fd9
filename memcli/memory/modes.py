"""Modes of mecho: each is a workspace of one project, whatever characters its id has. Its store records the id."""

from __future__ import annotations

import os
import re
import unicodedata

from memcli import registry, store
from memcli.errors import InvalidInput, MemError
from memcli.memory.commit import masked_fields
from memcli.memory.context import DETAIL
from memcli.memory.projection import fold
from memcli.project import MODE, Project
from memcli.records import Record
from memcli.repo.head import storable_name
from memcli.store import context, memories, opening, oplog
from memcli.store.memories import Memory
from memcli.text.terminal import is_storable, oneline

MODES = "modes"  # the project of modes that belong to none
ARCHIVE = "_archival"  # suffix of the store beside a mode's own, so that archival texts never come into a prompt by themselves
SOURCE = "mecho:"  # begins the source id of an entry with an id of the client's own
ARCHIVED = "mecho:archival:"  # the same of an archival text
CORE = DETAIL.removeprefix(SOURCE)  # begins the id of the entry with what of a core does not fit into a value of the profile
DESCRIPTION = "description"  # of several lines, with which the text of an entry begins: a field of it in the log
BLANK = "blank"  # which of its description and its detail is empty, where one is: a field of it in the log
# In the facts of a store: the key of mecho's one core, its description of several lines, "1" of a deleted mode.
_CORE, _CORE_DESCRIPTION, _DELETED = "mecho_core", "mecho_core_description", "mode_deleted"
_PLAIN = re.compile(r"(?=.*[a-z0-9])[a-z0-9_-]{1,53}")
_NOT_PLAIN = re.compile(r"[^a-z0-9_-]")
_NOT_LETTER = re.compile(r"[^a-z0-9]")
_DIGESTED = re.compile(r".*_[0-9a-f]{16}")


def id_of(text: str) -> str:
    """Returns the id of a mode as it is stored: trimmed, with accents as one character. Raises InvalidInput."""
    if not text.strip() or not text.isprintable() or not is_storable(text):
        raise InvalidInput("not an id of a mode", "use printable characters, not only spaces")
    return storable_name(unicodedata.normalize("NFC", text.strip()))


def plain_id(text: str) -> str:
    """Returns the id that mecho's own service makes of one, of lower-case letters, digits, `_` and `-`; "" if nothing is left."""
    return _NOT_PLAIN.sub("", text.strip().lower())


def workspace_of(mode: str) -> str:
    """Returns the name of a mode's workspace: its id if that is a valid name, else the valid characters of it and a digest.

    No id is the name of another one's workspace or archive. Workspace names ignore case, ids do not. Raises InvalidInput.
    """
    mode = id_of(mode)
    if _PLAIN.fullmatch(mode) and not _DIGESTED.fullmatch(mode) and not mode.endswith(ARCHIVE):
        return mode
    return registry.digested(mode)


def similar(folder: str, mode: str) -> str:
    """Returns the mode of a project, whose files are in `folder`, that mecho's own service would confuse with this one, or "".

    Its id differs only in case, or in ASCII spaces and punctuation. One that differs in a letter of any script is another mode.
    """
    plain = plain_id(mode)
    letters = _NOT_LETTER.sub("", plain)
    for workspace in registry.workspaces(folder) if plain else ():
        readable = _NOT_LETTER.sub("", workspace.removesuffix(ARCHIVE)[: -len("_0123456789abcdef")])
        if _DIGESTED.fullmatch(workspace.removesuffix(ARCHIVE)) and letters.startswith(readable):
            other = _noted_mode(os.path.join(folder, "workspaces", workspace, "memory.db"))
            if plain_id(other) == plain and _words(other) == _words(mode):
                return other
    return ""


def _words(mode: str) -> str:
    """Returns the distinguishing part of an id: everything but its case and ASCII punctuation and spaces."""
    folded = unicodedata.normalize("NFC", mode).casefold()
    return "".join([char for char in folded if char.isalnum() or not char.isascii()])


def _noted_mode(path: str) -> str:
    """Returns the mode of a store, or "" if the store cannot be read: opening it will say why."""
    try:
        db = opening.open_reader(path)
    except (MemError, store.Error):
        return ""
    try:
        return store.meta(db, MODE) or ""
    finally:
        db.close()


def mark(project: Project, mode: str) -> None:
    """Notes in the store of a mode, or of its archive, which mode it belongs to. Raises InvalidInput."""
    _note(project, MODE, id_of(mode))
    _note(project, _DELETED, "")


def note_deleted(project: Project) -> None:
    """Notes that the mode of a store was deleted. It exists again once something is stored or restored in it."""
    _note(project, _DELETED, "1")


def of_store(project: Project) -> str:
    """Returns the mode that a store belongs to; "" for none, or for a deleted one.

    Of modes that belong to no project, one without a note has the name of its workspace.
    """
    if store.meta(project.db, _DELETED) and not memories.count(project.db) and not context.profile(project.db):
        return ""
    workspace = project.workspace.removesuffix(ARCHIVE)
    mode = store.meta(project.db, MODE)
    if mode is None or workspace_of(mode) != workspace:  # a copy of another mode's store was put there
        return workspace if project.name == MODES and not project.root else ""
    return mode


def client_id(memory: Memory, source: str = SOURCE) -> str:
    """Returns the id by which a client knows an entry: its own, else ours. `source`: the prefix of the ids of its kind."""
    name = memory.source_id or ""
    return name.removeprefix(source) if name.startswith(source) else memory.id


def is_detail_of_core(memory: Memory) -> bool:
    """Tells whether a memory holds what did not fit into the profile's value for a core."""
    return (memory.source_id or "").startswith(DETAIL)


def described(project: Project, memory: Memory) -> tuple[str, str]:
    """Returns (the description of an entry, its detail)."""
    has_lines = "\n" in memory.summary
    return parts(memory.summary, fold(oplog.of_object(project.db, memory.id)).fields.get(DESCRIPTION) or "" if has_lines else "")


def texts_of(project: Project, memory: Memory) -> tuple[str, str]:
    """Returns (the description of an entry, its detail) as its client gave them; one of them may be empty."""
    fields = fold(oplog.of_object(project.db, memory.id)).fields
    if fields.get(BLANK) == DESCRIPTION:
        return "", memory.summary
    description, detail = parts(memory.summary, fields.get(DESCRIPTION) or "")
    return description, "" if fields.get(BLANK) and detail == memory.summary else detail


def fields_beside(description: str | None, detail: str | None) -> dict[str, str]:
    """Returns the fields that are stored of an entry beside its text, without those that are not given."""
    of_description = {} if description is None else {DESCRIPTION: lead(description)}
    if description is None or detail is None:
        return of_description
    empty = [name for name, words in ((DESCRIPTION, description), ("detail", detail)) if not words.strip()]
    return {**of_description, BLANK: empty[0] if len(empty) == 1 else ""}


def lead(description: str) -> str:
    """Returns what must be stored of a description beside the text that it begins: "" for a single line, which every text has."""
    description = description.strip()
    return description if "\n" in description else ""


def parts(text: str, description: str) -> tuple[str, str]:
    """Returns (the description that a text begins with, what follows it; the whole text if nothing does).

    `description`: the stored one. It counts as long as the text begins with it, else the first line does.
    """
    if not description or not f"{text}\n".startswith(f"{description}\n"):
        description = text.partition("\n")[0]
    return description.strip(), text[len(description) :].strip() or text


def core_of(project: Project) -> str:
    """Returns the key of mecho's only core, or ""."""
    return store.meta(project.db, _CORE) or ""


class CoreTexts(Record):
    """What the profile holds of a core, and what a memory holds of it in addition: nothing, its detail, or all of it."""

    value: str
    rest: str = ""
    is_whole: bool = False


def core_parts(project: Project, key: str, text: str, description: str | None, detail: str | None) -> CoreTexts:
    """Returns the text of a core as it is stored. `description`, `detail`: the two parts of mecho's core."""
    limit = project.config["profile.value"]
    if len(text) <= limit:
        return CoreTexts(text)
    if description and detail and len(description) <= limit:
        return CoreTexts(str(masked_fields(project, {key: description})[key]), detail)
    text = str(masked_fields(project, {key: text})[key])  # before it is cut: the half of a secret is none
    return CoreTexts(beginning(text, limit), text, is_whole=True) if len(text) > limit else CoreTexts(text)


def core_key(name: str, most: int) -> str:
    """Returns the key of a core with a name, of at most `most` characters: mecho's own service takes any name."""
    return oneline(name)[:most].strip()


def beginning(text: str, most: int) -> str:
    """Returns the first words of a text and a mark that more follow, of at most `most` characters."""
    words = text[: most - 2].rpartition(" ")[0].rstrip() or text[: most - 2]
    return f"{words} …"


def details_of_cores(project: Project) -> list[str]:
    """Returns the ids of the memories with what does not fit into values of the profile."""
    sources = [DETAIL + entry.key for entry in context.leading_entries(project.db)]
    return [memory.id for source in sources if (memory := memories.by_source(project.db, source))]


def core_texts(project: Project, key: str, value: str) -> tuple[str, str, str]:
    """Returns (the text, the description, the detail) of what the profile holds under a key."""
    memory = memories.by_source(project.db, DETAIL + key)
    if memory and not memory.forgotten:
        if fold(oplog.of_object(project.db, memory.id)).fields.get(BLANK) != DESCRIPTION:
            return value, value, memory.summary
        value = memory.summary
    description = store.meta(project.db, _CORE_DESCRIPTION) or "" if key == core_of(project) else ""
    return value, *parts(value, description)


def note_core(project: Project, key: str, description: str = "") -> None:
    """Notes the key of mecho's only core and its description."""
    _note(project, _CORE, key)
    _note(project, _CORE_DESCRIPTION, str(masked_fields(project, {DESCRIPTION: lead(description)})[DESCRIPTION]))


def _note(project: Project, name: str, value: str) -> None:
    if (store.meta(project.db, name) or "") != value:
        store.set_meta(project.db, name, value)
