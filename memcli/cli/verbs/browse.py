"""browse: the memory in a terminal."""

from __future__ import annotations

import os
import sys

from memcli import browse as browser
from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common, caller
from memcli.errors import InvalidInput
from memcli.fields import Request


class BrowseOptions(Request):
    """What to begin with."""

    query: str = fields.text("What to search for at first.", max_length=4_000, metavar="QUERY")


def browse(request: BrowseOptions, common: Common) -> None:
    """Shows the memory until the person leaves."""
    if not (output.is_terminal() and sys.stdin.isatty()):
        raise InvalidInput("mem browse needs a terminal", "elsewhere use mem search, mem recent or mem show", "no_terminal")
    if common.no_color:
        os.environ["NO_COLOR"] = "1"
    browser.run(caller(common), request.query or "")
