"""Rules: actions of an agent that the person wants to be warned about beforehand, or forbids.

They exist only in the store of this machine. Neither export, import nor an agent's tool touches them, so that
nothing from outside can stop an agent's work.
"""

from __future__ import annotations

from memcli import store
from memcli.errors import InvalidInput, NotFound
from memcli.project import Project
from memcli.screening import mask
from memcli.store import hints
from memcli.store.hints import CallRule
from memcli.text import ids, runners, shell
from memcli.text.terminal import oneline

MOST = 200  # rules of a store
_LONGEST = 200  # characters of a pattern or a reason


def add(project: Project, pattern: str, reason: str, blocks: bool) -> CallRule:
    """Stores a rule, replacing one with the same pattern. Raises InvalidInput."""
    text, why = oneline(" ".join(pattern.split())), oneline(reason.strip())
    if not text.strip("*? "):
        raise InvalidInput("a pattern of nothing but wildcards matches every call", "name the command, or the path of the files")
    if max(len(text), len(why)) > _LONGEST:
        raise InvalidInput(f"a pattern and a reason have at most {_LONGEST} characters", "write a shorter one")
    if mask(text).rules or mask(why).rules:
        raise InvalidInput("the rule contains a secret", "write the rule without the secret")
    rules = hints.rules(project.db)
    if len(rules) >= MOST and text not in [rule.pattern for rule in rules]:
        raise InvalidInput(f"there are {MOST} rules already", "take one out: mem rule rm ID")
    rule = CallRule(ids.new("R"), text, shell.pattern(" ".join(runners.normal(text.split()))), why, int(blocks), project.now)
    with store.transaction(project.db):
        hints.add_rule(project.db, rule)
    return rule


def remove(project: Project, reference: str) -> CallRule:
    """Removes a rule, given by its id or its pattern. Raises NotFound."""
    name = ids.canonical(reference)
    for rule in hints.rules(project.db):
        if reference == rule.pattern or name in (rule.id, rule.id.partition("-")[2]):
            with store.transaction(project.db):
                hints.remove_rule(project.db, rule.id)
            return rule
    raise NotFound(f"no rule {oneline(reference)[:80]!r}", "see mem rule list")
