"""What a hostile store sends: operations, segments, files in a ref of the remote."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memcli.text import ids
from tests.conftest import Terminal

MALLORY = "feedfacefeedface"
MOMENT = 1_772_366_400_000


def operation(**changes: Any) -> dict[str, Any]:
    """Returns an operation as Mallory's store would send it."""
    body = {"title": "A fact of Mallory", "summary": "s", "thread": "general", "kind": "note", "created": MOMENT, "anchor": None}
    fields = {
        "v": 1,
        "id": ids.stamp(MOMENT),
        "hlc": [MOMENT, 0],
        "w": MALLORY,
        "k": "put",
        "o": ids.new("M"),
        "b": body,
        "actor": "cli",
    }
    return {**fields, **changes}


def titled(title: str, **changes: Any) -> dict[str, Any]:
    """Returns an operation that adds a memory of this title."""
    made = operation(**changes)
    return {**made, "b": {**made["b"], "title": title}}


def segment(*lines: dict[str, Any] | bytes, writer: str = MALLORY) -> tuple[str, bytes]:
    """Returns the name and the bytes of a segment."""
    data = b"".join(
        [(line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()) + b"\n" for line in lines]
    )
    return f"{writer}-{hashlib.sha256(data).hexdigest()[:32]}.jsonl", data


@pytest.fixture
def plant(remote: Path, terminal: Terminal, tmp_path: Path) -> Callable[..., None]:
    """A function that puts files into a ref of the remote, whatever they are called."""

    def put(files: Mapping[str, bytes], modes: Mapping[str, str] | None = None) -> None:
        stream = [f"commit refs/mempack/v1/w/{MALLORY}\ncommitter m <m@x> 1 +0000\ndata 1\nx\n".encode()]
        for path, data in files.items():
            mode = (modes or {}).get(path, "100644")
            stream.append(f"M {mode} inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
        words = ["git", "fast-import", "--quiet", "--force"]
        subprocess.run(words, input=b"".join(stream), cwd=remote, env=terminal.env, check=True, capture_output=True)

    return put


def seg(name: str) -> str:
    """Returns the path of a segment."""
    return f"seg/{name[17:19]}/{name}"
