"""The parts of mem whose packages an extra of its installation brings (pyproject.toml); without them the rest of it works."""

from __future__ import annotations

from importlib.util import find_spec

from memcli.errors import MemError

PACKAGES = {
    "ingest": ("tree_sitter", "watchfiles"),
    "browse": ("textual",),
}


def is_installed(extra: str) -> bool:
    """Tells whether the packages of an extra are installed, without importing any."""
    return None not in map(find_spec, PACKAGES[extra])


def require(extra: str, feature: str) -> None:
    """Raises MemError if an extra is missing. `feature`: what it is needed for."""
    if not is_installed(extra):
        hint = f"run install.sh without --minimal, or install '.[{extra}]' in a checkout"
        raise MemError(f"{feature} needs packages that are not installed", hint, "not_installed")
