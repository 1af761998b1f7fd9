"""Embeddings from a server that speaks OpenAI's API, Ollama among them: POST URL/embeddings.

Texts go to the address that the person chose and nowhere else: no redirect is followed, and no repository may name an address.
The key comes from MEMPACK_EMBED_KEY in the environment; it is kept nowhere, and no message repeats it or what a server said.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from memcli.models.embedders import Unavailable
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

KEY = "MEMPACK_EMBED_KEY"
_LARGEST = 64 << 20  # bytes of an answer
_BLOCK = 1 << 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _Here(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would carry texts and key to an address that nobody chose."""

    def redirect_request(self, *about: Any, **more: Any) -> None:
        """Returns nothing, which makes the redirect an error."""
        return None


class Endpoint:
    """A server at `url` (with its version, such as http://localhost:11434/v1). `timeout`: seconds for one answer."""

    batch = 64

    def __init__(self, url: str, model: str, timeout: float) -> None:
        key = os.environ.get(KEY, "")
        self._model, self._timeout = model, timeout
        self._server = _checked(url, bool(key))
        self._url = url.rstrip("/") + "/embeddings"
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": "mem",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }
        proxies = [urllib.request.ProxyHandler({})] if urlsplit(url).hostname in _LOOPBACK else []
        self._opener = urllib.request.build_opener(_Here, *proxies)

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a vector for each text, as the server gave it. Raises Unavailable for every other answer."""
        vectors = _vectors(self._ask({"model": self._model, "input": list(texts)}), len(texts))
        if vectors is None:
            raise Unavailable(f"{self._server} gave no embeddings of {len(texts)} texts", "check embed.url and embed.model")
        return vectors

    def _ask(self, question: dict[str, Any]) -> Any:
        """Returns the server's answer as data, None where it is no JSON."""
        end = time.monotonic() + self._timeout
        body = json.dumps(question).encode()
        try:
            request = urllib.request.Request(self._url, body, self._headers, method="POST")
            with self._opener.open(request, timeout=self._timeout) as answer:
                said = b""
                while block := answer.read1(_BLOCK):
                    said += block
                    if time.monotonic() > end or len(said) > _LARGEST:
                        raise TimeoutError
            return json.loads(said.decode("utf-8"))
        except urllib.error.HTTPError as problem:
            problem.close()
            hint = f"check {KEY} in the environment" if problem.code in (401, 403) else "check embed.url and embed.model"
            raise Unavailable(f"{self._server} answered {problem.code}", hint) from None
        except TimeoutError:
            raise Unavailable(f"{self._server} took more than {self._timeout:g} s", "see embed.timeout") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            if isinstance(problem, json.Malformed | UnicodeDecodeError):
                return None
            late = isinstance(getattr(problem, "reason", None), TimeoutError)
            said_short = f"took more than {self._timeout:g} s" if late else "cannot be reached"
            raise Unavailable(f"{self._server} {said_short}", "is it running? embed.url names it") from None


def _checked(url: str, with_key: bool) -> str:
    """Returns the server's name for messages. Raises Unavailable for an address that texts should not be sent to."""
    hint = "write embed.url as https://host/v1, or http://localhost:PORT/v1"
    try:
        parts = urlsplit(url)
        server = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    except ValueError:
        raise Unavailable("embed.url is no address", hint) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise Unavailable("embed.url is no address of a server", hint)
    if parts.username or parts.password:
        raise Unavailable("embed.url holds a name or a password", f"take it out; a key belongs into {KEY}")
    if with_key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise Unavailable(f"the key would go to {server} unencrypted", f"use https in embed.url, or unset {KEY}")
    return server


def _vectors(answer: Any, count: int) -> list[Sequence[float]] | None:
    """Returns the vectors of an answer in the order of their texts; None unless it is one for each, all of one length."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, dict) for row in rows):
        return None
    found = {row.get("index"): row.get("embedding") for row in rows if isinstance(row.get("index"), int)}
    vectors = [found.get(place) for place in range(count)]
    whole: list[Sequence[float]] = [
        vector for vector in vectors if isinstance(vector, list) and vector and all(map(_is_number, vector))
    ]
    return whole if len(whole) == count and len({len(vector) for vector in whole}) == 1 else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
