"""The `mem` command. A command line that the strict parser understands goes straight to its verb, all else through Typer."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line of this process and ends it with the exit code."""
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
    os._exit(code)  # everything is closed: tearing the interpreter down would only cost time


def run(words: list[str]) -> int:
    """Runs one command line. Returns the exit code."""
    from memcli.cli import fast, table

    command = table.COMMANDS.get(words[0]) if words else None
    values = fast.parse(words[1:], command) if command else None
    if command is None or values is None:
        from memcli.cli.app import run_typer

        return run_typer(words)
    from memcli.cli.invoke import invoke

    module = __import__(f"memcli.cli.verbs.{command[0]}", fromlist=["*"])
    return invoke(getattr(module, command[1]), getattr(module, command[2]), values)


if __name__ == "__main__":
    main()
