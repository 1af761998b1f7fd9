"""Who else can read, change or widen what is kept? Every finding is one line with the next step; nothing is changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from shlex import join, quote
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memcli import config, registry, system
from memcli.agents.turns import context_file, instruction_file
from memcli.maintenance.audit import stored_secrets
from memcli.maintenance.diagnosis import counted
from memcli.maintenance.doctor import CheckResult
from memcli.project import Project
from memcli.repo import history
from memcli.screening import is_suspicious

if TYPE_CHECKING:
    from memcli.repo.head import Checkout

_OTHERS = 0o077
_WRITE = 0o022
_MOST_NAMED = 3  # paths that a finding names
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def examine(project: Project) -> list[CheckResult]:
    """Checks who else can reach a memory: modes and owners of files, settings, files for agents, joins, stored secrets."""
    checks = (_of_files, _of_repository, _of_settings, _of_context_files, _of_instructions, _of_join, _of_secrets)
    return [finding for check in checks for finding in check(project)]


def _of_files(project: Project) -> list[CheckResult]:
    """Reports files of the data directory that others can use, and settings and directories above that they can change."""
    if not system.HAS_OWNERS:
        return []
    data, settings = os.path.realpath(config.data_dir()), os.path.realpath(config.config_dir())  # either may be a link
    inside, settings_files = list(_below(data)), list(_below(settings))
    open_paths = [path for path, status in inside if _allows(status, _OTHERS)]
    changeable = [path for path, status in settings_files if _allows(status, _WRITE)]
    above = list(dict.fromkeys([*_replaceable(config.data_dir()), *_replaceable(data)]))
    foreign = [path for path, status in (*inside, *settings_files) if not system.is_ours(status)]
    findings = [
        *_report("is open to other users", open_paths, f"chmod -R go= {quote(data)}"),
        *_report("can be changed by other users", changeable, f"chmod -R go-w {quote(settings)}"),
        *_report("belongs to another user", foreign, "move the data to a directory of your own, and set MEMPACK_DATA_DIR"),
        *_report("can be replaced by other users", above, f"chmod go-w {join(above)}; or set MEMPACK_DATA_DIR"),
    ]
    return findings or [CheckResult("ok", "files", f"only you can use the {counted(len(inside), 'file', 'files')} of {data}")]


def _report(text: str, paths: list[str], hint: str) -> list[CheckResult]:
    """Returns one finding about some paths, none where there are none."""
    if not paths:
        return []
    more = f" and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else ""
    return [CheckResult("warn", "files", f"{', '.join(paths[:_MOST_NAMED])}{more} {text}", hint)]


def _below(top: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yields a directory and all below it, with their status; what a link leads to is not looked at."""
    paths = [top]
    while paths:
        path = paths.pop()
        try:
            status = os.lstat(path)
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                paths += [os.path.join(path, name) for name in sorted(os.listdir(path), reverse=True)]
        except OSError:
            continue  # gone meanwhile, or not to be read: then its directory is reported


def _allows(status: os.stat_result, mode: int) -> bool:
    return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & mode)


def _replaceable(path: str) -> list[str]:
    """Returns the directories above a path in which others can rename things: such as /tmp without its sticky bit."""
    above = []
    while os.path.dirname(path) != path:
        path = os.path.dirname(path)
        try:
            status = os.stat(path)
        except OSError:
            continue
        if status.st_mode & _WRITE and not status.st_mode & stat.S_ISVTX:
            above.append(path)
    return above


def _of_repository(project: Project) -> list[CheckResult]:
    """Reports a repository that others own or can change: they choose what git answers, and which memory is meant."""
    if project.checkout is None or not system.HAS_OWNERS:
        return []
    findings = []
    for path in dict.fromkeys((project.checkout.root, project.checkout.common_dir)):
        try:
            status = os.stat(path)
        except OSError:
            continue
        if not system.is_ours(status):
            text = f"{path} belongs to another user, who decides what git says of it"
            findings.append(CheckResult("warn", "repository", text, "clone it into a directory of your own"))
        elif status.st_mode & _WRITE:
            text = f"other users can change {path} ({stat.S_IMODE(status.st_mode):04o})"
            findings.append(CheckResult("warn", "repository", text, f"chmod -R go-w {quote(path)}"))
    return findings


def _of_settings(project: Project) -> list[CheckResult]:
    """Reports settings that let more be written, read or sent than the defaults, and what a repository tried to widen."""
    settings = project.config
    findings = [CheckResult("warn", "settings", problem, "a repository may only narrow it") for problem in settings.problems]
    # Each is a text where the setting widens something, else false or empty.
    widened = {
        "mcp.write": settings["mcp.write"] == "auto" and "agents write by MCP without asking you",
        "mcp.scope": settings["mcp.scope"] == "user" and "what agents remember is told in every repository",
        "mcp.repos": settings["mcp.repos"] and f"mem mcp may open other repositories: {settings['mcp.repos']}",
        "mcp.workspaces": settings["mcp.workspaces"]
        and f"mem mcp --workspace may open other workspaces: {settings['mcp.workspaces']}",
        "workspace.own_memory": settings["workspace.own_memory"]
        and f"your own memory is shown in workspaces: {settings['workspace.own_memory']}",
        "compressor.provider": settings["compressor.provider"] != "none"
        and f"texts of sessions are sent to a model ({settings['compressor.provider']})",
        "embed.provider": settings["embed.provider"] != "minilm"
        and urlsplit(settings["embed.url"]).hostname not in _LOOPBACK
        and f"stored texts are sent to {settings['embed.url']}",
        "serve.without_token": settings["serve.without_token"]
        and "every user of this machine can read and change memories over HTTP",
        "turn.instructions": os.path.isabs(settings["turn.instructions"])
        and f"every new session is told {settings['turn.instructions']}",
    }
    findings += [
        CheckResult("warn", "settings", f"{key}: {text}", f"mem config unset {key}, unless you mean it")
        for key, text in widened.items()
        if text
    ]
    return findings or [CheckResult("ok", "settings", "no setting lets more be written, read or sent than the defaults")]


def _of_context_files(project: Project) -> list[CheckResult]:
    """Reports files with the person's own memory that git would publish, and one here that is not ours."""
    findings = []
    for root in context_file.followed():
        if context_file.is_tracked(root):
            text = f"git tracks {os.path.join(root, context_file.FILE)}, which holds your own memory"
            findings.append(CheckResult("warn", "publishing", text, f"git -C {quote(root)} rm --cached {context_file.FILE}"))
    path = os.path.join(project.root, context_file.FILE)
    if (
        project.root
        and os.path.lexists(path)
        and not (context_file.is_ours(project.root) and context_file.is_followed(project.root))
    ):
        text = f"{path} looks like a file of mem, and setup on this machine did not make it"
        findings.append(CheckResult("warn", "publishing", text, "read it as a stranger's text, or remove it"))
    return findings or [CheckResult("ok", "publishing", "no file of mem in a working tree is tracked by git")]


def _of_instructions(project: Project) -> list[CheckResult]:
    """Reports a file of instructions that reads like an order to a model: it may have come with the repository."""
    if not is_suspicious(instruction_file.read(project)[0]):
        return [CheckResult("ok", "instructions", "no file of instructions reads like an order to a model")]
    text = f"every new session is told {instruction_file.path_of(project)}, which reads like an order to a model"
    return [CheckResult("warn", "instructions", text, "read it as a stranger's text, and change or remove it unless it is yours")]


def _of_join(project: Project) -> list[CheckResult]:
    """Reports a clone that uses a memory with which it shares no commit."""
    checkout: Checkout | None = project.checkout
    if checkout is None or checkout.commit is None or project.repo_id is None or project.is_user:
        return []
    if registry.shares_history(checkout, project.repo_id, by_itself=False):
        return [CheckResult("ok", "joining", "this clone shares commits with its memory")]
    if reason := history.refusal(checkout):
        text = f"git cannot tell whether this clone shares commits with its memory: {reason}"
        return [CheckResult("warn", "joining", text, "see what git status says")]
    text = "this clone shares no commit with the memory that it uses; somebody joined them, or its history was replaced"
    return [CheckResult("warn", "joining", text, "remove mempack/repo-id from its git directory if you did not mean it")]


def _of_secrets(project: Project) -> list[CheckResult]:
    """Reports secrets that were stored before a rule knew them."""
    count = len(stored_secrets(project))
    if not count:
        return [CheckResult("ok", "secrets", "no stored secrets")]
    text = f"{counted(count, 'stored object contains', 'stored objects contain')} a secret"
    return [CheckResult("warn", "secrets", text, "mem doctor --secrets lists them; change each, it counts as leaked")]
