"""Here-documents in a shell command: text that is only written or read is not a command."""

from __future__ import annotations

import re

from memcli.text import shell

_SHELLS = frozenset("sh bash zsh dash ash ksh fish csh tcsh".split())
_DOCUMENT = re.compile(
    r"(?<![<\d(])<<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>[^\W\d]\w*)['\"]?(?P<rest>[^\n]*)\n(?P<text>.*?)^[ \t]*(?P=end)[ \t]*$",
    re.M | re.S,
)


def without_documents(line: str) -> str:
    """Returns a command line without the here-documents that no shell runs."""

    def replacement(match: re.Match[str]) -> str:
        before = line[: match.start()]
        is_quoted = before.count('"') % 2 or before.count("'") % 2
        return match[0] if is_quoted or _is_run(before, match) else match["rest"]

    return _DOCUMENT.sub(replacement, line)


def _is_run(before: str, document: re.Match[str]) -> bool:
    """Tells whether a here-document is passed to a shell, or a shell runs commands in it."""
    line = f"{before.rpartition(chr(10))[2]} {document['rest']}"
    programs = {word.rpartition("/")[2] for words in shell.words_by_operator(line.translate(shell.NESTED)) for word in words}
    return bool(programs & _SHELLS) or (not document["quote"] and ("$(" in document["text"] or "`" in document["text"]))
