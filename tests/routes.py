"""Imported where servers are forked: makes the routes of the service once, which takes each of them a tenth of a second."""

from __future__ import annotations

import gc

from memcli.http import app

_application = app.application()
for prefix in {router.prefix for router in app.ROUTERS}:
    request = {"type": "http", "method": "GET", "path": f"{prefix}/-", "root_path": "", "headers": []}
    for route in _application.routes:
        route.matches(request)  # makes all of a router
app.application = lambda: _application
gc.freeze()  # no server touches, and so copies, what all share
