"""How a browser is given the link to the page: by a file, since every user can read what programs are called with."""

from __future__ import annotations

import os
import time

from memcli.serving import instance

_BEGIN, _END = "open.", ".html"
LIFE = 60.0  # seconds that a link, and the file that leads to it, are good for
_PAGE = """<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer><title>mem</title>
<meta http-equiv=refresh content="0; url={url}"><p><a href="{url}">mem</a></html>
"""


def file(url: str) -> str:
    """Writes a page that leads to a link, for this person's eyes only. Returns its path. Raises OSError."""
    clear()
    path = _path(url.rpartition("=")[2])
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "w", encoding="ascii") as opened:
        opened.write(_PAGE.format(url=url))
    return path


def used(code: str) -> None:
    """Takes away the page that leads to a link which was used."""
    try:
        os.unlink(_path(code))
    except OSError:
        pass  # it was opened by hand


def clear() -> None:
    """Takes away the pages whose links have run out."""
    folder = os.path.dirname(_path(""))
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            if name.startswith(_BEGIN) and name.endswith(_END) and time.time() - os.lstat(path).st_mtime > LIFE:
                os.unlink(path)
        except FileNotFoundError:
            pass  # somebody else took it away


def _path(code: str) -> str:
    """Returns the path of the page for a code, without telling the code: the path is what everybody may read."""
    import hashlib

    return instance.path(_BEGIN + hashlib.sha256(code.encode()).hexdigest()[:16] + _END)
