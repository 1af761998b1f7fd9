"""Which remote a memory is shared through: what the person agreed to, and the transport that goes there.

The agreement is kept with the store: the remote's name, the address it had then, and by what the clone's configuration has it
reached: programs, proxies, certificates, headers. Where one of these changes, nothing is sent until the person agrees again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from typing import Any
from urllib.parse import unquote, urlsplit

from memcli import invitations, system
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.project import Project
from memcli.records import Record, as_dict
from memcli.replication.transports import Deadline, Transport
from memcli.repo import ancestry, head, identity, remotes
from memcli.store import meta, replication, set_meta, transaction
from memcli.text import json

_KEY = replication.AGREEMENT
_FOLDER, _TRIAL = "sync.git", "sync-trial.git"  # what was fetched; of a remote that nobody agreed to yet
DIRECTORY, POSTGRES = "dir:", ("postgresql://", "postgres://")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*\Z")
_URL = re.compile(r"(https?|ssh|git|file)://\S+\Z|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:\S+\Z|/\S*\Z")
_NAMESPACE = re.compile(r"refs/[a-z][a-z0-9-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+\Z")
_LONGEST_NAME = 200  # characters
_NAMED = 8  # settings of a clone in an error
_ASKED = 3  # remotes that a new clone asks for a shared memory


class Agreement(Record):
    """What the person agreed to. `remote`: as they named it; `address`: where that was then; `programs`: see repo/remotes.py.

    `settings`: the digest of the other settings there, which can hold secrets; "" for none. `place`: what of the remote is used:
    below which name its refs stand, or as which repository a database knows this one.
    """

    remote: str
    address: str
    programs: list[Any]
    place: str = ""
    settings: str = ""
    is_joined: bool = False  # though it has the memory of another history


def agreed(project: Project) -> Agreement | None:
    """Returns what the person agreed to, None where this memory is not shared."""
    text = meta(project.db, _KEY)
    return Agreement(**json.loads(text)) if text else None


def latest(project: Project) -> Agreement | None:
    """Returns what the person agreed to last, also where this memory is not shared any more; None where it never was."""
    text = meta(project.db, _KEY) or meta(project.db, replication.FORMER)
    return Agreement(**json.loads(text)) if text else None


def required(project: Project) -> Agreement:
    """Returns what the person agreed to. Raises NotFound where this memory is not shared."""
    agreement = agreed(project)
    if agreement is None:
        raise NotFound("this memory is not shared", "turn it on with: mem sync enable", "sync_off")
    return agreement


def resolve(project: Project, remote: str | None, address: str | None = None) -> Agreement:
    """Returns what the person would agree to by naming a remote and its place. Raises InvalidInput.

    Where none is named it is the one of before, `origin` where this memory was never shared.
    """
    before = latest(project) if remote is None else None
    name = (before.remote if before else "origin") if remote is None else remote.strip()
    if before and name.startswith(POSTGRES) and address is None:
        address = before.place
    if address is not None and not name.startswith(POSTGRES):
        raise InvalidInput("--name is for a database", "a git remote and a directory are for one repository")
    if name.startswith(DIRECTORY):
        if not os.path.isdir(os.path.expanduser(name.removeprefix(DIRECTORY))):
            raise InvalidInput(
                f"no directory: {name.removeprefix(DIRECTORY)[:200]!r}", "make it, or mount what it is on: dir:PATH"
            )
        path = os.path.abspath(os.path.expanduser(name.removeprefix(DIRECTORY)))
        return Agreement(f"{DIRECTORY}{path}", f"{DIRECTORY}{path}", [])
    if name.startswith(POSTGRES):
        if urlsplit(name).password:
            raise InvalidInput("a password in an address would be stored", "put it into ~/.pgpass or PGPASSWORD")
        return Agreement(name, name, [], _repository_name(project, address))
    if project.checkout is None and not _URL.match(name):
        raise InvalidInput("outside a git repository there is no remote", "give an address, dir:PATH or postgresql://…")
    if _URL.match(name):
        if "://" in name and (urlsplit(name).password or remotes.without_login(name) != name):
            secret = "password" if urlsplit(name).password else "token"
            raise InvalidInput(f"a {secret} in an address would be stored", "use a credential helper or ssh")
        return _by_git(project, name, name)
    if not _NAME.match(name) or project.checkout is None:
        raise InvalidInput(f"not a remote: {name[:80]!r}", "give a remote's name, an address, dir:PATH or postgresql://…")
    return _by_git(project, name, remotes.address(project.checkout, name))


def _by_git(project: Project, name: str, address: str) -> Agreement:
    access = _access(project)
    return Agreement(name, address, [list(pair) for pair in access.programs], namespace(project), _digest(access))


def _access(project: Project) -> remotes.Access:
    return remotes.access(project.checkout) if project.checkout else remotes.Access([], [])


def _digest(access: remotes.Access) -> str:
    return hashlib.sha256(json.canonical(access.settings).encode()).hexdigest() if access.settings else ""


def check_clone(project: Project, agreement: Agreement) -> None:
    """Raises InvalidInput where the clone's own configuration would say how a remote is reached and nobody agreed to it.

    It can have come with an archive, and a proxy with a certificate of its own receives what the person logs in with.
    """
    earlier = agreed(project)
    if earlier is not None and (earlier.programs, earlier.settings) == (agreement.programs, agreement.settings):
        return
    access = _access(project)
    if (agreement.programs or agreement.settings) and not agreement.address.startswith((DIRECTORY, *POSTGRES)):
        findings = [f"{key} = {value[:80]}" for key, value in access.programs] + [key for key, _ in access.settings]
        raise InvalidInput(
            f"this clone's own git configuration says how to reach {agreement.remote[:200]}: {', '.join(findings[:_NAMED])}",
            "if all of it is yours, add --trust-clone; else take it out of the clone's git config",
            "clone_settings",
        )


def namespace(project: Project) -> str:
    """Returns below which name the refs stand that a new agreement is about. Raises InvalidInput."""
    name: str = project.config["sync.namespace"]
    if not _NAMESPACE.match(name) or ".." in name or ".lock/" in f"{name}/" or name.startswith("refs/tags/"):
        raise InvalidInput(f"sync.namespace: {name[:80]!r} is no place for refs", "for example refs/mempack/v1")
    return name


def _repository_name(project: Project, name: str | None) -> str:
    """Returns the name by which a database tells this repository from others: that of its origin by default."""
    key = (identity.origin(project.checkout) if project.checkout else None) if name is None else name.strip()
    if not key or not key.isprintable() or len(key) > _LONGEST_NAME:
        raise InvalidInput(
            "no name by which the database knows this repository", "give the same in every clone: --name NAME", "no_name"
        )
    return key


def is_moved(earlier: Agreement, agreement: Agreement) -> bool:
    """Tells whether two agreements are about different places of one remote."""
    return earlier.address == agreement.address and bool(earlier.place) and earlier.place != agreement.place


def new_place(project: Project, agreement: Agreement) -> str:
    """Returns where sync.namespace would have the refs stand that stand elsewhere since this agreement, else ""."""
    name: str = project.config["sync.namespace"]
    return name if agreement.place.startswith("refs/") and agreement.place != name else ""


def agree(project: Project, agreement: Agreement | None) -> None:
    """Notes what the person agreed to; None: this memory is not shared any more."""
    earlier = agreed(project)
    if project.checkout is not None:
        invitations.keep(project.checkout, "")
    with transaction(project.db):
        if agreement is None:
            replication.forget(project.db, _KEY)
            if earlier is not None:
                set_meta(project.db, replication.FORMER, json.canonical(as_dict(earlier)))
        else:
            replication.forget(project.db, replication.FORMER)
            set_meta(project.db, _KEY, json.canonical(as_dict(agreement)))
        is_same = earlier is not None and agreement is not None and earlier.address == agreement.address
        if earlier is not None and (agreement is None or not is_same or is_moved(earlier, agreement)):
            replication.forget_remote(project.db)
        if earlier is None or _failed_last(project):  # how that went says nothing of what is agreed to now
            replication.forget(project.db, replication.LAST)


def _failed_last(project: Project) -> bool:
    last = meta(project.db, replication.LAST)
    return bool(last and json.loads(last)["error"])


def drop_trial(project: Project) -> None:
    """Removes what was fetched of a remote that nobody agreed to."""
    shutil.rmtree(os.path.join(project.folder, _TRIAL), ignore_errors=True)


def forgotten_trial(project: Project) -> str:
    """Returns the directory of what was fetched of a remote that nobody agreed to, where that was killed; "" for none."""
    folder = os.path.join(project.folder, _TRIAL)
    if not os.path.isdir(folder):
        return ""
    lock = system.open_private(os.path.join(project.folder, "sync.lock"), os.O_CREAT | os.O_RDWR)
    try:
        return folder if system.lock_within(lock, 0) else ""  # else it is being looked at
    finally:
        os.close(lock)


def keep_trial(project: Project) -> None:
    """Keeps what was fetched, where nothing was before, of a remote that is agreed to now."""
    trial, folder = [os.path.join(project.folder, name) for name in (_TRIAL, _FOLDER)]
    if os.path.isdir(trial) and not os.path.lexists(folder):
        os.rename(trial, folder)


def transport(project: Project, agreement: Agreement, seconds: float, shallow: bool = False, is_trial: bool = False) -> Transport:
    """Returns the transport to a remote. Raises MemError where it is not the one that was agreed to.

    `is_trial`: nobody agreed to it yet; what it fetches is kept apart (see `drop_trial`).
    """
    deadline = Deadline(seconds)
    if agreement.address.startswith(DIRECTORY):
        from memcli.replication.transports.directory import Directory

        return Directory(agreement.address.removeprefix(DIRECTORY), deadline, roots(project))
    if agreement.address.startswith(POSTGRES):
        from memcli.replication.transports.postgres import Postgres

        return Postgres(agreement.address, agreement.place or _repository_name(project, None), deadline, roots(project))
    from memcli.replication.transports.git import GitAddress, GitRemote
    from memcli.replication.transports.gitcommand import own_ssh_command

    address, login = _current_address(project, agreement)
    _refuse_inside(project, address)
    return GitRemote(
        GitAddress(
            url=address,
            folder=os.path.join(project.folder, _TRIAL if is_trial else _FOLDER),
            settings=(*own_ssh_command(address), *_settings(project, agreement), *login),
            namespace=agreement.place or namespace(project),
            writer=meta(project.db, "writer") or "",
            is_short_lived=is_short_lived(),
            is_shallow=shallow,
            is_typed=bool(_URL.match(agreement.remote)),
            roots=roots(project),
        ),
        deadline,
    )


def roots(project: Project) -> tuple[str, ...]:
    """Returns the first commits of this memory's history; none where there is no commit, and where the clone cannot tell."""
    noted = meta(project.db, replication.ROOTS)
    if noted or project.checkout is None:
        return tuple((noted or "").split())
    names = ancestry.roots(project.checkout)
    if names:
        with transaction(project.db):
            set_meta(project.db, replication.ROOTS, " ".join(names))
    return names


def check_history(project: Project, agreement: Agreement, transport: Transport) -> None:
    """Raises InvalidInput where a remote has the memory of a history with which this one shares no commit.

    A clone that is shallow cannot tell, and what no history is noted for counts as this one's.
    """
    own = set(roots(project))
    if agreement.is_joined or (project.commit and not own):
        return
    apart = {name: set(noted) for name, noted in transport.histories().items() if noted}
    while near := [name for name, noted in apart.items() if noted & own]:
        own.update(*[apart.pop(name) for name in near])
    if apart:
        is_database = agreement.address.startswith(POSTGRES)
        apiece = (
            "it another name there: --name NAME" if is_database else "each repository a remote of its own, such as dir:PATH/NAME"
        )
        name = f" --name {agreement.place}" if is_database else ""
        raise InvalidInput(
            f"{agreement.remote[:200]} has the memory of another repository ({next(iter(apart))[:200]}): "
            "the histories share no commit",
            f"give {apiece}; if it is the same project with another history, "
            f"run mem sync enable --remote {agreement.remote[:200]}{name} --allow-unrelated-histories",
            "other_history",
        )


def _refuse_inside(project: Project, address: str) -> None:
    """Raises InvalidInput for a repository in the working tree, and for the clone itself with all its working trees.

    Git runs the hooks of a repository on this machine to which it pushes.
    """
    _, is_url, rest = address.rpartition("file://")
    path = unquote("/" + rest.partition("/")[2]) if is_url else address
    tree = os.path.join(os.path.realpath(project.root), "")
    if project.root and path.startswith("/") and os.path.realpath(path).startswith(tree):
        raise InvalidInput(
            f"{address[:200]} lies in the working tree: git would run its hooks, which may have come with the clone",
            "share through a remote elsewhere",
            "remote_inside",
        )
    there = head.find(path) if project.checkout and path.startswith("/") else None
    if there and project.checkout and os.path.realpath(there.common_dir) == os.path.realpath(project.checkout.common_dir):
        raise InvalidInput(
            f"{address[:200]} is this clone itself: its working trees share one memory already",
            "share through a remote elsewhere",
            "remote_inside",
        )


def _current_address(project: Project, agreement: Agreement) -> tuple[str, list[tuple[str, str]]]:
    """Returns the address of the remote, and its login. Raises MemError where it changed since the person agreed to it."""
    if _URL.match(agreement.remote) or project.checkout is None:
        return agreement.address, []
    address, login = remotes.reached(project.checkout, agreement.remote)
    if address != agreement.address:
        raise MemError(
            f"the address of {agreement.remote} changed since you shared this memory: {address[:200]}",
            f"if that is right: mem sync enable --remote {agreement.remote}",
            "remote_changed",
        )
    return address, login


def _settings(project: Project, agreement: Agreement) -> list[tuple[str, str]]:
    if project.checkout is None:
        return []
    access = remotes.access(project.checkout)
    if [list(pair) for pair in access.programs] != agreement.programs or _digest(access) != agreement.settings:
        raise MemError(
            "this clone's git configuration reaches hosts in another way than when you shared this memory",
            "look at core.sshCommand, credential.* and http.* there, then run: mem sync enable --trust-clone",
            "remote_changed",
        )
    return [*access.settings, *access.programs]


class Answer(Record):
    """What the remotes of a clone answered: the name of one that has a shared memory, "" for none; those that did not answer."""

    name: str = ""
    silent: tuple[str, ...] = ()


def invitation(project: Project, seconds: float) -> Answer:
    """Asks the remotes of the clone whether one has a shared memory.

    Where a remote is a clone on this machine, its own origin counts, too.
    """
    if project.checkout is None or agreed(project) is not None or not project.config["sync.ask_remotes"]:
        return Answer()
    from memcli.replication.transports.gitcommand import has_refs

    deadline, pattern, silent = Deadline(seconds), f"{project.config['sync.namespace']}/*", []
    for name in remotes.names(project.checkout)[:_ASKED]:
        address = remotes.address(project.checkout, name)
        is_there = has_refs(address, pattern, deadline)
        if is_there:
            return Answer(name)
        silent += [name] if is_there is None else []
        behind = remotes.origin_behind(address)
        if behind and has_refs(behind, pattern, deadline):
            return Answer(behind)
    return Answer("", tuple(silent))


def invite(project: Project, seconds: float) -> str:
    """Returns the name of a remote that has a shared memory, "" for none, and has nobody told again."""
    name = invitation(project, seconds).name
    if project.checkout is not None:
        invitations.keep(project.checkout, "")
    return name


def is_short_lived() -> bool:
    """Tells whether this machine is one of many that come and go: a CI job or a container for one task."""
    return system.is_ci() or system.is_set("CODESPACES")
