"""profile, note: what is kept word for word, under a key or under a day."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading, writing
from memcli.cli.output import paint
from memcli.errors import InvalidInput
from memcli.memory import notes
from memcli.memory import profile as entries
from memcli.records import Record
from memcli.shapes import state as shapes
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.store.context import ProfileEntry

ACTOR = "cli"


class Profile(Record):
    """What `mem profile` was asked."""

    action: str = "list"
    key: str | None = None
    value: str | None = None


class Note(Record):
    """What `mem note` was asked. `text`: the note, or the day to show."""

    action: str = "list"
    text: str | None = None
    days: int = 3


def profile(asked: Profile, common: Common) -> None:
    """Keeps, prints, lists or takes out values under keys."""
    needed = {"list": 0, "get": 1, "delete": 1, "set": 2}.get(asked.action)
    given = len([word for word in (asked.key, asked.value) if word is not None])
    if needed is None:
        raise InvalidInput(f"no action {asked.action!r}", "use set KEY VALUE, get KEY, list, or delete KEY")
    if given != needed:
        wrong = "too many words" if given > needed else "a word is missing"
        raise InvalidInput(wrong, "use mem profile set KEY VALUE, get KEY, list, or delete KEY")
    key, value = asked.key or "", asked.value or ""
    if asked.action == "list":
        return _print(*reading(common, lambda project: (entries.listed(project), project.is_user)), common.json)
    if asked.action == "get":
        found = reading(common, lambda project: entries.get(project, key))
        return output.data(shapes.entry_read(found)) if common.json else output.show(found[0].value)
    if asked.action == "set":
        return _set(key, value, common)
    was_there = writing(common, lambda project: entries.delete(project, key, ACTOR))
    if common.json:
        return output.data({"key": key, "status": "deleted" if was_there else "absent"})
    output.show(f"{oneline(key)} is out of the profile" if was_there else f"nothing is kept under {oneline(key)[:80]}")


def _set(key: str, value: str, common: Common) -> None:
    if value == "-":
        from memcli.cli.verbs.streams import read_text

        value = read_text("-").removesuffix("\n")
    if not key.strip() or not value.strip():  # before a store is made
        raise InvalidInput("a key and a value are needed", 'say mem profile set editor "vim, two spaces"')
    kept = writing(common, lambda project: entries.put(project, key, value, ACTOR), create=True)
    output.data(shapes.entry(kept)) if common.json else output.show(f"{oneline(kept.key)}: {oneline(kept.value)}")


def _print(found: list[tuple[ProfileEntry, bool]], all_own: bool, as_json: bool) -> None:
    if as_json:
        return output.data([shapes.entry_read(one) for one in found])
    for one, is_own in found:
        yours = paint("  (yours)", "dim") if is_own and not all_own else ""
        output.show(f"{paint(oneline(one.key), 'bold')}: {oneline(one.value)}{yours}")
    if not found:
        output.show("the profile is empty; keep something with: mem profile set KEY VALUE")


def note(asked: Note, common: Common) -> None:
    """Keeps a note of today, or prints those of some days."""
    if asked.action not in ("add", "list", "show"):
        raise InvalidInput(f"no action {asked.action!r}", "use add TEXT, list --days 3, or show DAY")
    if (asked.text is None) != (asked.action == "list"):
        wrong = "too many words" if asked.action == "list" else "a word is missing"
        raise InvalidInput(wrong, "use mem note add TEXT, list --days 3, or show DAY")
    text = asked.text or ""
    if asked.action == "add":
        return _add(text, common)
    days = reading(
        common, lambda project: notes.of_day(project, text) if asked.action == "show" else notes.recent(project, asked.days)
    )
    if common.json:
        return output.data([shapes.note(one) for one in days])
    for place, one in enumerate(days):
        if place == 0 or days[place - 1].day != one.day:
            output.show(paint(one.day, "heading"))
        output.show(f"{dates.iso(one.created_at)[11:16]}  {oneline(one.text)}  {paint(one.id, 'dim')}")
    if not days:
        output.show("no notes; keep one with: mem note add TEXT")


def _add(text: str, common: Common) -> None:
    if text == "-":
        from memcli.cli.verbs.streams import read_text

        text = read_text("-").removesuffix("\n")
    if not text.strip():  # before a store is made
        raise InvalidInput("the note is empty", 'give it some words: mem note add "Deployed to staging"')
    kept = writing(common, lambda project: notes.add(project, text, ACTOR), create=True)
    output.data(shapes.note(kept)) if common.json else output.show(f"{kept.id}  {kept.day}  {oneline(kept.text)}")
