"""pick: memories as lines for a picker, or chosen with fzf."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common, answer
from memcli.errors import MemError
from memcli.fields import Filtered
from memcli.operations.lists import RecentRequest
from memcli.operations.recall import SearchRequest
from memcli.text.terminal import oneline

_PICKERS = ("fzf", "sk")
_MOST = 1_000
_CANCELLED = (1, 130)  # exit codes of a picker: nothing matches, nothing was chosen


class PickOptions(Filtered):
    """Which memories, and whether only to list them."""

    query: str | None = fields.text("Words that the memories match; all by default.", metavar="QUERY")
    list: bool = fields.flag("Print ID, a tab and the title of each, for any picker.", default=False)
    limit: int = fields.number("The maximum number of memories.", default=_MOST, minimum=1, maximum=_MOST, flag=fields.LIMIT_FLAG)


def pick(request: PickOptions, common: Common) -> int:
    """Prints the ids of the memories that a person chooses. Returns 130 if they choose none."""
    rows = _rows(request, common)
    if common.json:
        output.data([{"id": name, "title": title} for name, title in rows])
    elif request.list:
        output.show("\n".join([f"{name}\t{title}" for name, title in rows]))
    else:
        chosen = _chosen(rows, common)
        output.show("\n".join(chosen))
        return 0 if chosen else 130
    return 0


def _rows(request: PickOptions, common: Common) -> list[tuple[str, str]]:
    """Returns the ids and titles of memories: the best matches first, or the newest."""
    values = {name: getattr(request, name) for name in (*Filtered.FIELDS, "limit")}
    if request.query:
        hits = answer(common, "search", SearchRequest(query=request.query, **values)).answer()
        return [(hit.id, oneline(hit.title)) for hit in hits if hit.id.startswith("M-")]
    newest = answer(common, "recent", RecentRequest(**values)).memories
    return [(it.id, oneline(it.title)) for it in newest if it.id.startswith("M-")]


def _chosen(rows: list[tuple[str, str]], common: Common) -> list[str]:
    """Returns the ids that a person chooses in a picker. Raises MemError without a picker or a terminal."""
    picker = next(filter(None, map(shutil.which, _PICKERS)), None)
    if picker is None:
        raise MemError(
            "neither fzf nor sk is installed", "install fzf, or use another picker: mem pick --list | PICKER", "no_picker"
        )
    if not output.is_terminal(2):
        raise MemError("there is no terminal to choose at", "list the memories with mem pick --list", "no_terminal")
    lines = "".join([f"{name}\t{title}\n" for name, title in rows])
    words = [picker, "--multi", "--delimiter=\t", "--with-nth=2..", f"--preview={_preview(common)}", "--preview-window=down"]
    done = subprocess.run(words, input=lines, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode not in (0, *_CANCELLED):
        raise MemError(f"{picker} ended with {done.returncode}", "its reason is above", "picker_failed")
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


def _preview(common: Common) -> str:
    """Returns the command that shows the memory under the cursor."""
    where = ["--user"] * common.user
    for name, value in (("--repo", common.repo), ("--workspace", common.workspace)):
        where += [name, value] if value else []
    return f"{shlex.join([sys.executable, '-P', '-m', 'memcli', 'show', *where])} {{1}}"
