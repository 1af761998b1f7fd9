"""Git hooks, on request: installed, removed, and never in place of somebody else's."""

from __future__ import annotations

import os

from memcli.agents.adapters import HARNESSES
from memcli.agents.setup import files, program
from memcli.agents.setup.configure import FileResult
from memcli.errors import InvalidInput
from memcli.repo import hooks, merge_driver
from memcli.repo.head import Checkout
from memcli.text.terminal import oneline


def scripts() -> dict[str, str]:
    """Returns our hooks: name -> script."""
    return hooks.scripts([signs.session_variable for signs in HARNESSES.values() if signs.session_variable])


def paths(checkout: Checkout) -> dict[str, str]:
    """Returns where our hooks belong: name -> path."""
    return {name: os.path.join(hooks.folder(checkout), name) for name in scripts()}


def manual_texts(checkout: Checkout) -> dict[str, str]:
    """Returns what to install by hand: path -> text of the hooks, and what the attributes and the configuration need."""
    texts = {path: scripts()[name] for name, path in paths(checkout).items()}
    texts[merge_driver.attributes(checkout)] = f"{merge_driver.LINE}\n"
    return {**texts, merge_driver.settings_path(checkout): merge_driver.settings(program.program())}


def install(checkout: Checkout) -> list[FileResult]:
    """Writes both hooks. Raises InvalidInput, before anything is written, if there is another hook, or MemError."""
    _check_driver(checkout)
    existing = _existing(checkout)
    if hooks.leads_out(checkout):
        hint = (
            "nothing was written; set core.hooksPath for yourself (git config --global), or add what mem setup git --print shows"
        )
        raise InvalidInput(f"{oneline(hooks.folder(checkout))} leads out of this repository", hint, "foreign_hook")
    for name, (path, text) in existing.items():
        if text is not None and text != scripts()[name]:
            hint = "nothing was written; add to it what mem setup git --print shows"
            raise InvalidInput(f"{oneline(path)} is not a hook of mem's", hint, "foreign_hook")
        files.check(path)
    results = [_write(path, scripts()[name], text) for name, (path, text) in existing.items()]
    driver = _of_settings(checkout, merge_driver.configure(checkout, program.program()))
    return [*results, _with_attributes(checkout, wanted=True), driver]


def remove(checkout: Checkout) -> list[FileResult]:
    """Removes our unchanged hooks. Raises MemError; for links before anything is removed."""
    _check_driver(checkout)
    results = []
    for name, (path, text) in _existing(checkout).items():
        if text == scripts()[name]:
            files.remove(path)
            results.append(FileResult(path, "removed"))
        else:
            results.append(FileResult(path, "unchanged"))
    driver = _of_settings(checkout, merge_driver.unset(checkout))
    return [*results, _with_attributes(checkout, wanted=False), driver]


def _of_settings(checkout: Checkout, is_changed: bool) -> FileResult:
    return FileResult(merge_driver.settings_path(checkout), "changed" if is_changed else "unchanged")


def _check_driver(checkout: Checkout) -> None:
    """Raises InvalidInput if the attributes or the configuration of the clone are files from elsewhere."""
    if merge_driver.leads_out(checkout):
        where = os.path.join(oneline(checkout.common_dir), "info/attributes or config")
        raise InvalidInput(f"{where} leads out of this repository", "nothing was written; replace the link by a file", "linked")


def _with_attributes(checkout: Checkout, wanted: bool) -> FileResult:
    """Adds to this clone's attributes the line that names the merge driver for memory files, or removes it."""
    path = merge_driver.attributes(checkout)
    before = files.read(path)
    lines = [line for line in (before or "").splitlines(keepends=True) if line.strip() != merge_driver.LINE]
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    text = "".join(lines) + (f"{merge_driver.LINE}\n" if wanted else "")
    if text == (before or ""):
        return FileResult(path, "unchanged")
    if text:
        files.write(path, text)
    else:
        files.remove(path)
    return FileResult(path, "created" if before is None else "changed" if text else "removed")


def _existing(checkout: Checkout) -> dict[str, tuple[str, str | None]]:
    """Returns the path and the present text of each hook. Raises InvalidInput for a link, which may be anybody's."""
    for path in paths(checkout).values():
        if os.path.islink(path):
            raise InvalidInput(f"{oneline(path)} is a link", "nothing was written; replace it by a file", "foreign_hook")
    return {name: (path, files.read(path)) for name, path in paths(checkout).items()}


def _write(path: str, text: str, before: str | None) -> FileResult:
    """Writes one hook, executable. `before`: its present text, None where there is none. Raises MemError."""
    if before == text and os.access(path, os.X_OK):
        return FileResult(path, "unchanged")
    files.write(path, text)
    os.chmod(path, 0o755)
    return FileResult(path, "created" if before is None else "changed")
