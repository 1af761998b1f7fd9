"""What is worth storing of a tool call, by rules: no model, no network, the same answer every time.

An edit says which file and what became of it; a test or build says how it ended; a commit says what was done; what only looks
says which files were read. The adapters of the harnesses know the names of tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.agents.adapters import adapters, plain_tool
from memcli.agents.capture import payloads, shell_commands
from memcli.agents.capture.findings import (
    EDIT_TITLE,
    FACT,
    TITLE,
    Finding,
    change_kind,
    clipped,
    first_line,
    purpose,
    quoted,
    title_with_output,
    title_with_result,
)
from memcli.agents.capture.own_calls import is_own_tool
from memcli.agents.capture.payloads import CapturedEvent
from memcli.text import quotations
from memcli.text.terminal import oneline

_HARNESSES = adapters()
EDITS = frozenset(name for harness in _HARNESSES for name in harness.edit_tools.split())
READS = frozenset(name for harness in _HARNESSES for name in harness.read_tools.split())
SHELLS = frozenset(name for harness in _HARNESSES for name in harness.shell_tools.split())
WEB = frozenset(name for harness in _HARNESSES for name in harness.web_tools.split())
_BROWSERS = ("browser", "playwright", "puppeteer", "chrome", "devtools", "selenium", "fetch", "firecrawl", "tavily", "websearch")
_BROWSING = ("browser", "puppeteer", "navigate")  # how the names of a browser's tools begin
_SERVED = ("mcp_", "mcp.")  # how a harness's name of a tool of an MCP server begins
_RESOURCES = ("readmcpresource", "readmcpresourcetool", "listmcpresources", "listmcpresourcestool")
MOST_FACTS = 12
ANSWER = "answer"  # the group of what an answer tells of a turn that only looked
_TELLS = 4  # words of a sentence that says something
_QUOTED = 60  # characters of a text that is quoted
_SYMBOLS = 4

_DEFINES = ("def", "class", "function", "fn", "func", "struct", "interface", "trait", "enum", "module", "type", "impl")
_DECIDES = "decided to|decided on|decided against|decision:|we chose|i chose|chose to|opted for|opted to".split("|")
_SETTLED = "going with"
_LEAD = re.compile(r"^[\W_]*(?:\d+[.)][\W_]+)?(?:decision\W*:[\W_]*)?", re.I)  # what stands before a decision


def of_tool(event: CapturedEvent, goal: str, root: str) -> Finding:
    """Returns the finding of a tool call. `goal`: the prompt that it serves; `root`: of the working tree."""
    name = plain_tool(event.tool)
    command = command_of(event)
    patch = shell_commands.parse_patch(command or _patch_input(event))
    if patch or name in EDITS:
        return _edit(event, patch, goal, root)
    if command:
        return shell_commands.of_command(event, command, goal, root)
    if name in READS:
        return Finding("", "", "", "", read=_relative_paths(payloads.paths(event), event.cwd, root))
    return _other_tool(event, name, goal, root)


def new_text(event: CapturedEvent) -> str:
    """Returns the text that an edit added, in all of its files."""
    patch = shell_commands.parse_patch(shell_commands.command_of(event.input) or _patch_input(event))
    return "\n".join([change.new for change in patch] or [new for _, new in replacements(event)])


def command_of(event: CapturedEvent) -> str:
    """Returns the command that a call runs, or ""."""
    name = plain_tool(event.tool)
    return shell_commands.command_of(event.input) if name in SHELLS or (not name and "command" in event.input) else ""


def edit_of(event: CapturedEvent, root: str) -> tuple[str, str]:
    """Returns (the file that a call changed, a short description of the change), or empty texts."""
    patch = shell_commands.parse_patch(command_of(event) or _patch_input(event))
    if event.failed or event.interrupted or not (patch or plain_tool(event.tool) in EDITS):
        return "", ""
    files = _relative_paths([change.path for change in patch] or payloads.paths(event), event.cwd, root)
    pairs = [(change.old, change.new) for change in patch] or replacements(event)
    described = next((fact for old, new in pairs if (fact := _describe_edit(old, new))), "")
    return (files[0], described) if files else ("", "")


def _patch_input(event: CapturedEvent) -> str:
    patch = next((value for name in ("input", "patch", "patchText") if isinstance(value := event.input.get(name), str)), "")
    return patch or shell_commands.command_of(event.input)


def _relative_paths(paths: Sequence[str], cwd: str, root: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([inside for path in paths if (inside := payloads.relative(path, cwd, root))]))


def _edit(event: CapturedEvent, patch: list[shell_commands.PatchedFile], goal: str, root: str) -> Finding:
    """Returns the finding of an edit of a file, or of the first of several."""
    paths = [change.path for change in patch] or payloads.paths(event)
    files = _relative_paths(paths, event.cwd, root)
    where = files[0] if files else oneline(paths[0]) if paths else "a file"
    pairs = [(change.old, change.new) for change in patch] or replacements(event)
    if event.interrupted:
        fact = f"an edit of {where} was interrupted"
        return Finding("run", "discovery", clipped(fact, TITLE), purpose(goal), (fact,))
    if event.failed:
        fact = f"an edit of {where} failed{quoted(first_line(event.result))}"
        return Finding("run", "discovery", clipped(f"Failed to edit {where}", TITLE), purpose(goal), (fact,), ("gotcha",))
    facts = tuple([fact for old, new in pairs[:MOST_FACTS] if (fact := _describe_edit(old, new))])
    if not (paths or facts):
        return Finding("", "", "", "")  # nobody said which file, nor what became of it
    names = symbols("\n".join([f"{new}\n{old}" for old, new in pairs]))
    kind = change_kind(goal)
    title = (
        f"{EDIT_TITLE}{where}"
        + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        + (f" ({', '.join(names)})" if names else "")
    )
    tags = ("what-changed", "problem-solution") if kind == "bugfix" else ("what-changed",)
    return Finding(f"file:{where}", kind, title_with_result(title, facts[0] if facts else ""), purpose(goal), facts, tags, files)


def replacements(event: CapturedEvent) -> list[tuple[str, str]]:
    """Returns (before, after) of each replacement that an edit made."""
    edits = event.input.get("edits")
    edits = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else [event.input]
    pairs = []
    for edit in edits:
        old = _first_text(edit, "old_string", "oldString", "old_str", "old_text")
        new = _first_text(
            edit, "new_string", "newString", "new_str", "new_text", "content", "file_text", "new_source", "contents"
        )
        if old or new:
            pairs.append((old, new))
    return pairs


def _first_text(edit: dict[str, object], *names: str) -> str:
    return next((value for name in names if isinstance(value := edit.get(name), str) and value), "")


def _describe_edit(old: str, new: str) -> str:
    """Returns a short description of a replacement; for longer texts, the numbers of added and removed lines."""
    before, after = oneline(old), oneline(new)
    if before == after:
        return ""
    if len(before) <= _QUOTED and len(after) <= _QUOTED:
        return f"`{before}` became `{after}`" if before and after else f"added `{after}`" if after else f"removed `{before}`"
    old_lines, new_lines = [line.strip() for line in old.splitlines()], [line.strip() for line in new.splitlines()]
    added, removed = (
        [line for line in new_lines if line and line not in old_lines],
        [line for line in old_lines if line and line not in new_lines],
    )
    counts = [f"{word} {len(lines)} lines" for word, lines in (("added", added), ("removed", removed)) if lines]
    excerpt = clipped(oneline((added or removed or [after])[0]), _QUOTED)
    return f"{', '.join(counts) or 'moved lines'}: `{excerpt}`"


def symbols(text: str) -> list[str]:
    """Returns a few of the names that lines of a text define, in order."""
    names: dict[str, None] = {}
    for line in text.splitlines()[:2_000]:
        words = line.strip().replace("(", " ").replace(":", " ").replace("{", " ").replace("<", " ").split()[:6]
        for index, word in enumerate(words[:-1]):
            name = words[index + 1]
            if word in _DEFINES and name.isidentifier() and name not in _DEFINES:
                names[name] = None
                break
        if len(names) == _SYMBOLS:
            break
    return list(names)


def _other_tool(event: CapturedEvent, name: str, goal: str, root: str) -> Finding:
    """Returns the finding for a tool without rules of its own: its arguments and the first line of its answer."""
    arguments = [f"{key} {oneline(value)}" for key, value in event.input.items() if isinstance(value, str) and value.strip()]
    subject = clipped(", ".join(arguments), _QUOTED * 2)
    outcome = "was interrupted" if event.interrupted else "failed" if event.failed else "said"
    answer = first_line(event.result)
    fact = f"{event.tool or 'a tool'} {subject}".rstrip() + (f" {outcome}{quoted(answer)}" if answer else "")
    verb = "Looked up" if name in WEB else f"Used {event.tool or 'a tool'}:"
    files = _relative_paths(payloads.paths(event), event.cwd, root)
    title = title_with_output(f"{verb} {clipped(subject, _QUOTED)}".rstrip(": "), answer)
    tags = ("gotcha" if event.failed else "how-it-works", *_exposure(event.tool, name))
    return Finding("look", "discovery", title, purpose(goal), (clipped(fact, FACT),), tags, read=files)


def _exposure(tool: str, name: str) -> tuple[str, ...]:
    """Returns the tag for a tool that brings in text by strangers: web pages, or the answers of other people's servers."""
    if is_own_tool(tool):
        return ()
    server = _plain_letters(tool.rpartition("__")[0])
    if name in WEB or any(word in server for word in _BROWSERS) or name.startswith(_BROWSING):
        return ("foreign-page",)
    return ("unknown-program",) if tool.startswith(_SERVED) or name in _RESOURCES else ()


def _plain_letters(text: str) -> str:
    return "".join([char for char in text.lower() if char.isalnum()])


def decisions(reply: str) -> list[Finding]:
    """Returns at most two decisions that an answer of the agent states explicitly."""
    findings: list[Finding] = []
    for sentence in sentences(reply):
        lower = sentence.lower()
        if any(phrase in lower for phrase in _DECIDES) or (_SETTLED in lower and "because" in lower):
            whole = oneline(quotations.plain(sentence))
            title = clipped(_LEAD.sub("", whole), TITLE)
            findings.append(Finding(f"decision:{len(findings)}", "decision", title, whole, (), ("trade-off",)))
    return findings[:2]


def discovery(reply: str, goal: str) -> Finding | None:
    """Returns what the answer says about a turn that only read; None if it says nothing."""
    lines = [oneline(quotations.plain(sentence)).lstrip("-*# ") for sentence in sentences(reply)]
    title = next((sentence for sentence in lines if len(sentence.split()) >= _TELLS), "")
    facts = tuple([clipped(sentence, FACT) for sentence in lines if sentence != title][:MOST_FACTS])
    return Finding(ANSWER, "discovery", clipped(title, TITLE), purpose(goal), facts, ("how-it-works",)) if title else None


def sentences(reply: str) -> list[str]:
    """Returns the sentences of an answer, each on one line and marked, without blocks of code, tables and quotations."""
    parts: list[str] = []
    for line in quotations.own(quotations.marked(reply[:20_000], is_answer=True)).splitlines():
        if not line.lstrip().startswith("|"):
            parts += quotations.joined(line).replace("! ", "!\n").replace("? ", "?\n").replace(". ", ".\n").split("\n")
    return [text for part in parts if len(text := part.strip()) > 3 and not quotations.is_quoted(text)]
