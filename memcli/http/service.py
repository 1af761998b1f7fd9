"""The state of one service: its stores, its streams, its workers, the links to its page."""

from __future__ import annotations

import time

from memcli.http.feed import Feeds
from memcli.http.stores import Stores
from memcli.http.visitors import Visitors
from memcli.http.workers import Workers
from memcli.project import Where
from memcli.records import Record

ACTOR = "http"
MAX_CALLS = 12  # calls that work with stores at the same time: some wait for a disk or a lock while others compute


class Address(Record):
    """Where a service listens: a port of this machine, or a socket in the file system."""

    host: str
    port: int | None
    socket: str | None = None

    @property
    def url(self) -> str:
        """The address as clients write it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}" if self.port is not None else "http://localhost"


class Service:
    """A running service. `where`: the memory of a call that names none. `heartbeat`: in seconds.

    `takes_clients`: whether the routes of other memories' clients need no token.
    """

    def __init__(
        self, where: Where | None, token: str, address: Address, heartbeat: float = 15.0, takes_clients: bool = False
    ) -> None:
        self.where = where
        self.token = token
        self.address = address
        self.heartbeat = heartbeat
        self.takes_clients = takes_clients
        self.started = time.monotonic()
        self.stores = Stores()
        self.feeds = Feeds(self.stores)
        self.workers = Workers()
        self.visitors = Visitors()

    def link(self) -> str:
        """Returns a link that opens the page once, within a minute. Browsers send its fragment, the code, to nobody."""
        return f"{self.address.url}/#login={self.visitors.new_code()}"
