"""The store: every SQL statement of the project, and the only room that knows SQLite's driver.

APSW asks for `collections.abc` when it is imported, to know what a Mapping is. CPython has that module loaded at every start,
under the name `_collections_abc`; only its public name comes from `collections`, which costs 1.4 ms, half of importing APSW.
So the names are lent while APSW is imported, and taken back: a later `import collections` finds the real thing.
"""

import _collections_abc
import sys

_LENT = ("collections", "collections.abc")
if "apsw" not in sys.modules and not any(name in sys.modules for name in _LENT):
    sys.modules.update(dict.fromkeys(_LENT, _collections_abc))
    try:
        import apsw  # noqa: F401
    finally:
        for _name in _LENT:
            del sys.modules[_name]
