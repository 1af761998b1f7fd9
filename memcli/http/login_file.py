"""The file by which a browser gets the link to the page, since every user can read the arguments of a process."""

from __future__ import annotations

import hashlib
import os
import time

from memcli import serving, system

_PREFIX, _SUFFIX = "open.", ".html"
LIFE = 60.0  # seconds that a link, and the file that leads to it, are valid
_PAGE = """<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer><title>mem</title>
<meta http-equiv=refresh content="0; url={url}"><p><a href="{url}">mem</a></html>
"""


def write(url: str) -> str:
    """Writes a page that leads to a link, readable by this person only. Returns its path. Raises OSError."""
    remove_expired()
    path = _path(url.rpartition("=")[2])
    with open(system.open_private(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY), "w", encoding="ascii") as file:
        file.write(_PAGE.format(url=url))
    return path


def remove(code: str) -> None:
    """Removes the page of a link that was used."""
    try:
        os.unlink(_path(code))
    except OSError:
        pass  # the link was opened by hand


def remove_expired() -> None:
    """Removes the pages whose links have expired."""
    folder = os.path.dirname(_path(""))
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and time.time() - os.lstat(path).st_mtime > LIFE:
                os.unlink(path)
        except FileNotFoundError:
            pass  # another process removed it


def _path(code: str) -> str:
    """Returns the path of the page for a code. It does not contain the code, as everybody can read it."""
    return serving.path(_PREFIX + hashlib.sha256(code.encode()).hexdigest()[:16] + _SUFFIX)
