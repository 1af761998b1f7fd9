"""The protocol's conformance suite against `mem mcp --http`, with what a revision requires: scripts/test -m conformance.

Much of the suite calls tools, resources and prompts of its own, which a server has only to be tested. What fails for want of them
is named here with the reason; whatever else fails, and whatever of it succeeds one day, fails the test.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.mcp.shown import showing
from tests.mcp.talk import serving

pytestmark = pytest.mark.conformance

WIRE = "wire-schema-valid"  # each message fits the revision's schema: holds in every scenario, whatever else it lacks
TASKS = "tasks-"  # an extension of the protocol that this server does not offer: of these scenarios only the schema counts
STATELESS = "server-stateless:sep-2575-"

PASSED = {
    "2025-11-25": """dns-rebinding-protection ping prompts-list resources-list server-initialize server-session-lifecycle
        server-sse-multiple-streams tools-list""",
    "2026-07-28": """caching dns-rebinding-protection http-header-validation input-required-result-unsupported-methods
        input-required-result-validate-input prompts-list resources-list sep-2164-resource-not-found
        server-sse-multiple-streams tools-list""",
}

# They call a tool of the suite's, read a resource of its or get a prompt of its, such as test_simple_text.
OF_ITS_OWN = """json-schema-2020-12 prompts-get-embedded-resource prompts-get-simple prompts-get-with-args prompts-get-with-image
    resources-read-binary resources-read-text resources-templates-read tools-call-audio tools-call-embedded-resource
    tools-call-error tools-call-image tools-call-mixed-content tools-call-simple-text tools-call-with-progress"""
# A server need not complete arguments, and this one does not say that it would.
NOT_OFFERED = "completion-complete"
FAILED = {
    "2025-11-25": {
        "something of its own": f"""{OF_ITS_OWN} elicitation-sep1034-defaults elicitation-sep1330-enums server-sse-polling
            tools-call-elicitation tools-call-sampling""",
        "not offered": f"{NOT_OFFERED} logging-set-level resources-subscribe resources-unsubscribe tools-call-with-logging",
    },
    "2026-07-28": {
        "something of its own": f"""{OF_ITS_OWN} http-custom-header-server-validation
            input-required-result-basic-elicitation input-required-result-basic-list-roots input-required-result-basic-sampling
            input-required-result-capability-check input-required-result-ignore-extra-params
            input-required-result-missing-input-response input-required-result-multi-round
            input-required-result-multiple-input-requests input-required-result-non-tool-request
            input-required-result-request-state input-required-result-result-type input-required-result-tampered-state
            {STATELESS}server-rejects-undeclared-capability {STATELESS}missing-capability-http-400
            {STATELESS}http-server-no-independent-requests-on-stream {STATELESS}server-no-log-without-loglevel""",
        "not offered": NOT_OFFERED,
    },
}


@pytest.mark.parametrize("revision", list(FAILED))
@pytest.mark.parametrize("words", [(), ("--allow-write",)])
def test_nothing_fails_that_a_server_can_do(terminal: Terminal, programs: Path, revision: str, words: tuple[str, ...]) -> None:
    terminal.add("Sessions live in Postgres")
    results = terminal.data / "results"
    with serving(terminal, *words) as (url, token), showing(url, token) as shown:
        command = [programs / "conformance", "server", "--url", shown, "--requirements", revision, "--output-dir", results]
        path = os.pathsep.join([str(programs), terminal.env["PATH"]])
        done = subprocess.run(command, cwd=terminal.data, env={**terminal.env, "PATH": path}, capture_output=True, timeout=300)

    found = {name: judged(name, json.loads((results / folder / "checks.json").read_text())) for name, folder in folders(results)}
    passed = {name for name, failed in found.items() if not failed and not name.startswith(TASKS)}
    assert passed == set(PASSED[revision].split()), done.stdout[-2000:]
    reasons = FAILED[revision]
    assert sorted([one for failed in found.values() for one in failed]) == sorted(" ".join(reasons.values()).split())


def folders(results: Path) -> list[tuple[str, str]]:
    """The scenarios that were run, each with the name of its folder: server-, the scenario, and the time."""
    return [(path.name.removeprefix("server-")[: -len("-2026-03-01T12-00-00-000Z")], path.name) for path in results.iterdir()]


def judged(name: str, checks: list[dict[str, str]]) -> list[str]:
    """What failed of a scenario: its name where nothing of it held but the schema, else the name with each check's."""
    said = {check["id"] for check in checks if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")}
    if name.startswith(TASKS):
        said &= {WIRE}
    elif not any(check["status"] == "SUCCESS" and check["id"] not in (WIRE, *said) for check in checks):
        return [name] if WIRE not in said else [name, f"{name}:{WIRE}"]
    return [f"{name}:{check}" for check in sorted(said)]
