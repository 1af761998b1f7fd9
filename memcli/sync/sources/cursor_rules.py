"""Cursor's rules: `.cursor/rules/*.mdc` with their front matter, and the older `.cursorrules`."""

from __future__ import annotations

import os

from memcli.sync.sources import agents_md, markdown
from memcli.sync.sources.look import Look, changed, child, files_below, left_out_below, read_each, read_note
from memcli.sync.sources.shape import Entry, Extract, ReadScope, memory, skip, text
from memcli.text import bounded

_LEGACY, _ENDING = ".cursorrules", ".mdc"
TABLE = ""


def places(scope: ReadScope) -> list[str]:
    """Returns the rules at the top of the repository."""
    paths = [os.path.join(scope.root, ".cursor", "rules"), os.path.join(scope.root, _LEGACY)]
    return [path for path in paths if scope.root and os.path.exists(path) and not bounded.leads_out(scope.root, path)]


def recognize(look: Look) -> bool:
    """Tells whether this is a rule, a directory of rules, or the top of a tree that has some."""
    if look.is_folder:
        return bool({".cursor", _LEGACY} & look.names) or any(name.endswith(_ENDING) for name in look.names)
    return look.name == _LEGACY or look.name.endswith(_ENDING)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns a memory a rule, linked to its file."""
    if not os.path.isdir(path):
        return [Extract(_of_file(path, scope))]
    rules = os.path.join(path, ".cursor", "rules")
    top = rules if os.path.isdir(rules) and not bounded.is_linked(path, ".cursor/rules") else path
    files, left_out = read_each(top, files_below(top, (_ENDING,)), lambda file, name: _of_file(file, scope))
    if child(path, _LEGACY):
        legacy, problems = read_each(path, [_LEGACY], lambda file, name: _of_file(file, scope))
        files, left_out = files + legacy, left_out + problems
    entries = [entry for file in files for entry in file]
    return [Extract([*entries, *left_out, *left_out_below(top, (_ENDING, _LEGACY))])]


def _of_file(path: str, scope: ReadScope) -> list[Entry]:
    if not path.endswith(_ENDING):
        entries = list(agents_md.items(path, scope, "cursor-rules"))
        return entries if any("title" in entry for entry in entries) else [_whole(path, scope)]
    return [_whole(path, scope)]


def _whole(path: str, scope: ReadScope) -> Entry:
    """Returns a rule as one memory: what it is for, where it applies, what it says."""
    values, body = markdown.front_matter(read_note(path))
    globs = markdown.texts(values.get("globs"))
    name = agents_md.place(path, scope)
    always = text(values.get("alwaysApply")).lower() == "true"
    head = [f"Applies to {', '.join(globs)}."] if globs else []
    if not body.strip():
        return skip("rules without text", name)
    return memory(
        f"cursor-rules:{name}",
        text(values.get("description")) or markdown.title_of(body) or os.path.splitext(os.path.basename(path))[0],
        "\n".join([*head, body.strip()]),
        thread="cursor-rules",
        tags=["cursor-rules", *(["always"] if always else [])],
        entities=globs,
        created_at=changed(path),
        files=[agents_md.linked_file(path, scope)],
        pinned=always,
    ) | {"place": agents_md.outside(path, scope)}
