#!/usr/bin/env python3
"""Writes what is generated: table.py, everyday.txt, token counts, rules for secrets and orders, docs/cli.md, routes, plugins."""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path
from typing import Any

import apsw

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memcli.cli import help as help_pages
from memcli.cli import hook_help
from memcli.cli.app import COMMANDS, UNLISTED, app, command_line, reference
from memcli.cli.app.reference import default_of
from memcli.cli.invoke import Common
from scripts._architecture_doc import svg as architecture_svg
from scripts._architecture_doc import with_modules
from scripts._everyday import everyday_text
from scripts._harness_doc import with_events, with_harnesses
from scripts._http_doc import with_routes
from scripts._plugins import files as plugin_files
from scripts._secret_rules import patterns_text, with_formats, with_keywords
from scripts._signs import signs_text
from scripts.mcp_price import with_prices

COMMON = Common._fields  # type: ignore[attr-defined]
ROOT = Path(__file__).resolve().parent.parent
ROWS = {command.name: command.row() for group in COMMANDS.values() for command in group}
SCHEMA_HEAD = "-- What the migrations lead to, in one step. Made by scripts/docs.\n"
TABLE_HEAD = '''"""The strict parser's table: every command, its verb, its options. Made by scripts/docs from the Typer app.

command -> (module below memcli.cli, function, its request ("" that of the operation, None where the function
            words the operation's result), positionals as (field, required, takes many,
            default), options as flag -> (field, kind, default), which of the COMMON options it takes)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Option = tuple[str, str, Any]
    Positional = tuple[str, bool, bool, Any]
    Command = tuple[str, str, str | None, tuple[Positional, ...], dict[str, Option], tuple[str, ...]]

{common}
COMMANDS: dict[str, Command] = {
'''


PAGES_HEAD = '''"""The pages of help: what each command takes and does. Made by scripts/docs from the Typer app.

group -> its commands; command -> (how it is called, what it does, arguments and options as (label, meaning))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Rows = tuple[tuple[str, str], ...]

{groups}
PAGES: dict[str, tuple[str, str, Rows, Rows]] = {
'''


def commands() -> dict[str, Any]:
    """Returns the declared commands by name, as Typer built them."""
    return dict(command_line().commands)


def kind_of(option: Any) -> str:
    """Returns how the strict parser reads an option: flag, int, many or text."""
    if option.is_flag:
        return "flag"
    if option.multiple:
        return "many"
    return "int" if option.type.name in ("int", "integer") else "text"


def option_rows(param: Any) -> list[tuple[str, tuple[str, str, Any]]]:
    """Returns one option of the table under each of its flags: the flag, and (field, kind, default)."""
    return [(flag, (param.name, kind_of(param), default_of(param))) for flag in param.opts]


def row(name: str, command: Any) -> tuple[Any, ...]:
    """Returns one command's row of the table."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    return (
        *ROWS[name],
        tuple((p.name, p.required, p.nargs == -1, default_of(p)) for p in arguments),
        dict(row for p in options if p.name not in COMMON for row in option_rows(p)),
        tuple(p.opts[0] for p in options if p.name in COMMON),
    )


def table_text() -> str:
    """Returns the source of memcli/cli/table.py."""
    shared = dict(row for p in commands()["get"].params if p.name in COMMON for row in option_rows(p))
    rows = "".join(f"    {name!r}: {row(name, command)!r},\n".replace("Ellipsis", "...") for name, command in commands().items())
    return TABLE_HEAD.replace("{common}", f"COMMON: dict[str, Option] = {shared!r}") + rows + "}\n"


def pages_text() -> str:
    """Returns the source of memcli/cli/pages.py."""
    groups = {
        group: [command.name for command in declared if command.name not in UNLISTED] + ["hook"] * (group == "Integrations")
        for group, declared in COMMANDS.items()
    }
    rows = "".join(f"    {name!r}: {page(command)!r},\n" for name, command in commands().items())
    return PAGES_HEAD.replace("{groups}", f"GROUPS: dict[str, list[str]] = {groups!r}") + rows + "}\n"


def page(command: Any) -> tuple[Any, ...]:
    """Returns one command's page: how it is called, what it does, its arguments, its options."""
    context = command.make_context("", [], resilient_parsing=True)
    rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for param in command.get_params(context):
        if row := param.get_help_record(context):
            rows[param.param_type_name].append(tuple(" ".join(cell.split()) for cell in row))
    rows["option"][-1] = ("-h, --help", "Show this help and exit.")
    usage = " ".join(["[OPTIONS]", *[param.metavar for param in command.params if param.param_type_name == "argument"]])
    return (usage, " ".join(command.help.split()), tuple(rows["argument"]), tuple(rows["option"]))


def cli_text() -> str:
    """Returns docs/cli.md."""
    lines = [
        "# Command line",
        "",
        "Made by `scripts/docs` from the declarations; a test compares.",
        "",
        "```",
        help_pages.overview(),
        "```",
        "",
    ]
    lines += [*reference.INTRODUCTION.split("\n"), ""]
    for title, entries in reference.groups(app):
        lines += [f"## {title}", ""]
        for entry in entries:
            lines += _section(entry)
    lines += ["## Integrations: for agent harnesses", "", "### mem hook", "", "```", hook_help.text(), "```"]
    return "\n".join(lines).rstrip() + "\n"


def _section(entry: reference.CommandEntry) -> list[str]:
    lines = [f"### mem {entry.name}", "", entry.summary, "", "```", entry.usage, "```", ""]
    lines += ["| option | meaning | default |", "| --- | --- | --- |"]
    for row in entry.options:
        label, meaning, default = [cell.replace("|", "\\|") for cell in row]
        lines.append(f"| `{label}` | {meaning} | {default} |")
    return [*lines, ""]


def render_text() -> str:
    """Returns the source of memcli/recall/render.py with the token count of each template made anew."""
    from memcli.store.vocabulary import ranks
    from memcli.text import tokens

    source = (ROOT / "memcli/recall/render.py").read_text(encoding="utf-8")
    lines = source.encode().splitlines(keepends=True)
    pairs = [node.elts for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Tuple) and len(node.elts) == 2]
    for text, count in pairs:
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and isinstance(count, ast.Constant):
            number = str(sum(tokens.count(piece, ranks()) for piece in text.value.split("{}"))).encode()
            line = lines[count.lineno - 1]
            lines[count.lineno - 1] = line[: count.col_offset] + number + line[count.end_col_offset :]
    return b"".join(lines).decode()


def numbered_store() -> str:
    """Returns the source of memcli/store/__init__.py with the number of the newest migration."""
    newest = max(int(path.name[:4]) for path in (ROOT / "memcli/store/migrations").glob("*.sql"))
    source = (ROOT / "memcli/store/__init__.py").read_text(encoding="utf-8")
    return re.sub(r"^LATEST = \d+", f"LATEST = {newest}", source, count=1, flags=re.MULTILINE)


def schema_text() -> str:
    """Returns schema.sql: what all migrations lead to, in the order in which it came."""
    db = apsw.Connection(":memory:")
    for path in sorted((ROOT / "memcli/store/migrations").glob("*.sql")):
        db.execute(path.read_text(encoding="utf-8")).fetchall()
    made = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid"
    tables = db.execute(made).fetchall()
    indexes = [name for name, sql in tables if sql.startswith("CREATE VIRTUAL")]
    own = tuple(f"{name}_" for name in indexes)  # tables that full-text search makes itself
    created = [f"{sql};\n" for name, sql in tables if not name.startswith(own)]
    settings = [
        f"INSERT INTO {name}({name}, rank) VALUES ('{key}', {value});\n"
        for name in indexes
        for key, value in db.execute(f"SELECT k, v FROM {name}_config WHERE k <> 'version'").fetchall()
    ]
    return SCHEMA_HEAD + "".join([*created, *settings])


def outputs() -> dict[Path, str]:
    """Returns every generated file with what it must hold."""
    screening = ROOT / "memcli/screening"
    return {
        ROOT / "memcli/cli/table.py": table_text(),
        ROOT / "memcli/cli/pages.py": pages_text(),
        ROOT / "everyday.txt": everyday_text(),
        ROOT / "memcli/store/schema.sql": schema_text(),
        ROOT / "memcli/recall/render.py": render_text(),
        screening / "patterns.py": patterns_text(),
        screening / "signs.py": signs_text(),
        screening / "first_look.py": with_keywords((screening / "first_look.py").read_text(encoding="utf-8")),
        ROOT / "docs/privacy.md": with_formats((ROOT / "docs/privacy.md").read_text(encoding="utf-8")),
        ROOT / "memcli/store/__init__.py": numbered_store(),
        ROOT / "docs/cli.md": cli_text(),
        ROOT / "docs/images/architecture.svg": architecture_svg(),
        ROOT / "docs/architecture.md": with_modules((ROOT / "docs/architecture.md").read_text(encoding="utf-8")),
        **{ROOT / name: text for name, text in plugin_files().items()},
        ROOT / "docs/http.md": with_routes((ROOT / "docs/http.md").read_text(encoding="utf-8")),
        ROOT / "docs/mcp.md": with_prices((ROOT / "docs/mcp.md").read_text(encoding="utf-8")),
        ROOT / "README.md": with_harnesses(with_prices((ROOT / "README.md").read_text(encoding="utf-8"))),
        ROOT / "CONTRIBUTING.md": with_harnesses((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")),
        ROOT / "docs/harnesses.md": with_harnesses((ROOT / "docs/harnesses.md").read_text(encoding="utf-8")),
        ROOT / "docs/capture.md": with_events((ROOT / "docs/capture.md").read_text(encoding="utf-8")),
    }


def write(path: Path, text: str) -> bool:
    """Writes a file that is out of date. Returns whether it was."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")
    return True


def main() -> int:
    """Writes what is out of date. Returns 0."""
    modules = {
        ROOT / "memcli/store/__init__.py": numbered_store(),
        ROOT / "memcli/store/schema.sql": schema_text(),
        ROOT / "memcli/cli/table.py": table_text(),
        ROOT / "memcli/cli/pages.py": pages_text(),
    }
    changed = [path for path, text in modules.items() if write(path, text)]
    if changed:  # this process has loaded the old ones, and what comes next runs them
        os.execv(sys.executable, [sys.executable, *sys.argv])
    for path, text in outputs().items():
        write(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
