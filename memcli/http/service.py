"""What one service holds: its stores, its streams, the links to its page, the workers."""

from __future__ import annotations

import os
import time

from memcli import registry
from memcli.errors import MemError, NotFound
from memcli.http import login_file
from memcli.project import Where, folder_of, locate
from memcli.records import Record
from memcli.repo import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.http.feed import Feeds
    from memcli.http.workers import Workers

ACTOR = "http"
AT_ONCE = 12  # calls that work with stores at the same time: some wait for a disk or a lock while others compute
_KNOWN_FOR = 5.0  # seconds in which a name goes on meaning the store it meant
_MOST_NAMES = 1_000


class Address(Record):
    """Where a service is reached: a port of this machine, or a socket in the file system."""

    host: str
    port: int | None
    socket: str | None = None

    @property
    def url(self) -> str:
        """The address as clients write it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}" if self.port is not None else "http://localhost"


class Service:
    """The state of a running service. `where`: the memory that a call means which names none."""

    def __init__(self, where: Where | None, key: str, address: Address) -> None:
        self.where = where
        self.key = key
        self.address = address
        self.started = time.monotonic()
        self.stopping = False
        self.heartbeat = 15.0
        self.feeds: Feeds
        self.workers: Workers
        self.sessions: dict[str, Where] = {}
        # archives -> the model and revision with nothing left to encode
        self.encoded: dict[tuple[str, str], tuple[str, int]] = {}
        self._links: dict[str, float] = {}
        self._names: dict[str, tuple[float, str]] = {}

    def link(self) -> str:
        """Returns a link to the page that works once, for a minute."""
        now = time.monotonic()
        self._links = {code: until for code, until in self._links.items() if until > now}
        code = os.urandom(24).hex()
        self._links[code] = now + login_file.LIFE
        return f"{self.address.url}/login?code={code}"

    def let_in(self, code: str) -> bool:
        """Tells whether a link's code may be used, and uses it up."""
        until = self._links.pop(code, 0.0)
        if until:
            login_file.used(code)
        return until > time.monotonic()

    def remember(self, key: str, where: Where) -> None:
        """Notes which store a session is in that calls name by its harness's name alone."""
        self.sessions.pop(key, None)
        self.sessions[key] = where
        while len(self.sessions) > _MOST_NAMES:
            self.sessions.pop(next(iter(self.sessions)), None)  # the one named longest ago

    def named(self, name: str) -> str | None:
        """Returns the id or the path of the memory that is called so, None where there is none."""
        if head.is_id(name):
            return name if os.path.isdir(os.path.join(os.path.dirname(registry.index_path()), name)) else None
        if os.path.isabs(name):
            return self._of_path(name)
        until, known = self._names.get(name, (0.0, ""))
        if until > time.monotonic():
            return known
        found = registry.adopted(name)
        if found is None:
            try:
                found = registry.by_name(name).repo_id
            except NotFound:
                return None
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        self._names[name] = (time.monotonic() + _KNOWN_FOR, found)
        return found

    def _of_path(self, path: str) -> str | None:
        if "\0" in path or not os.path.isdir(path):
            return registry.adopted(path)
        try:
            locate(Where(path))
            return path
        except MemError:
            return registry.adopted(path)


def default_place(repo: str | None, workspace: str | None) -> Where | None:
    """Returns the memory that a service stands for, in words that mean the same from any directory; None for none.

    Raises NotFound for one that was named and is not there, InvalidInput for what no workspace can be called.
    """
    folder_of("", workspace)  # says whether it can be
    try:
        place = locate(Where(repo, workspace))
    except NotFound:
        if repo is not None:
            raise
        return None
    return Where(place.root or place.repo_id, workspace)
