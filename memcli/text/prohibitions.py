"""Does a command or an edit go against what somebody asked for good? `Never push without asking` speaks of `git push`.

Only what is forbidden in so many words counts: what stands behind `never`, `don't`, `avoid`, `instead of`, `not`. It must name
the program, its option, what git does, or the file. Whoever is reminded once too often stops reading.
"""

from __future__ import annotations

from memcli.text import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKERS = tuple(
    [
        tuple(marker.split())
        for marker in (
            *(
                "never",
                "don't",
                "don’t",
                "do not",
                "dont",
                "must not",
                "mustn't",
                "should not",
                "shouldn't",
                "avoid",
                "instead of",
            ),
            *("rather than", "not", "no", "without", "stop"),
        )
    ]
)
_ENDS = frozenset("instead unless until without before after but because so use if when".split())
_STOPS = ".;:!?,()–—"
# What git and its like do, by words that people use for nothing else that an agent does.
_DEEDS = frozenset("push commit merge rebase amend reset stash tag deploy publish migrate release force-push".split())
# Programs whose name is a word of every day: they must be called as a command.
_ORDINARY = frozenset(
    "make test find time watch cat less more sort head tail go who which at echo read just open start kill node".split()
)
_CHANGES = frozenset("edit touch modify change alter write rewrite delete remove update overwrite".split())
_TRUNKS = ("main", "master", "trunk")
_STRIPPED = "'\"`“”‘’*_"


def is_against_command(statement: str, line: str, branch: str) -> bool:
    """Tells whether a line of shell does what a statement forbids. `branch`: the one that is checked out."""
    clauses = forbidden(statement)
    return bool(clauses) and any(
        _speaks_of(clause, words, branch) for words in shell.split(line) if not shell.is_read_only(words) for clause in clauses
    )


def is_against_edit(statement: str, path: str) -> bool:
    """Tells whether a change of a file is what a statement forbids. `path`: from the top of the working tree."""
    return any(_names_file(clause, path.lower()) for clause in forbidden(statement))


def _names_file(clause: Sequence[str], path: str) -> bool:
    names, folders = [word.strip("/") for word in clause], path.split("/")
    is_named = any(("/" in name and f"{name}/" in f"{path}/") or ("." in name and name == folders[-1]) for name in names)
    return is_named or (not _CHANGES.isdisjoint(clause) and any(name in folders[:-1] for name in names))


def forbidden(statement: str) -> list[list[str]]:
    """Returns what a statement forbids, each as its words in lower case."""
    words = _marked(statement.lower())
    clauses: list[list[str]] = []
    number = 0
    while number < len(words):
        is_purpose = words[number] == "avoid" and words[max(0, number - 1)] == "to"  # why something is done
        length = 0 if is_purpose else _marker(words[number : number + 2])
        number += length or 1
        clause: list[str] = []
        while length and number < len(words) and not _is_end(words[number], clause):
            clause += [words[number]] if words[number] != "use" else []
            number += 1
        clauses.append(clause)
    return [clause for clause in clauses if clause]


def _marker(words: Sequence[str]) -> int:
    """Returns how many words the marker has that stands here, 0 for none."""
    return next((len(marker) for marker in _MARKERS if tuple(words[: len(marker)]) == marker), 0)


def _is_end(word: str, clause: Sequence[str]) -> bool:
    return word == "|" or (word in _ENDS and (bool(clause) or word != "use"))


def _marked(text: str) -> list[str]:
    """Returns the words of a text, and | where a clause ends."""
    words = []
    for token in text.split():
        word = token.strip(_STRIPPED + _STOPS)
        ends = token.rstrip(_STRIPPED)[-1:] in _STOPS and token.rstrip(_STRIPPED)[-1:] != ""
        words += [*([word] if word else []), *(["|"] if ends else [])]
    return words


def _speaks_of(clause: Sequence[str], words: Sequence[str], branch: str) -> bool:
    """Tells whether what is forbidden is what a simple command does."""
    names = [word.lower() for word in words]
    program, done = names[0], next((word for word in names[1:] if not word.startswith("-")), "")
    options = {word.partition("=")[0] for word in names if word.startswith("-")}
    if any(trunk in clause for trunk in _TRUNKS) and not any(trunk in (*names, branch) for trunk in _TRUNKS):
        return False
    flags = [word for word in clause if word.startswith("-") and word.strip("-")]
    if flags:
        return any(option in options for option in flags)
    if "force" in clause or "force-push" in clause or "force-pushing" in clause:
        return bool({"--force", "-f", "--force-with-lease"} & options) and program == "git"
    if {"amend", "amending"} & set(clause):
        return "--amend" in options
    if program == "git":
        return done in _DEEDS and bool({done, f"{done}ing", f"{done}ting", f"{done[:-1]}ing"} & set(clause))
    base = shell.program(words).split()
    is_named = program in clause and program not in _ORDINARY
    if is_named:
        subcommands = [word for word in clause if word in shell.SUBCOMMANDS]
        return not subcommands or done in subcommands or any(word in subcommands for word in base[1:])
    return done in _DEEDS and done in clause
