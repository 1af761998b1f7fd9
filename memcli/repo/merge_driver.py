"""The merge driver of git for files of memories: the settings of the clone and the line of its attributes that name it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from memcli.repo import gitrun
from memcli.repo.head import Checkout
from memcli.text import bounded

_NAME = "mem"
_TITLE = "memories of mem, field by field"
_GIT_ITSELF = "git merge-file -L ours -L base -L theirs"
LINE = f"/.mempack/memories/*.md merge={_NAME}"


def attributes(checkout: Checkout) -> str:
    """Returns the path of the attributes that belong to this clone only."""
    return os.path.join(checkout.common_dir, "info", "attributes")


def leads_out(checkout: Checkout) -> bool:
    """Tells whether a link has what is written here outside of the git directory, or the file has another name elsewhere."""
    paths = (attributes(checkout), settings_path(checkout))
    return any(bounded.leads_out(checkout.common_dir, path) or bounded.has_other_names(path) for path in paths)


def settings_path(checkout: Checkout) -> str:
    """Returns the path of the settings of this clone."""
    return os.path.join(checkout.common_dir, "config")


def configure(checkout: Checkout, program: Sequence[str]) -> bool:
    """Notes the driver in the settings of the clone, and tells whether it changed. `program`: the command line of mem."""
    if _current(checkout) == _command(program):
        return False
    for key, value in (("name", _TITLE), ("driver", _command(program))):
        gitrun.run(["config", "--local", f"merge.{_NAME}.{key}", value], checkout.root)
    return True


def is_outdated(checkout: Checkout) -> bool:
    """Tells whether the clone has a driver of ours that drops the other side of a merge where mem is gone."""
    return " merge-memory " in (command := _current(checkout)) and _GIT_ITSELF not in command


def _current(checkout: Checkout) -> str:
    """Returns the driver that is noted in the settings of the clone, or ""."""
    answer = gitrun.run(["config", "--local", "--get", f"merge.{_NAME}.driver"], checkout.root)
    return os.fsdecode(answer.out).removesuffix("\n")


def settings(program: Sequence[str]) -> str:
    """Returns the section of a configuration of git that names the driver."""
    command = _command(program).replace("\\", "\\\\").replace('"', '\\"')
    return f'[merge "{_NAME}"]\n\tname = {_TITLE}\n\tdriver = "{command}"\n'


def _command(program: Sequence[str]) -> str:
    """Returns the command line that git runs to merge a file: %O, %A and %B are its versions, the second takes the result.

    Git leaves that one as it is where the program fails, without a mark of the other side; so its own merge stands in for mem.
    """
    return f"{shlex.join(program)} merge-memory %O %A %B || {{ ! grep -q '^<<<<<<< ' %A && {_GIT_ITSELF} %A %O %B; }}"


def unset(checkout: Checkout) -> bool:
    """Takes the driver out of the settings of the clone. Tells whether there was one."""
    return gitrun.run(["config", "--local", "--remove-section", f"merge.{_NAME}"], checkout.root).code == 0
