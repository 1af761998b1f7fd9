"""What `mem hook --help` prints, also used for docs/cli.md and the manual page."""

from __future__ import annotations

import textwrap

from memcli.agents.adapters import HARNESSES

_HELP = """\
Usage: mem hook EVENT [--harness NAME]    (the harness's payload on stdin)

Queues the event for the worker if the repository has a store, and prints:

  session-start  what the session should know
  user-prompt    what is new or relevant to the prompt and was not printed yet
  pre-tool-use   at most a hint about the file or the command; not queued
  post-tool-use  at most a hint about the error
  others         nothing: stop, pre-compact, session-end

Each hint is printed once a session. The exit code is always 0.

Harnesses: {}; detected without --harness."""


def text() -> str:
    """Returns the help of `mem hook`."""
    names = ", ".join(HARNESSES)
    return "\n".join(textwrap.fill(line, 78, break_on_hyphens=False) for line in _HELP.format(names).split("\n"))
