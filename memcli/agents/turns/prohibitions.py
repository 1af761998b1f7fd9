"""Whether a command or an edit violates a standing instruction: `Never push without asking` covers `git push`.

Only what is forbidden explicitly counts: what follows `never`, `don't`, `avoid`, `instead of`, `not`, `hands off`,
or between `leave` and `alone`. It must name the program, its option, what git does, the file, or what the edit brings in. Whoever
is reminded once too often stops reading.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.text import runners, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Clause = list[str]  # what is forbidden, in lower case


def _by_first_word(phrases: Sequence[str]) -> dict[str, list[Clause]]:
    """Returns phrases as words, by their first word, with the longest of each first."""
    table: dict[str, list[Clause]] = {}
    for words in sorted([phrase.split() for phrase in phrases], key=len, reverse=True):
        table.setdefault(words[0], []).append(words)
    return table


_MARKERS = _by_first_word(
    (
        *("never", "don't", "don’t", "do not", "dont", "must not", "mustn't", "should not", "shouldn't", "avoid"),
        *("instead of", "rather than", "not", "no", "without", "stop", "nobody", "no one", "refrain from"),
    )
)
_HANDS_OFF = _by_first_word(  # markers behind which stands what is not to be touched
    (
        *("hands off", "hands off of", "keep out of", "stay out of", "keep away from", "stay away from", "stay clear of"),
        *("steer clear of", "finger weg von", "finger weg vom", "hände weg von", "hände weg vom", "ne touche pas à"),
    )
)
_ALONE = ("alone", "untouched", "unchanged", "as", "be", "ruhe", "tranquille", "paz")  # behind `leave`, and what is meant
_LEAVES = frozenset("leave leaving lass lasst laisse deja".split())
_OFF_LIMITS = _by_first_word(
    ("off limits", "off-limits", "taboo", "untouchable", "read-only", "frozen", "forbidden", "tabu", "sacred")
)
_DENIALS = ("not", "no", "never")
# In other languages the word that forbids may stand behind what it forbids.
_ANYWHERE = frozenset("nicht nie niemals kein keine keinen keinerlei keinem pas jamais nunca jamás ninguna ningún".split())
_ENDS = frozenset("instead unless until without before after but because so use if when ohne bevor sans avant sin antes".split())
_STOPS = ".;:!?,()–—"
# What git and its like do, by words that people use for nothing else that an agent does.
_DEEDS = frozenset("push commit merge rebase amend reset stash tag deploy publish migrate release force-push".split())
# Programs whose name is a word of every day: they must be called as a command.
_ORDINARY = frozenset(
    "make test find time watch cat less more sort head tail go who which at echo read just open start kill node".split()
)
_CHANGES = frozenset(
    """edit touch modify change alter write rewrite delete remove update overwrite edits touches modifies changes editing touching
    changing modifying reformat format fass fasse anfassen ändere ändern editiere editieren bearbeite lösche löschen touche
    modifie change édite toques modifiques cambies edites borres""".split()
)
_PACKAGES = frozenset(
    """dependency dependencies deps package packages library libraries libs crates gems abhängigkeit abhängigkeiten pakete
    bibliotheken dépendance dépendances dependencia dependencias paquetes""".split()
)
_TAKING_IN = frozenset(
    """add adds adding introduce introducing install installing pull bring new more additional further extra other neue neuen
    weiteren hinzufügen hinzu installiere installieren füge ajoute installe nouvelles añadas instales nuevas""".split()
)
_MOVES = frozenset("rm mv cp sed tee touch chmod truncate ln patch perl unlink rmdir".split())  # what changes files
_LOCKS = frozenset("package-lock.json pnpm-lock.yaml go.sum npm-shrinkwrap.json packages.lock.json".split())
_TRUNKS = ("main", "master", "trunk")
_STRIPPED = "'\"`“”‘’*_"
# What makes the name of a deed a noun.
_OF_DEEDS = frozenset(
    "message messages msg notes request requests notification notifications name names history log body".split()
)
_ARTICLES = frozenset("the a an in your our my of every each per this that der die das den im".split())
_DOES = frozenset("do make run perform create start".split())
# What everyday words mean in code.
_IN_CODE = {
    **dict.fromkeys(("float", "floats"), ("float(", ": float", "-> float", "parseFloat(", "float64", "f64", "f32")),
    **dict.fromkeys(("print", "prints", "print()"), ("print(", "println!(", "fmt.Println(")),
    **dict.fromkeys(("todo", "todos"), ("TODO",)),
    **dict.fromkeys(("unwrap", "unwraps"), (".unwrap()",)),
    **dict.fromkeys(("any",), (": any", "as any", "<any>")),
    "console.log": ("console.log(",),
    "eval": ("eval(",),
    "goto": ("goto ",),
}
_EVERYWHERE = frozenset("code repo repository project codebase".split())  # scopes that limit nothing
_SCOPES = frozenset("in for inside within on under outside für bei".split())


class CommandLine(Record):
    """What a shell command line changes. `commands`: its simple commands that do more than read; `paths`: files it may change."""

    commands: list[list[str]]
    paths: list[str]


def command_line(line: str) -> CommandLine:
    """Parses a shell command line, once for all statements to check it against."""
    commands = [words for words in shell.simple_commands(line) if not shell.is_read_only(words)]
    written = [word.lstrip("12&>") or after for words in shell.words_by_operator(line) for word, after in _redirections(words)]
    paths = [*written, *[path for words in commands for path in _changed(words)]]
    return CommandLine(commands, [path.lower().removeprefix("./") for path in paths])


def against_command(statement: str, line: CommandLine, branch: str) -> str:
    """Returns the part of a statement that forbids what a shell command does, or "". `branch`: the one checked out."""
    for clause in forbidden(statement):
        is_changed = not _CHANGES.isdisjoint(clause) and any(_names_file(clause, path) for path in line.paths)
        if is_changed or any(_speaks_of(clause, words, branch) for words in line.commands):
            return " ".join(clause)
    return ""


def against_edit(statement: str, path: str, added: str = "") -> str:
    """Returns the part of a statement that forbids changing a file, or "".

    `path`: relative to the working tree's root; `added`: the added text.
    """
    for clause in forbidden(statement):
        if _names_file(clause, path.lower()) or _is_brought_in(clause, path.lower(), added):
            return " ".join(clause)
    return ""


def _names_file(clause: Sequence[str], path: str) -> bool:
    names, folders = [word.strip("/") for word in clause], path.split("/")
    is_named = any(("/" in name and f"{name}/" in f"{path}/") or ("." in name and name == folders[-1]) for name in names)
    if is_named or _CHANGES.isdisjoint(clause):
        return is_named
    is_lock = folders[-1].endswith(".lock") or folders[-1] in _LOCKS
    speaks_of_locks = "lockfile" in names or "lockfiles" in names or "lock" in names
    return (is_lock and speaks_of_locks) or any(name in folders for name in names if name not in _CHANGES)


def _is_brought_in(clause: Sequence[str], path: str, added: str) -> bool:
    """Tells whether a change adds what is forbidden everywhere, or in the folder of its file."""
    scope = next((index for index, word in enumerate(clause) if word in _SCOPES), len(clause))
    limits = clause[scope + 1 :]
    if not added or (limits and not any(word in path.split("/") or word in _EVERYWHERE for word in limits)):
        return False
    return any(form in added for word in clause[:scope] for form in _IN_CODE.get(word, ()))


def forbidden(statement: str) -> list[Clause]:
    """Returns what a statement forbids, each as words in lower case."""
    clauses: list[Clause] = []
    piece: list[str] = []
    for word in [*_marked(statement.lower()), "|"]:
        if word == "|":
            clauses += _of_piece(piece)
            piece = []
        else:
            piece.append(word)
    return [clause for clause in clauses if clause]


def _of_piece(words: list[str]) -> list[Clause]:
    """Returns what the words between two punctuation marks forbid."""
    for start, word in enumerate(words):
        if length := _length_at(words, start, _HANDS_OFF):
            return [["touch", *_until_end(words[start + length :])]]
        end = next((at for at in range(start + 2, len(words)) if words[at] in _ALONE), 0) if word in _LEAVES else 0
        if end:
            return [["touch", *words[start + 1 : end]]]
    is_off_limits = any(_length_at(words, start, _OFF_LIMITS) for start in range(len(words)))
    if is_off_limits and not any(word in words for word in _DENIALS):
        return [["touch", *words]]
    if not _ANYWHERE.isdisjoint(words):
        return [_until_end([word for word in words if word not in _ANYWHERE])]
    clauses, number = [], 0
    while number < len(words):
        is_purpose = words[number] == "avoid" and words[max(0, number - 1)] == "to"  # why something is done
        length = 0 if is_purpose else _length_at(words, number, _MARKERS)
        number += length or 1
        clause = _until_end(words[number:]) if length else []
        number += len(clause)
        clauses.append([word for word in clause if word != "use"])
    return clauses


def _until_end(words: Sequence[str]) -> Clause:
    """Returns the words up to one that begins something else."""
    clause: Clause = []
    for word in words:
        if word in _ENDS and (clause or word != "use"):
            break
        clause.append(word)
    return clause


def _length_at(words: Sequence[str], start: int, phrases: dict[str, list[Clause]]) -> int:
    """Returns the number of words of the longest of some phrases at a position, or 0."""
    for phrase in phrases.get(words[start], ()):
        if words[start : start + len(phrase)] == phrase:
            return len(phrase)
    return 0


def _marked(text: str) -> list[str]:
    """Returns the words of a text, with | at the end of each clause."""
    words = []
    for token in text.split():
        word = token.strip(_STRIPPED + _STOPS)
        ends = token.rstrip(_STRIPPED)[-1:] in _STOPS and token.rstrip(_STRIPPED)[-1:] != ""
        words += [*([word] if word else []), *(["|"] if ends else [])]
    return words


def _redirections(words: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the redirections of a simple command to files, each with the following word."""
    return [
        (word, after) for word, after in zip(words, [*words[1:], ""]) if word.lstrip("12&").startswith(">") and "&" not in word
    ]


def _changed(words: Sequence[str]) -> list[str]:
    """Returns the paths that a simple command changes, or may change."""
    if words[0] == "git" and words[1:2] in (["rm"], ["mv"]):
        words = words[1:]
    paths = [word for word in words[1:] if not word.startswith("-")]
    return (paths[-1:] if words[0] in ("cp", "ln") else paths) if words[0] in _MOVES else []


def _speaks_of(clause: Sequence[str], words: Sequence[str], branch: str) -> bool:
    """Tells whether a simple command does what is forbidden."""
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
    clause = _without_nouns(clause)
    if program == "git":
        forms = {done, f"{done}e", f"{done}en", f"{done}t", f"{done}es", f"{done}ing", f"{done}ting", f"{done[:-1]}ing"}
        return done in _DEEDS and bool(forms & set(clause))
    if not _PACKAGES.isdisjoint(clause) and not _TAKING_IN.isdisjoint(clause):
        return _takes_in(clause, words)
    base = shell.program(words).split()
    is_named = program in clause and program not in _ORDINARY
    if is_named:
        subcommands = [word for word in clause if word in shell.SUBCOMMANDS]
        return not subcommands or done in subcommands or any(word in subcommands for word in base[1:])
    return done in _DEEDS and done in clause


def _without_nouns(clause: Sequence[str]) -> Clause:
    """Returns a clause without action words that are used as nouns: `the commit message`, `in a release`."""
    is_done = clause[0] in _DOES
    contexts = zip(["", *clause], clause, [*clause[1:], ""])
    return [word for before, word, after in contexts if not (after in _OF_DEEDS or (before in _ARTICLES and not is_done))]


def _takes_in(clause: Sequence[str], words: Sequence[str]) -> bool:
    """Tells whether a simple command installs a package of the forbidden kind."""
    is_global = not {"-g", "--global"}.isdisjoint(words)
    managers = [word for word in clause if runners.is_package_manager(word)]
    is_meant = not managers or runners.normal(words)[0] in managers
    return is_meant and is_global == ("globally" in clause or "global" in clause) and bool(runners.added_packages(words))
