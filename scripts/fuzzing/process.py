"""The program in this process, with files for its streams, so that nothing that it says is lost."""

from __future__ import annotations

import os
import subprocess
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memcli import hook
from memcli.__main__ import run as run_words
from memcli.agents.capture import worker
from memcli.cli import invoke
from memcli.errors import MemError

PERSON = {f"GIT_{role}_{field}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


@contextmanager
def environment(folder: Path) -> Iterator[None]:
    """A home, a data directory and a repository of their own; everywhere a bug is worded or put aside, it is raised."""
    before, place = dict(os.environ), os.getcwd()
    kept = hook._report, invoke.explained, worker._fail
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_", "MEM_", "MEMPACK_", "CLAUDE", "CODEX"))]:
        del os.environ[name]
    for part in ("home", "data", "config", "work"):
        (folder / part).mkdir(exist_ok=True)
    os.environ |= {
        **PERSON,
        "HOME": str(folder / "home"),
        "MEMPACK_DATA_DIR": str(folder / "data"),
        "MEMPACK_CONFIG_DIR": str(folder / "config"),
        "MEMPACK_CAPTURE_WORKER": "off",
        "MEMPACK_WORKER_IDLE_SECONDS": "0",
        "MEMPACK_SYNC_ASK_REMOTES": "false",
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
    }
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *words], cwd=folder / "work", check=True)
    os.chdir(folder / "work")
    hook._report, invoke.explained, worker._fail = _raise_bug(kept[0]), _raise_bug(kept[1]), _raise_failure
    try:
        yield
    finally:
        hook._report, invoke.explained, worker._fail = kept
        os.chdir(place)
        os.environ.clear()
        os.environ |= before


class Bug(Exception):
    """What the program would have worded as an internal error."""


def _raise_bug(word: Any) -> Any:
    def report(problem: BaseException) -> Any:
        from memcli import store

        is_explained = isinstance(problem, MemError | OSError) or store.explain_known(problem)  # type: ignore[arg-type]
        if is_explained or not isinstance(problem, Exception):
            if not isinstance(problem, Exception):
                raise problem
            return word(problem)
        raise Bug("".join(traceback.format_exception(problem))) from problem

    return report


def _raise_failure(project: Any, job: Any, error: str, final: bool) -> None:
    raise Bug(f"the worker failed at {job.event}: {error}")


class Program:
    """`mem` in a working directory."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        self._stdin, self._out, self._err = (folder / name for name in ("stdin", "stdout", "stderr"))

    def run(self, *words: str, stdin: bytes = b"", fails: bool = False) -> int:
        """Runs mem. Returns how much it printed. Raises Bug for a traceback, and for a failure that is not allowed."""
        self._stdin.write_bytes(stdin)
        keep = [os.dup(number) for number in range(3)]
        try:
            for number, path, flags in ((0, self._stdin, os.O_RDONLY), (1, self._out, os.O_RDWR), (2, self._err, os.O_RDWR)):
                file = os.open(path, flags | (os.O_CREAT | os.O_TRUNC if number else 0))
                os.dup2(file, number)
                os.close(file)
            code = run_words(list(words))
        finally:
            for number, file in enumerate(keep):
                os.dup2(file, number)
                os.close(file)
        out, err = self._out.read_bytes(), self._err.read_bytes()
        if b"Traceback" in err or b"internal error" in err or (code and not fails) or (code and not err):
            raise Bug(f"mem {' '.join(words)[:200]} ended with {code}: {err.decode('utf-8', 'replace')[-2_000:]}")
        return len(out) + len(err)
