"""Repositories that strangers could have made: each kind tries to run something, to be told something, or to write elsewhere.

`python -m tests.hostile.corpus FOLDER [KIND…]` makes them, to look at or to try other programs on: `FOLDER/KIND/clone` is what
somebody unpacked. Beside it `bin/evil` notes in `ran` that it was run; `outside` holds what nobody may read or change.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

OUTSIDE = "canary-outside-5b1f"  # stands in every file outside that must not be read
MEMORY = "canary-memory-9d27"  # stands in the memory of another repository
FILES = {
    "app.py": "def login(user):\n    return user.token\n",
    "notes.md": "# Notes\n\nThe queue retries three times.\n",
    "docs/deploy.md": "# Deploy\n\nMake a release, then deploy it.\n",
}
CLEAN = {
    **{f"GIT_{role}_{what}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
EVIL = "#!/bin/sh\necho \"$0 $*\" >>'{}'\n"


class Clone:
    """A repository in the making, and what lies around it."""

    def __init__(self, base: Path, outside: Path) -> None:
        self.root, self.base, self.outside = base / "clone", base, outside
        self.git_dir = self.root / ".git"
        self.evil = base / "bin" / "evil"
        self.ran = base / "ran"
        self.victim = outside / "victim"

    def write(self, path: str, content: str | bytes = "") -> Path:
        """Writes a file of the clone, whatever stands there."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or target.exists():
            target.unlink()
        target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return target

    def link(self, path: str, target: Path | str) -> None:
        """Makes a path of the clone a symbolic link."""
        self.write(path).unlink()
        (self.root / path).symlink_to(target)

    def pipe(self, path: str) -> None:
        """Makes a path of the clone a pipe that nobody writes to."""
        os.mkfifo(self.write(path + ".aside").with_name(Path(path).name))
        (self.root / (path + ".aside")).unlink()

    def config(self, text: str) -> None:
        """Appends to the clone's own configuration; {evil}, {bin} and {outside} are paths."""
        with (self.git_dir / "config").open("a") as file:
            file.write(text.format(evil=self.evil, bin=self.evil.parent, outside=self.outside) + "\n")

    def git(self, *words: str) -> str:
        """Runs git with nothing but the clone's own configuration."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.base), **CLEAN}
        return subprocess.run(["git", *words], cwd=self.root, env=env, capture_output=True, check=True).stdout.decode().strip()

    def commit(self, message: str = "more") -> str:
        """Commits whatever is there; returns the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


KINDS: dict[str, Callable[[Clone], None]] = {}
BITES: dict[str, str] = {}  # kind -> a command of git that would run its program


def kind(function: Callable[[Clone], None]) -> Callable[[Clone], None]:
    """Registers a kind of repository under the function's name."""
    KINDS[function.__name__.replace("_", "-")] = function
    return function


def make(name: str, base: Path, outside: Path, first: Path | None = None) -> Clone:
    """Makes a repository of a kind below `base`. `first`: one with FILES committed, to be copied."""
    from tests.hostile import broken, histories, layouts, paths, programs, settings  # noqa: F401 (each registers its kinds)

    clone = Clone(base, outside)
    clone.evil.parent.mkdir(parents=True)
    clone.evil.write_text(EVIL.format(clone.ran))
    clone.evil.chmod(0o755)
    if first:
        subprocess.run(["cp", "-R", str(first), str(clone.root)], check=True)
    else:
        plain(clone)
    KINDS[name](clone)
    return clone


def plain(clone: Clone) -> None:
    """Makes a repository as anybody has it."""
    clone.root.mkdir(parents=True, exist_ok=True)
    clone.git("init", "-q", "-b", "main", ".")
    for path, text in FILES.items():
        clone.write(path, text)
    clone.commit("first")


def names() -> list[str]:
    """Returns every kind."""
    from tests.hostile import broken, histories, layouts, paths, programs, settings  # noqa: F401

    return sorted(KINDS)


def surroundings(outside: Path) -> None:
    """Makes what lies outside: a file with a secret, a directory of such, another repository."""
    outside.mkdir(parents=True)
    (outside / "secret.txt").write_text(f"{OUTSIDE}: the password of production\n")
    (outside / "folder").mkdir()
    for name in ("settings.json", "config.toml", "AGENTS.md", "MEMORY.md", "page.md"):
        (outside / "folder" / name).write_text(f"# {OUTSIDE}\n\nThe password of production, in {name}.\n")
    (outside / "gitconfig").write_text(f"# {OUTSIDE}\n")
    victim = Clone(outside, outside)
    victim.root = outside / "victim"
    victim.write("vault.md", "# Vault\n\nNobody else has a commit of this.\n")
    plain(victim)
    victim.git("remote", "add", "origin", "git@example.invalid:acme/private.git")


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    surroundings(place / "outside")
    for chosen in sys.argv[2:] or names():
        print(make(chosen, place / chosen, place / "outside").root)
