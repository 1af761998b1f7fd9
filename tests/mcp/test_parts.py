"""A part of a memory or of an answer has an id of its own, and tools take it."""

from __future__ import annotations

import json

from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import call, refused, talk


def test_a_part_of_a_memory_is_answered_as_on_the_command_line(terminal: Terminal) -> None:
    sections = [f"## Part {n}\nThe export waits {n} seconds for its lock. {'It is patient. ' * 20}" for n in range(9)]
    name = terminal.add("How the export waits", "\n\n".join(sections))
    part, missing = f"{name}#2", f"{name}#77"
    shown, problem = terminal.mem("show", part, "--json").json["passage"], terminal.mem("show", missing, fails=3).err

    async def work(client: Client) -> None:
        values = {field: value for field, value in shown.items() if value not in (None, "", [])}
        assert json.loads(await call(client, "mempack_show", ids=[part])) == values
        code, message = await refused(client, "mempack_show", ids=[missing])
        assert code == "not_found"
        assert problem.partition("\n")[0].removeprefix("Error: ") in message

    talk(work, terminal)
