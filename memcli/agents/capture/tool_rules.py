"""What a tool call is worth remembering, by rules: no model, no network, the same answer every time.

An edit says which file and what became of it; a test or build says how it ended; a commit says what was done; what only looks
says which files were read. The adapters of the harnesses know the names of tools.
"""

from __future__ import annotations

from memcli.agents.adapters import adapters
from memcli.agents.capture import payloads, shell_commands
from memcli.agents.capture.findings import FACT, TITLE, Finding, asked_for, clipped, first_line, served, titled
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.capture.payloads import Event

_HARNESSES = adapters()
EDITS = frozenset(name for harness in _HARNESSES for name in harness.edit_tools.split())
READS = frozenset(name for harness in _HARNESSES for name in harness.read_tools.split())
SHELLS = frozenset(name for harness in _HARNESSES for name in harness.shell_tools.split())
WEB = frozenset(name for harness in _HARNESSES for name in harness.web_tools.split())
MOST_FACTS = 12
_QUOTED = 60  # characters of a text that is quoted
_SYMBOLS = 4

_DEFINES = ("def", "class", "function", "fn", "func", "struct", "interface", "trait", "enum", "module", "type", "impl")
_DECIDES = (
    "decided to",
    "decided on",
    "decided against",
    "decision:",
    "we chose",
    "i chose",
    "chose to",
    "opted for",
    "opted to",
)
_SETTLED = "going with"


def of_tool(event: Event, goal: str, root: str) -> Finding:
    """Returns what a tool call is worth. `goal`: the prompt it served; `root`: top of the working tree."""
    name = event.tool.rpartition("__")[2].rpartition(".")[2].replace("_", "").replace("-", "").lower()
    command = shell_commands.of_input(event.input) if name in SHELLS or (not name and "command" in event.input) else ""
    patch = shell_commands.patch_in(command or _patch_input(event))
    if patch or name in EDITS:
        return _edit(event, patch, goal, root)
    if command:
        return shell_commands.of_command(event, command, goal, root)
    if name in READS:
        return Finding("", "", "", "", read=_inside(payloads.paths(event), event.cwd, root))
    return _used(event, name, goal, root)


def _patch_input(event: Event) -> str:
    named = next((value for name in ("input", "patch", "patchText") if isinstance(value := event.input.get(name), str)), "")
    return named or shell_commands.of_input(event.input)


def _inside(given: Sequence[str], cwd: str, root: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([path for one in given if (path := payloads.relative(one, cwd, root))]))


def _edit(event: Event, patch: list[shell_commands.Patched], goal: str, root: str) -> Finding:
    """Returns what an edit did to its file, or to the first of several."""
    given = [one.path for one in patch] or payloads.paths(event)
    files = _inside(given, event.cwd, root)
    where = files[0] if files else oneline(given[0])[-_QUOTED:] if given else "a file"
    pairs = [(one.old, one.new) for one in patch] or _pairs(event)
    if event.interrupted:
        fact = f"an edit of {where} was interrupted"
        return Finding("run", "discovery", clipped(fact, TITLE), served(goal), (fact,))
    if event.failed:
        fact = f"an edit of {where} failed: {first_line(event.result)}"
        return Finding("run", "discovery", clipped(f"Failed to edit {where}", TITLE), served(goal), (fact,), ("gotcha",))
    facts = tuple([fact for old, new in pairs[:MOST_FACTS] if (fact := _became(old, new))])
    if not (given or facts):
        return Finding("", "", "", "")  # nobody said which file, nor what became of it
    names = symbols("\n".join([f"{new}\n{old}" for old, new in pairs]))
    kind = asked_for(goal)
    title = (
        f"Edited {where}"
        + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        + (f" ({', '.join(names)})" if names else "")
    )
    tags = ("what-changed", "problem-solution") if kind == "bugfix" else ("what-changed",)
    return Finding(f"file:{where}", kind, titled(title, facts[0] if facts else ""), served(goal), facts, tags, files)


def _pairs(event: Event) -> list[tuple[str, str]]:
    """Returns (before, after) of each replacement that an edit made."""
    edits = event.input.get("edits")
    parts = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else [event.input]
    found = []
    for part in parts:
        old = _string(part, "old_string", "oldString", "old_str", "old_text")
        new = _string(part, "new_string", "newString", "new_str", "new_text", "content", "file_text", "new_source", "contents")
        if old or new:
            found.append((old, new))
    return found


def _string(part: dict[str, object], *names: str) -> str:
    return next((value for name in names if isinstance(value := part.get(name), str) and value), "")


def _became(old: str, new: str) -> str:
    """Returns in a few words what one text became; of longer ones how many lines came and went."""
    before, after = oneline(old), oneline(new)
    if before == after:
        return ""
    if len(before) <= _QUOTED and len(after) <= _QUOTED:
        return f"`{before}` became `{after}`" if before and after else f"added `{after}`" if after else f"removed `{before}`"
    was, now = [line.strip() for line in old.splitlines()], [line.strip() for line in new.splitlines()]
    added, removed = [line for line in now if line and line not in was], [line for line in was if line and line not in now]
    counts = [f"{word} {len(lines)} lines" for word, lines in (("added", added), ("removed", removed)) if lines]
    shown = clipped(oneline((added or removed or [after])[0]), _QUOTED)
    return f"{', '.join(counts) or 'moved lines'}: `{shown}`"


def symbols(text: str) -> list[str]:
    """Returns the names that lines of a text define, in order, a few."""
    found: dict[str, None] = {}
    for line in text.splitlines()[:2_000]:
        words = line.strip().replace("(", " ").replace(":", " ").replace("{", " ").replace("<", " ").split()[:6]
        for place, word in enumerate(words[:-1]):
            name = words[place + 1]
            if word in _DEFINES and name.isidentifier() and name not in _DEFINES:
                found[name] = None
                break
        if len(found) == _SYMBOLS:
            break
    return list(found)


def _used(event: Event, name: str, goal: str, root: str) -> Finding:
    """Returns what is known of a tool without rules of its own: with what it was called, and the first line that it said."""
    told = [f"{key} {oneline(value)}" for key, value in event.input.items() if isinstance(value, str) and value.strip()]
    about = clipped(", ".join(told), _QUOTED * 2)
    ended = "was interrupted" if event.interrupted else "failed" if event.failed else "said"
    answer = first_line(event.result)
    fact = f"{event.tool or 'a tool'} {about}".rstrip() + (f" {ended}: {answer}" if answer else "")
    looked = "Looked up" if name in WEB else f"Used {event.tool or 'a tool'}:"
    files = _inside(payloads.paths(event), event.cwd, root)
    title = titled(f"{looked} {clipped(about, _QUOTED)}".rstrip(": "), answer)
    tags = ("gotcha",) if event.failed else ("how-it-works",)
    return Finding("look", "discovery", title, served(goal), (clipped(fact, FACT),), tags, read=files)


def decisions(reply: str) -> list[Finding]:
    """Returns the decisions that an answer of the agent states in so many words, two at most."""
    found: list[Finding] = []
    for sentence in sentences(reply):
        low = sentence.lower()
        if any(phrase in low for phrase in _DECIDES) or (_SETTLED in low and "because" in low):
            title = clipped(sentence.lstrip("-*# "), TITLE)
            found.append(Finding(f"decision:{len(found)}", "decision", title, sentence, (), ("trade-off",)))
    return found[:2]


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text, each on one line, without code blocks and tables."""
    found: list[str] = []
    fenced = False
    for line in text[:20_000].splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("|"):
            found += oneline(line).replace("! ", "!\n").replace("? ", "?\n").replace(". ", ".\n").split("\n")
    return [one for one in (sentence.strip() for sentence in found) if len(one) > 3]
