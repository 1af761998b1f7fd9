"""What every server needs: an address that only this machine reaches, and a token in a file that only one person reads."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Iterable

from memcli import config
from memcli.errors import InvalidInput, MemError

HOST = "127.0.0.1"
HOSTS = ("127.0.0.1", "localhost", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at a port of a loopback address. Raises InvalidInput for a port that is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without the protocol, asyncio would leave Nagle on
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(socket.SOMAXCONN)  # who reads the address may connect at once, though nobody answers yet
    except OSError as error:
        listener.close()
        raise InvalidInput(f"cannot listen at port {port}: {(error.strerror or '').lower()}", "give --port 0 for any") from None
    return listener


def checked_host(host: str) -> str:
    """Returns the address. Raises InvalidInput for one that others could reach."""
    if host not in HOSTS:
        raise InvalidInput(f"mem serves this machine only, not {host[:80]!r}", f"use {', '.join(HOSTS)}")
    return host


def checked_port(port: int) -> int:
    """Returns the port. Raises InvalidInput for a number that is none."""
    if not 0 <= port <= 65_535:
        raise InvalidInput(f"no port {port}", "give --port 0 to 65535; 0 takes any that is free")
    return port


def token_path() -> str:
    """Returns the file that holds the token."""
    return os.path.join(config.data_dir(), "token")


def token() -> str:
    """Returns the token that clients have to show, made the first time. Raises MemError for a file that others can use."""
    path = token_path()
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _new_token(path)
    except OSError:
        raise MemError("the token's file is a symbolic link, or cannot be read", f"remove {path}; a new one is made") from None
    with open(handle, encoding="ascii", errors="replace") as file:
        status = os.fstat(handle)
        key = file.read(200).strip()
    if status.st_mode & 0o077 or status.st_uid != os.getuid() or len(key) < 32:
        raise MemError("others can read the token's file, or it holds none", f"remove {path}; a new one is made")
    return key


def _new_token(path: str) -> str:
    key = secrets.token_urlsafe(32)
    aside = f"{path}.{os.getpid()}"
    with open(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "w", encoding="ascii") as file:
        file.write(key + "\n")
    try:
        os.link(aside, path)  # of two servers that start at once, one makes it
        return key
    except FileExistsError:
        return token()
    finally:
        os.unlink(aside)


def has_token(headers: Iterable[tuple[bytes, bytes]], token: str) -> bool:
    """Tells whether a request carries the token: in one Authorization header, and only one. `headers`: names in lower case.

    The scheme may be written in any case, with one space behind it or more (RFC 9110, 11.1 and 11.4).
    """
    values = [value for name, value in headers if name == b"authorization"]
    if len(values) != 1:
        return False
    scheme, _, credentials = values[0].partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(credentials.lstrip(b" "), token.encode("ascii"))
