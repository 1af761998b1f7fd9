#!/usr/bin/env python3
"""Makes a store of every schema that came before the current one: `old_stores.py DIR` writes schema-N.db and schema-N.tokens.

The rows are written by the product and copied into a file that has only the first N migrations, as an older release would have
left it. A .tokens file holds one word a line that exactly one memory has.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import apsw

from memcli import store
from memcli.memory import entries
from memcli.project import Where, open_for_writing

ROOT = Path(__file__).resolve().parent.parent
MIGRATIONS = sorted((ROOT / "memcli/store/migrations").glob("*.sql"))
TABLES = (
    ("meta", 1),
    ("op", 1),
    ("thread", 1),
    ("memory", 1),
    ("memory_link", 1),
    ("state", 2),
    ("session", 9),
    ("prompt", 9),
    ("job", 9),
    ("profile", 10),
    ("note", 10),
    ("passage", 28),
)  # and since which schema; of passages: since when all that has some has them from the start


def older(path: Path, number: int, to: Path) -> None:
    """Copies the rows of the store at `path` into a new file `to` of schema `number`."""
    connection = apsw.Connection(str(to))
    connection.execute(f"PRAGMA application_id = {store.APPLICATION_ID}; PRAGMA journal_mode = WAL").fetchall()
    for script in [script_path for script_path in MIGRATIONS if int(script_path.name[:4]) <= number]:
        connection.execute(script.read_text())
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("ATTACH ? AS new", (str(path),))
    for table in [name for name, since in TABLES if since <= number]:
        columns, kept = [
            [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?, ?)", (table, schema))]
            for schema in ("main", "new")
        ]
        values = [name if name in kept else f"'' AS {name}" for name in columns]
        connection.execute(f"INSERT INTO main.{table}({', '.join(columns)}) SELECT {', '.join(values)} FROM new.{table}")
    for index in ("memory_fts", *(["passage_fts"] if number >= 28 else [])):
        connection.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")
    connection.close()


def main(folder: Path) -> int:
    """Writes the stores into `folder`. Returns 0."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["MEMPACK_DATA_DIR"] = os.environ["MEMPACK_CONFIG_DIR"] = scratch
        project = open_for_writing(Where(user=True))
        words = [f"tok{number:016x}" for number in range(40)]
        for word in words:
            entries.add(project, entries.NewMemory(word, f"old row {word}", "old"), "cli")
        project.close()
        for number in range(1, store.LATEST):
            to = folder / f"schema-{number}.db"
            to.unlink(missing_ok=True)
            older(Path(project.folder) / "memory.db", number, to)
            (folder / f"schema-{number}.tokens").write_text("\n".join(words))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
