"""What an operation on a prompt says about its statements: which ones later words or work overtook, how, and which hold again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcli.memory.passages import CLAUSE, of_prompt
from memcli.memory.projection import fold
from memcli.records import Record
from memcli.store import oplog, sessions
from memcli.store.passages import OVERTAKEN
from memcli.text import clauses, json
from memcli.text.passages import digest
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.store import Connection
    from memcli.store.oplog import LoggedOperation
    from memcli.store.passages import Passage


class Overtaking(Record):
    """A statement that was overtaken. `how`: done, replaced, reverted, fixed or removed; "": it holds again, or it is not known.

    `by`: the id of what overtook it, "" if it holds again; `name`: of the code that was removed.
    """

    text: str
    by: str
    how: str
    name: str = ""


def noted(db: Connection, operation: LoggedOperation) -> list[Overtaking]:
    """Returns the changes that an operation made to which statements of its prompt still hold."""
    body = json.loads(operation.body)
    if operation.kind != "prompt" or OVERTAKEN not in body:
        return []
    logged = oplog.of_object(db, operation.object)
    before = fold([op for op in logged if op.revision < operation.revision]).fields.get(OVERTAKEN) or {}
    after = body[OVERTAKEN] or {}
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    texts = _texts(db, operation.object, fold(logged).fields) if keys else {}
    return [_overtaking(texts[key], after.get(key, "")) for key in keys if key in texts]


def _texts(db: Connection, prompt_id: str, fields: dict[str, Any]) -> dict[str, str]:
    """Returns the original statements of a prompt, and their clauses, by the keys of the notes about them."""
    prompt = sessions.find_prompt(db, prompt_id)
    whole = of_prompt(prompt, {**fields, OVERTAKEN: {}}) if prompt else []
    parts = {f"{CLAUSE}{clauses.mark(it)}": oneline(it) for each in whole if each.role for it in clauses.split(each.statement)}
    return {**parts, **{digest(it.text): _statement(it) for it in whole}}


def _statement(passage: Passage) -> str:
    return oneline(passage.statement or passage.text)


def _overtaking(text: str, note: str) -> Overtaking:
    by, how, *more = [*note.split(" "), ""]
    return Overtaking(text, by, how, more[0] if how == "removed" else "")
