"""rule: actions of an agent that the person wants to be warned about beforehand, or forbids."""

from __future__ import annotations

from typing import Any

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common, reading, writing
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.memory import rules
from memcli.store import hints
from memcli.store.hints import CallRule
from memcli.text import dates


class RuleOptions(Request):
    """An action on the rules, and the pattern or the id that it takes."""

    action: str = fields.text("The action.", default="list", choices=("list", "add", "rm"))
    pattern: str | None = fields.text(
        "A command or a path, with * for anything, such as 'git push'; for rm an id, too.", default=None, metavar="PATTERN"
    )
    reason: str = fields.text("Why, which the agent is told.", default="")
    block: bool = fields.flag("Forbid it; otherwise the agent is only reminded, once a session.", default=False)


def rule(request: RuleOptions, common: Common) -> None:
    """Lists the rules, or adds or removes one. Only a person may change them: an agent's command is refused."""
    if (request.pattern is None) != (request.action == "list"):
        problem = "too many arguments" if request.action == "list" else "the pattern is missing"
        raise InvalidInput(problem, "use mem rule list, mem rule add PATTERN [--block], or mem rule rm ID")
    if request.action != "add" and (request.block or request.reason):
        raise InvalidInput("--block and --reason belong to mem rule add", "see mem rule --help")
    pattern = request.pattern or ""
    if request.action == "list":
        listed = reading(common, lambda project: hints.rules(project.db))
        if common.json:
            return output.data([_as_json(entry) for entry in listed])
        return output.show("\n".join([_line(entry) for entry in listed]) or "no rules; add one with: mem rule add PATTERN")
    _refuse_agents()
    if request.action == "add":
        changed = writing(common, lambda project: rules.add(project, pattern, request.reason, request.block), create=True)
    else:
        changed = writing(common, lambda project: rules.remove(project, pattern))
    if common.json:
        return output.data(_as_json(changed))
    output.show(_line(changed) if request.action == "add" else f"{changed.id} is out of the rules: {changed.pattern}")


def _refuse_agents() -> None:
    from memcli.agents.adapters import runs_for_agent

    if runs_for_agent():
        raise InvalidInput("only you change rules, and this runs in an agent's session", "use a terminal of your own")


def _line(entry: CallRule) -> str:
    effect = "blocks" if entry.blocks else "reminds"
    return output.row(f"{entry.id}  {effect:<7}", entry.pattern + (f": {entry.reason}" if entry.reason else ""))


def _as_json(entry: CallRule) -> dict[str, Any]:
    fields = {"id": entry.id, "pattern": entry.pattern, "reason": entry.reason, "blocks": bool(entry.blocks)}
    return {**fields, "created_at": dates.iso(entry.created_at)}
