"""Imported where servers are forked: makes the routes of the service once, which takes each of them a tenth of a second."""

from __future__ import annotations

from memcli.http import app

_made = app.application()
app.openapi(_made)  # asks each route, which makes it
app.application = lambda: _made
