"""Who a repository is: a random id in its git directory, or in an index of this machine where that cannot be written.

The id survives moving, renaming and cloning of remotes; worktrees share it. `R-` and 16 characters of Crockford's base 32.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from memcli import system
from memcli.repo import gitrun
from memcli.repo.head import ID_ALPHABET, ID_LENGTH, Checkout, id_file, id_in, is_bare, is_id, storable_name
from memcli.text.files import sync_folder

_PATIENCE = 5.0  # seconds for a lock that others hold for milliseconds
_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418"}
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def new_id() -> str:
    """Returns a fresh random id (80 bits)."""
    number = int.from_bytes(os.urandom(ID_LENGTH * 5 // 8), "big")
    return "R-" + "".join(ID_ALPHABET[number >> 5 * position & 31] for position in range(ID_LENGTH))


def record(checkout: Checkout, repo_id: str) -> str:
    """Keeps `repo_id` in the git directory unless one was recorded there; returns the id that is now recorded.

    However many do so at once, all get the same. Raises OSError where the git directory cannot be written, ValueError for
    what is not an id.
    """
    _demand_id(repo_id)
    path = id_file(checkout)
    folder = os.path.dirname(path)
    if os.path.islink(folder):
        raise NotADirectoryError(errno.ENOTDIR, "a link", folder)
    if not os.path.isdir(folder):
        _make(folder)
    fresh = os.path.join(folder, f".{new_id()}")
    _write(fresh, b"", "xb")
    _write(fresh, f"{repo_id} {os.stat(fresh).st_ino}\n".encode(), "ab")
    try:
        winner = _link(fresh, path, repo_id) or _under_lock(path, lambda: _settle(fresh, path, repo_id))
    finally:
        if os.path.exists(fresh):  # else it was moved into place
            os.unlink(fresh)
    sync_folder(folder)
    return winner


def origin(checkout: Checkout) -> str | None:
    """Returns the normalised URL of the remote `origin`, None if there is none. Runs git once."""
    done = gitrun.run(("config", "--get", "remote.origin.url"), checkout.root, bare=is_bare(checkout))
    url = os.fsdecode(done.out).strip() if done.code == 0 else ""
    if url and ":" not in url and not os.path.isabs(url):
        url = os.path.join(checkout.root, url)
    return normalise_origin(url)


def normalise_origin(url: str) -> str | None:
    """Returns `host/path` (`host:port/path` for an unusual port), so that all spellings of one remote are equal.

    No scheme, user, password, query, `.git`, or slash at the end; the host in lower case. What lies on this machine gives
    `file:/absolute/path`, symlinks left alone. None for what is empty, relative or odd.
    """
    url = url.strip()
    if not url or any(character < " " for character in url):
        return None
    scheme, mark, path = url.partition("://")
    if mark:
        return _from_url(scheme.lower(), path)
    host, colon, path = _split_scp(url)
    if not colon or "/" in host or _is_drive(host, path):
        return _local(url)
    if path.startswith(":"):  # a remote helper, `ext::command`
        return None
    return _joined(_host(host[1:-1] if host.startswith("[") else host, "22"), path)


def lookup(index_path: str, key: str) -> str | None:
    """Returns the id this machine's index has for `key` (`origin:NORMALISED` or `path:ABSOLUTE`), None if it has none."""
    return next(iter(lookup_all(index_path, key)), None)


def lookup_all(index_path: str, key: str) -> list[str]:
    """Returns every id that the index has for `key`, oldest first."""
    sought = _escaped(key)
    return list(dict.fromkeys([repo_id for name, repo_id in _entries(index_path) if name == sought]))


def keys_of(index_path: str, kind: str) -> list[tuple[str, str]]:
    """Returns (what stands behind `kind` in a key, its id) of all keys of a kind (`origin:`, `path:`, `root:`), oldest first."""
    pairs = dict.fromkeys([(_unescaped(name), repo_id) for name, repo_id in _entries(index_path)])
    return [(key.removeprefix(kind), repo_id) for key, repo_id in pairs if key.startswith(kind)]


def _entries(index_path: str) -> list[tuple[bytes, str]]:
    """Returns (key as the index has it, id) of each whole line, oldest first; nothing of an index that cannot be read."""
    try:
        content = _read(index_path)
    except OSError:
        return []
    entries = [line.partition(b"\t") for line in content.split(b"\n")]
    pairs = [(name, value.decode("ascii", "replace")) for name, _, value in entries]
    return [(name, value) for name, value in pairs if is_id(value)]


def remember(index_path: str, key: str, repo_id: str, several: bool = False) -> str:
    """Notes `repo_id` under `key` unless the key has an id already; returns the id it now has. `several`: besides other ids.

    The directory of the index must exist. Raises OSError where it cannot be written or its lock stays taken for five
    seconds, ValueError for what is not an id.
    """
    _demand_id(repo_id)

    def append() -> str:
        entries = lookup_all(index_path, key)
        if repo_id in entries:
            return repo_id
        if entries and not several:
            return entries[0]
        line = _escaped(key) + b"\t" + repo_id.encode() + b"\n"
        _write(index_path, line if _ends_whole(index_path) else b"\n" + line, "ab")
        sync_folder(os.path.dirname(index_path))
        return repo_id

    return _under_lock(index_path, append)


def _demand_id(text: str) -> None:
    if not is_id(text):
        raise ValueError(f"not a repository id: {text!r}")


def _link(fresh: str, path: str, repo_id: str) -> str | None:
    """Gives a whole, synced file its name in one step. Returns the id that stands there; None if that takes a lock."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return id_in(path, own=True)
    except (OSError, AttributeError, NotImplementedError):  # FAT and some mounts have no hard links
        return None
    return repo_id


def _settle(fresh: str, path: str, repo_id: str) -> str:
    """Under the lock: replaces what is damaged, absent or a copy, never an id that was recorded here."""
    entry = id_in(path, own=True)
    if entry:
        return entry
    os.replace(fresh, path)
    return repo_id


def _under_lock(path: str, work: Callable[[], str]) -> str:
    """Does `work` while holding the lock file beside `path`; raises TimeoutError if others hold it too long."""
    lock = system.open_private(path + ".lock", os.O_RDWR | os.O_CREAT)
    try:
        if not system.lock_within(lock, _PATIENCE):
            raise TimeoutError(errno.ETIMEDOUT, "the lock stays taken", path + ".lock")
        return work()
    finally:
        os.close(lock)


def _read(path: str) -> bytes:
    with open(path, "rb", opener=system.open_private) as file:
        return file.read()


def _write(path: str, content: bytes, mode: str) -> None:
    """Writes and syncs; `mode` is "xb" for a new file, "ab" for one that grows."""
    with open(path, mode, opener=system.open_private) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _make(folder: str) -> None:
    """Makes one directory, which another may do at the same moment."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _ends_whole(path: str) -> bool:
    """Tells whether the last line was written to its end."""
    try:
        return _read(path)[-1:] in (b"", b"\n")
    except FileNotFoundError:
        return True


def _escaped(key: str) -> bytes:
    """Returns a key as the index has it, a secret in a directory's or remote's name masked."""
    key = storable_name(key)
    for plain, escape in _ESCAPES:
        key = key.replace(plain, escape)
    return os.fsencode(key)


def _unescaped(key: bytes) -> str:
    parts = os.fsdecode(key).split("\\\\")
    for plain, escape in _ESCAPES[1:]:
        parts = [part.replace(escape, plain) for part in parts]
    return "\\".join(parts)


def _from_url(scheme: str, path: str) -> str | None:
    authority, slash, path = path.partition("/")
    if scheme == "file":
        return _local(slash + path) if authority in ("", "localhost") else None
    transport = scheme.removeprefix("git+").removesuffix("+git")
    if transport not in _PORTS:
        return None
    if transport.startswith("http"):
        path = path.partition("?")[0].partition("#")[0]
    return _joined(_host(authority, _PORTS[transport]), path)


def _host(authority: str, usual_port: str) -> str:
    """Returns the host, and its port if unusual, out of `user:password@host:port`; "" for what is odd."""
    host, port = authority.rpartition("@")[2].lower(), ""
    if host.count(":") == 1 or "]:" in host:  # more colons are an address
        host, _, port = host.rpartition(":")
    if port and not port.isdecimal():
        return ""
    host = host.strip("[]").rstrip(".")
    return f"{host}:{port}" if host and port not in ("", usual_port) else host


def _split_scp(url: str) -> tuple[str, str, str]:
    """Splits `user@host:path` at the colon that ends the host, which may be in brackets."""
    bracketed = url.startswith("[") or "@[" in url.partition("/")[0]
    close = url.find("]") + 1 if bracketed else 0
    head, colon, path = url[close:].partition(":")
    return url[:close] + head, colon, path


def _is_drive(head: str, path: str) -> bool:
    return len(head) == 1 and head.isalpha() and path[:1] in ("/", "\\")


def _joined(host: str, path: str) -> str | None:
    """Returns host and path as one; None if either is missing, or where an `@` out of place may mean a password."""
    clean = "/".join(segment for segment in path.split("/") if segment not in ("", ".")).removesuffix(".git").rstrip("/")
    if not host or not clean or " " in host or "@" in clean:
        return None
    return f"{host}/{clean}"


def _local(path: str) -> str | None:
    if not os.path.isabs(path):
        return None
    clean = os.path.normpath(path).removesuffix(".git").rstrip("/")
    return "file:/" + clean.lstrip("/") if clean else None
