"""Files: their text and its lines; writing one at once, so that a reader finds the old text or the new one."""

from __future__ import annotations

import os
import time

from memcli import system

_ENDING = ".tmp"
_RANDOM = 4  # bytes of a name
_LEFT = 600  # seconds after which a file aside has no writer any more: one needs a hundredth of a second


def write(path: str, text: str, like: str = "", mode: int | None = None, follows: bool = True) -> None:
    """Makes the file at `path` have `text`; it keeps its permissions, a new one gets those of `like`, or `mode`. Raises OSError.

    `follows`: whether a link at `path` is followed; else the file takes its place, whatever somebody put there meanwhile.
    A writer that is killed leaves the new file beside its place; one that comes ten minutes later takes it away.
    """
    target = os.path.realpath(path) if follows else path
    _sweep(target)
    mode = next(
        (os.stat(existing).st_mode & 0o7777 for existing in (target, like) if existing and os.path.exists(existing)), mode
    )
    aside = f"{target}.{os.getpid()}.{os.urandom(_RANDOM).hex()}{_ENDING}"
    try:
        handle = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if mode is not None else 0o666)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            if mode is not None:
                system.set_mode(handle, mode)
            file.flush()
            os.fsync(handle)
        os.replace(aside, target)
    except OSError:
        try:
            os.remove(aside)
        except OSError:
            pass
        raise


def _sweep(target: str) -> None:
    """Removes what writers of this file left beside it long ago. A process id tells nothing where machines share a home."""
    folder, name = os.path.split(target)
    before = time.time() - _LEFT
    try:
        for entry in os.listdir(folder):
            path = os.path.join(folder, entry)
            if entry.startswith(f"{name}.") and _is_aside(entry[len(name) + 1 :]) and os.lstat(path).st_mtime < before:
                os.remove(path)
    except OSError:
        pass  # another writer was faster, or the directory may not be listed


def _is_aside(ending: str) -> bool:
    """True for the end of a name that `write` makes: a process id and random digits."""
    pid, _, suffix = ending.partition(".")
    random = suffix.removesuffix(_ENDING)
    return pid.isdigit() and suffix.endswith(_ENDING) and len(random) == 2 * _RANDOM and not random.strip("0123456789abcdef")


def write_all(handle: int, data: bytes) -> None:
    """Writes all of some bytes to an open file, however many the system takes at a time. Raises OSError."""
    unwritten = memoryview(data)
    while unwritten:
        unwritten = unwritten[os.write(handle, unwritten) :]


def size(path: str) -> int:
    """Returns the bytes of a file, 0 where there is none."""
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def sync_folder(folder: str) -> None:
    """Makes a new name in a directory survive a loss of power, where directories can be synced."""
    try:
        file = os.open(folder or ".", os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(file)
    except OSError:
        pass
    finally:
        os.close(file)


_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\0\0", "utf-32-le"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\f\b\x1b"})
_MOST_CONTROLS = 0.02  # share of control characters from which a text is taken for something else


def decoded(data: bytes) -> str | None:
    """Returns the text of a file with `\\n` as its line end; None where the bytes are no text.

    A lone `\\r` ends a line only in a text without `\\n`, as editors and git count.
    UTF-8, UTF-16 and UTF-32 with their mark; what is not valid UTF-8 is read as Windows-1252, the usual encoding of old sources.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _with_newlines(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                return None
    if b"\0" in data or len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _MOST_CONTROLS:
        return None
    try:
        return _with_newlines(data.decode())
    except UnicodeDecodeError:
        pass
    try:
        return _with_newlines(data.decode("cp1252"))
    except UnicodeDecodeError:
        return _with_newlines(data.decode("latin-1"))


def _with_newlines(text: str) -> str | None:
    return None if "\0" in text else _plain_ends(text)


def _plain_ends(text: str) -> str:
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")


BOM = "\ufeff"


def split(text: str) -> list[str]:
    """Returns the lines of a file without their ends: the same ones for LF and CRLF, with or without a final line end.

    A lone CR ends a line only in a text without LF, elsewhere it is a character of its line, as editors and git count. A byte
    order mark is dropped. An empty text has no line.
    """
    lines = _plain_ends(text.removeprefix(BOM)).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
