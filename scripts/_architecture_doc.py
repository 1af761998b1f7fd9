"""What docs/architecture.md shows of the code: a drawing of which room imports which, tables of the modules of large rooms."""

from __future__ import annotations

import ast
import re
from html import escape
from pathlib import Path

from scripts.rooms import imported, modules, room_of

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- modules of {room}: made by scripts/generate.py -->", "<!-- end of modules -->"
LISTED = ("agents/capture", "text")  # rooms with more modules than a cell of the table of rooms holds
CELL, LEFT, TOP = 18, 150, 96  # pixels
BANDS = ("#eef3fb", "#eef8f1", "#fbf6e9", "#f8eeee", "#f1eef8")
STYLE = "text{font:12px sans-serif;fill:#222}.floor{font-weight:bold;fill:#667}.dot{fill:#345}.line{stroke:#ccd;stroke-width:1}"


def with_modules(text: str) -> str:
    """Returns docs/architecture.md with the tables of modules made anew."""
    for room in LISTED:
        head, mark, remainder = text.partition(BEGIN.format(room=room))
        rows = [f"| `{path.stem}` | {_purpose(path)} |" for path in sorted((ROOT / "memcli" / room).glob("[!_]*.py"))]
        table = "\n".join(["| module | what it does |", "| --- | --- |", *rows])
        text = f"{head}{mark}\n{table}\n{END}{remainder.partition(END)[2]}"
    return text


def _purpose(path: Path) -> str:
    """Returns the first paragraph of a module's docstring as one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split()).replace("|", "\\|")


def floors() -> dict[str, list[str]]:
    """Returns each floor with its rooms, top down, as the table in docs/architecture.md has them."""
    table: dict[str, list[str]] = {}
    floor = ""
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").split("\n"):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and (floor or cells[0] == "doors"):
            floor = cells[0] or floor
            table.setdefault(floor, []).extend(re.findall(r"`(\w+)(?:/|\.py)`", cells[1]))
        elif floor:
            break
    return table


def imports(rooms: list[str]) -> set[tuple[str, str]]:
    """Returns (room that imports, room that is imported). Raises ValueError for a room that the table does not have."""
    trees = modules(ROOT)
    pairs = {(room_of(name), room_of(target)) for name, tree in trees.items() for target in imported(tree, name, trees)}
    pairs = {(importer, target) for importer, target in pairs if importer and target and importer != target}
    if missing := {room for pair in pairs for room in pair} - set(rooms):
        raise ValueError(f"docs/architecture.md has no room {', '.join(sorted(missing))}")
    return pairs


def svg() -> str:
    """Returns the drawing: a row and a column a room, a dot where the room on the left imports the room above."""
    table = floors()
    rooms = [room for group in table.values() for room in group]
    side = CELL * len(rooms)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + side + 90} {TOP + side + 10}" role="img">',
        "<title>Which room imports which: imports point down, which is right of the diagonal</title>",
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    start = 0
    for (floor, group), colour in zip(table.items(), BANDS, strict=True):
        y, height = TOP + start * CELL, len(group) * CELL
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{side}" height="{height}" fill="{colour}"/>')
        lines.append(f'<text class="floor" x="{LEFT + side + 8}" y="{y + height / 2 + 4:g}">{escape(floor)}</text>')
        start += len(group)
    for index, room in enumerate(rooms):
        x, y = LEFT + index * CELL, TOP + index * CELL
        name = escape(room)
        lines.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>')
        lines.append(f'<text transform="translate({x + 13} {TOP - 6}) rotate(-60)">{name}</text>')
        lines.append(f'<path class="line" d="M{LEFT} {y}H{LEFT + side}M{x} {TOP}V{TOP + side}"/>')
        lines.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#ccd"/>')
    for importer, target in sorted(imports(rooms)):
        x, y = LEFT + rooms.index(target) * CELL + CELL / 2, TOP + rooms.index(importer) * CELL + CELL / 2
        lines.append(f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="4"><title>{importer} imports {target}</title></circle>')
    return "\n".join([*lines, "</svg>", ""])
