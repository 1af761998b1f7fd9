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
LINE = f"/.mempack/memories/*.md merge={_NAME}"


def attributes(checkout: Checkout) -> str:
    """Returns the path of the attributes that belong to this clone only."""
    return os.path.join(checkout.common_dir, "info", "attributes")


def leads_out(checkout: Checkout) -> bool:
    """Tells whether a link has what is written here outside of the git directory, or the file has another name elsewhere."""
    paths = (attributes(checkout), os.path.join(checkout.common_dir, "config"))
    return any(bounded.leads_out(checkout.common_dir, path) or bounded.has_other_names(path) for path in paths)


def configure(checkout: Checkout, program: Sequence[str]) -> None:
    """Notes the driver in the settings of the clone. `program`: the command line of mem."""
    for key, value in (("name", _TITLE), ("driver", _command(program))):
        gitrun.run(["config", "--local", f"merge.{_NAME}.{key}", value], checkout.root)


def settings(program: Sequence[str]) -> str:
    """Returns the section of a configuration of git that names the driver."""
    command = _command(program).replace("\\", "\\\\").replace('"', '\\"')
    return f'[merge "{_NAME}"]\n\tname = {_TITLE}\n\tdriver = "{command}"\n'


def _command(program: Sequence[str]) -> str:
    """Returns the command line that git runs to merge a file: %O, %A and %B are its versions."""
    return f"{shlex.join(program)} merge-memory %O %A %B"


def unset(checkout: Checkout) -> None:
    """Takes the driver out of the settings of the clone."""
    gitrun.run(["config", "--local", "--remove-section", f"merge.{_NAME}"], checkout.root)
