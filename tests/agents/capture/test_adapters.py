"""A harness is one adapter: each says everything, and a new one needs nothing but its file and its line in the registry."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from memcli.agents import adapters
from memcli.agents.adapters import CONTEXT_EVENTS, EVENTS, HARNESSES, Adapter, Signs, adapter, detect_harness, normalize_event
from memcli.agents.setup import configure
from memcli.agents.setup.checks import check_harnesses
from tests.agents.capture.conftest import FACT, Agent


class Scratch(Adapter):
    """A harness that nobody has."""

    name = "scratch"
    title = "Scratch"
    max_bytes = 5_000
    events = {"onStart": ("session-start", 1), "onPrompt": ("user-prompt", 1)}
    event_aliases = {"onScratched": "post-tool-use"}
    hook_files = (".scratch/hooks.json", "~/.scratch/hooks.json")
    approvals = {"user": ("scratch the file open",)}

    def payload(self, event: str, payload: dict[str, object]) -> dict[str, object]:
        """Returns a payload whose `words` are the prompt at a prompt, and the reply at the end of a turn."""
        meanings = {"user-prompt": "prompt", "stop": "last_assistant_message"}
        return {meanings.get(event, name) if name == "words" else name: value for name, value in payload.items()}

    def context(self, event: str, text: str) -> str:
        """Returns the text in an element."""
        return f"<scratch>{text}</scratch>"

    def hook_entry(self, words: object, event: str, timeout: int) -> dict[str, object]:
        """Returns a hook."""
        return {"command": words, "timeout": timeout}


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Adapter:
    """A harness in a module of its own, and in the registry."""
    module = ModuleType("memcli.agents.adapters.scratch")
    module.ADAPTER = Scratch()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(
        HARNESSES, "scratch", Signs(variables=("SCRATCH_PAD",), fields=("scratch_id",), transcripts=("/.scratch/",))
    )
    return module.ADAPTER


@pytest.mark.parametrize("name", HARNESSES)
def test_every_adapter_says_everything(name: str) -> None:
    harness = adapter(name)
    assert harness.name == name
    assert harness.title
    assert {event for event, _ in harness.events.values()} | set(harness.event_aliases.values()) <= set(EVENTS)
    assert "user-prompt" in harness.context_events
    for event in CONTEXT_EVENTS:
        assert (FACT in harness.answer(event, FACT, "queued")) == (event in harness.context_events)
    if name != "generic":
        assert harness.answer("stop", FACT, "queued") == ""
        assert harness.edit_tools
        assert harness.shell_tools
        assert harness.hook_files or harness.plugin_files or harness.workspace_parts.__func__ is not Adapter.workspace_parts  # type: ignore[attr-defined]
    if harness.hook_files:
        assert {event for event, _ in harness.events.values()} | {"pre-tool-use"} == set(EVENTS)  # which a few have no hook for
        for event, (_, timeout) in harness.events.items():
            assert harness.hook_entry(["mem"], event, timeout)


def test_a_new_adapter_is_detected(scratch: Adapter) -> None:
    assert detect_harness("", {"scratch_id": 1}, {}) == "scratch"
    assert detect_harness("", {"transcript_path": "/home/you/.scratch/x.jsonl"}, {}) == "scratch"
    assert detect_harness("", {}, {"SCRATCH_PAD": "1"}) == "scratch"
    assert detect_harness("scratch", {}, {}) == "scratch"
    assert normalize_event("on_scratched") == "post-tool-use"
    assert adapters.context_limits("scratch") == (5_000, None)


def test_a_new_adapter_is_in_help_and_setup(scratch: Adapter, agent: Agent) -> None:
    assert "scratch" in agent.terminal.mem("hook", "--help").out
    assert "scratch" in agent.terminal.mem("setup", "nonsense", fails=2).err
    (file,) = configure.plan(configure.SetupRequest("scratch"))
    assert file.path.endswith("/.scratch/hooks.json")
    assert '"onPrompt"' in (file.after or "")
    agent.terminal.mem("setup", "scratch")
    assert [check.text for check in check_harnesses("") if check.harness == "scratch"]


def test_an_adapter_without_files_in_a_project_is_for_persons_only(
    scratch: Adapter, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "hook_files", (None, "~/.scratch/hooks.json"))
    assert "Scratch has no files in a project" in agent.terminal.mem("setup", "scratch", "--project", fails=2).err
    agent.terminal.mem("setup", "scratch")
    checks = [check.text for check in check_harnesses(str(agent.terminal.folder)) if check.harness == "scratch"]
    assert checks == ["hooks in ~/.scratch/hooks.json"]


def test_a_new_adapter_answers_hooks(scratch: Adapter, agent: Agent) -> None:
    agent.terminal.add(FACT, "It is so.")
    out = agent.hook("onStart", {"source": "startup"}, "scratch").out
    assert out.startswith("<scratch><mem-context>")
    assert FACT in out
    assert [job["harness"] for job in agent.jobs()] == ["scratch"]


def test_a_new_adapter_says_what_its_field_names_mean(scratch: Adapter, agent: Agent) -> None:
    agent.terminal.add(FACT, "It is so.")
    agent.hook("onPrompt", {"words": "where do sessions live?"}, "scratch")
    agent.hook("stop", {"words": "In Postgres."}, "scratch")
    assert [job["body"].get("prompt", job["body"].get("reply")) for job in agent.jobs()] == [
        "where do sessions live?",
        "In Postgres.",
    ]
