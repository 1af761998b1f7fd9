"""What `mem hook --help` prints, also used for docs/cli.md and the manual page."""

from __future__ import annotations

from memcli.agents.adapters import HARNESSES

_HELP = """\
Usage: mem hook EVENT [--harness NAME], with the harness's payload on standard input

Queues the event for the worker if the repository has a store. At session-start it prints what the session should know, at
user-prompt what is new or relevant to the prompt and was not printed before; at pre-tool-use, which is not queued, and at
post-tool-use at most a hint about the file, the command or the error, once a session; for other events, nothing. It always exits
with 0.
Events: session-start, user-prompt, pre-tool-use, post-tool-use, stop, pre-compact, session-end.
Harnesses: {}; detected without --harness."""


def text() -> str:
    """Returns the help of `mem hook`."""
    return _HELP.format(", ".join(HARNESSES))
