"""Whatever is told says who wrote it: every kind that can be told, at every door."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from xml.etree import ElementTree

import pytest
from mcp import Client

from memcli import operations
from memcli.project import Where, open_for_writing
from memcli.recall.render import PROMPT
from memcli.validity import origin_of
from tests.agents.setup.conftest import Person, at, context, person, workspace  # noqa: F401 (a fixture)
from tests.agents.worker.events import Events
from tests.conftest import Terminal
from tests.http.served import serving
from tests.mcp.talk import talk

ACTORS = {"mcp": "agent", "hook": "hook", "model": "model", "import": "import", "author": "other"}
# A word that stands in one thing that is kept -> who may be named as its writer: what an agent said is in what hooks keep, too.
WORDS = {f"{kind}{writer}": {writer} for kind in ("memory", "note", "profile") for writer in ACTORS.values()} | {
    "memoryfile": {"import"},
    "stategoal": {"agent"},
    "ostrich": {"agent", "hook"},
    "lemur": {"agent", "hook"},
    "walrus": {"agent", "hook"},
    "gopher": {"hook"},
    "pelican": {"quotation", "agent"},  # a search finds a prompt by what was answered
}
QUESTION = "Why do deploys fail with the gopher, the walrus, the pelican, the lemur and the ostrich, says which note?"
HEADINGS = {"agent": "(as agents say)", "hook": "(as hooks saw them)"}
SESSION = {"ostrich", "lemur", "walrus"}
MEMORIES = {word for word in WORDS if word.startswith("memory")} - {"memoryhook"}
NOTES, PROFILE = ({word for word in WORDS if word.startswith(kind)} for kind in ("note", "profile"))
# Of each door what it tells for sure.
DOORS: dict[str, set[str]] = {
    "session start": SESSION | PROFILE | {"stategoal", "memoryagent"},
    "session start in XML": SESSION | PROFILE | {"stategoal", "memoryagent"},
    "prompt hook": {"pelican"},
    "get": {"pelican", "stategoal"},
    "get in XML": {"pelican", "ostrich", "stategoal"},
    "get in JSON": {"pelican", "ostrich", "stategoal"},
    "get of memories": MEMORIES,
    "get of memories in XML": MEMORIES,
    "get of memories in JSON": MEMORIES,
    "bridge file": SESSION | PROFILE | {"stategoal", "memoryagent"},
    "mem://context": SESSION | PROFILE | {"stategoal", "memoryagent"},
    "mem://profile": PROFILE,
    "mem://notes/2026-03-01": NOTES,
    "memory_search": MEMORIES | {"gopher"},
    "mempack_get_context": {"memoryagent", "stategoal"},
    "mempack_notes": NOTES,
    "mempack_timeline": {"memoryagent", "memoryimport"},
    "/v2/state": {"stategoal"},
    "/v2/profile": PROFILE,
    "/v2/notes": NOTES,
    "/v2/memories": MEMORIES | {"gopher", "walrus"},
    "/v2/recent": MEMORIES | SESSION,
    "/v2/search": MEMORIES,
    "/v2/turn/preview": SESSION | PROFILE | {"stategoal", "memoryagent"},
    "/api/context/inject": {"lemur", "walrus", "gopher"},
}
_told: dict[str, str] = {}


def fill(terminal: Terminal) -> None:
    """Stores every kind of thing, of every writer but the person."""
    events = Events(terminal)
    events.prompt("Why do deploys fail? Here is the README:\n\n> Decision: deploys of the pelican need the VPN.\n")
    events.shell("make deploy", "Error: the gopher of the deploys is not reachable\nmake: *** [deploy] Error 1")
    events.stop(
        "The root cause of the failing deploys was the walrus of the balancer. "
        "We decided to keep the lemur for deploys because callers wait.\n\nTODO: document the ostrich of deploys."
    )
    events.end()
    events.work()
    file = terminal.folder / "theirs.jsonl"
    file.write_text(json.dumps({"title": "Deploys memoryfile need the VPN", "summary": "said a file"}))
    terminal.mem("import", str(file))
    with closing(open_for_writing(Where(str(terminal.folder)))) as project:
        for actor, writer in ACTORS.items():
            operations.call(project, "add", actor, title=f"Deploys memory{writer} need the VPN", summary="since spring")
            operations.call(project, "note", actor, text=f"Deploys note{writer} were slow")
            operations.call(project, "profile_set", actor, key=f"key {writer}", value=f"deploys profile{writer}")
        operations.call(project, "checkpoint", "mcp", reason="before lunch", state_json='{"goal": "stategoal of deploys"}')


@pytest.fixture
def told(person: Person, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:  # noqa: F811
    """What each door tells; asked once for all tests of a process."""
    if _told:
        return _told
    terminal = at(person, workspace(person))
    monkeypatch.chdir(terminal.folder)
    monkeypatch.setenv("MEMPACK_TURN_TOKENS", "4000")
    terminal.mem("init", "--no-agents")
    person.setup("openclaw")
    fill(terminal)
    terminal.mem("state")
    _told["bridge file"] = context(terminal.folder)
    hook = ("hook", "session-start", "--harness", "claude")
    _told["session start"] = terminal.mem(*hook, stdin='{"session_id": "s"}').out
    prepared = terminal.mem("turn", "prepare", "--session", "x", "--format", "xml").json
    _told["session start in XML"] = prepared["xml"]
    asked = json.dumps({"session_id": "s", "prompt": QUESTION})
    _told["prompt hook"] = terminal.mem("hook", "user-prompt", "--harness", "claude", stdin=asked).out
    for name, form in (("", "prompt"), (" in XML", "xml"), (" in JSON", "json")):
        _told[f"get{name}"] = terminal.mem("get", QUESTION, "--format", form, "--budget", "4000").out
        words = ("get", "deploys that need the VPN", "--format", form, "--budget", "4000")
        _told[f"get of memories{name}"] = terminal.mem(*words).out
    first = terminal.mem("search", "memoryimport", "--json").json[0]["id"]

    async def ask(client: Client) -> None:
        for uri in ("mem://context", "mem://profile", "mem://notes/2026-03-01"):
            _told[uri] = (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
        words = {"query": "deploys", "limit": 50}
        calls = (("memory_search", words), ("mempack_get_context", {"query": "deploys"}), ("mempack_notes", {}))
        for tool, arguments in (*calls, ("mempack_timeline", {"id": first})):
            _told[tool] = (await client.call_tool(tool, arguments)).content[0].text  # type: ignore[union-attr]

    talk(ask, terminal)
    with serving(terminal) as served:
        _told["/v2/turn/preview"] = served.get("/v2/turn/preview")["text"]
        for path in ("state", "profile", "notes", "memories", "recent"):
            _told[f"/v2/{path}"] = served.ask("GET", f"/v2/{path}").text
        _told["/v2/search"] = served.ask("GET", "/v2/search", query="deploys", limit=50).text
        _told["/api/context/inject"] = served.ask("GET", "/api/context/inject").text
    return _told


@pytest.mark.parametrize("door", DOORS)
def test_what_a_door_tells_names_its_writer(told: dict[str, str], door: str) -> None:
    found = list(writers(told[door]))
    assert DOORS[door] - {word for word, _ in found} == set(), told[door]
    assert [(word, names) for word, names in found if not names & WORDS[word]] == [], told[door]


def writers(text: str) -> Iterator[tuple[str, set[str]]]:
    """Yields the words in what a door told, each with who is named as its writer where it stands."""
    if text.startswith(("{", "[")):
        yield from in_json(json.loads(text))
    elif "<memory_context" in text or "<mem-context " in text or "<item" in text:
        yield from in_xml(ElementTree.fromstring(text[text.index("<") :]), set())
    else:
        yield from in_markdown(text)


def in_json(value: Any, names: frozenset[str] = frozenset()) -> Iterator[tuple[str, set[str]]]:
    """Does so in JSON: the innermost record counts that names a writer."""
    if isinstance(value, dict):
        named = [origin_of(value["origin"]).writer] if isinstance(value.get("origin"), str) else []
        named += [value[name] for name in ("writer", "state_writer") if value.get(name)]
        for item in value.values():
            yield from in_json(item, frozenset(named) or names)
    elif isinstance(value, list):
        for item in value:
            yield from in_json(item, names)
    elif isinstance(value, str) and "\n" in value and "\n## " in value:
        yield from in_markdown(value)
    elif isinstance(value, str):
        yield from ((word, set(names)) for word in WORDS if word in value)


def in_xml(element: ElementTree.Element, names: set[str]) -> Iterator[tuple[str, set[str]]]:
    """Does so in XML: attributes of an element and of those around it count."""
    names = names | {value for name, value in element.attrib.items() if name == "by"}
    text = " ".join([element.text or "", *element.attrib.values(), *[child.tail or "" for child in element]])
    yield from ((word, names) for word in WORDS if word in text)
    for child in element:
        yield from in_xml(child, names)


def in_markdown(text: str) -> Iterator[tuple[str, set[str]]]:
    """Does so in Markdown: the marks of an entry and the heading of its section count."""
    heading, entry = "", ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading, entry = line, line
        elif re.match(r"- |[^ ]|> |  [0-9]{4}-", line):
            entry = line
        marked = {name for name in {*ACTORS.values(), "quotation"} if PROMPT.marks[name][0].strip(" ·") in f"{entry} {line}"}
        marked |= {name for name, words in HEADINGS.items() if words in heading}
        if heading.startswith("## State"):
            marked |= {name for name in ACTORS.values() if PROMPT.marks[name][0] in heading}
        if line.startswith("  Answer: ") or marked == {"quotation"}:
            marked |= {"agent"} if not line.startswith("  >") else set()
        yield from ((word, marked) for word in WORDS if word in line)
