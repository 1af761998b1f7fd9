"""The page's files, which everybody may read: they are part of the package and contain no stored data."""

from __future__ import annotations

import os

from starlette.responses import Response

from memcli.http.problem import Problem

FOLDER = os.path.join(os.path.dirname(__file__), "viewer")
POLICY = {
    # Nothing but the page's own files, and no text that becomes markup: trusted types make innerHTML and its like throw.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "cross-origin-opener-policy": "same-origin",
}
_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "json": "application/json",
}


def file(name: str, status: int = 200) -> Response:
    """Returns a file of the page. Raises Problem if there is none."""
    media_type = _MEDIA_TYPES.get(name.rpartition(".")[2])
    segments = name.split("/")
    path = os.path.join(FOLDER, *segments)
    if media_type is None or any(not step or step.startswith(".") or "\\" in step or "\0" in step for step in segments):
        raise Problem(404, "the page has no such file", "see /")
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        raise Problem(404, "the page has no such file", "see /") from None
    return Response(content, status, headers={**POLICY, "content-type": media_type, "cache-control": "no-cache"})
