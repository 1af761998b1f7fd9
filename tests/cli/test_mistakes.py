"""What a newcomer types by mistake: one clear line, and a hint at the line that was meant, which can be pasted."""

from __future__ import annotations

import shlex

import pytest

from memcli.__main__ import parse
from memcli.cli import aliases, mistakes, table
from tests.conftest import Terminal

# what was typed -> what was meant
MEANT = {
    "udno": "undo",
    "gte login": "get login",
    "note delete N-2Z": "forget N-2Z",
    "note rm N-2Z": "forget N-2Z",
    "note buy milk": "note add 'buy milk'",
    "note 'Deployed rc1 to staging'": "note add 'Deployed rc1 to staging'",
    "note list today": "note show today",
    "note edit": "note edit ID TEXT",
    "notes add x": "note add x",
    "new note x": "note add x",
    "hooks install": "setup claude",
    "mcp install cursor": "setup cursor --mcp",
    "mcp start": "mcp",
    "setup --dry-run": "setup claude --print",
    "setup codex --dryrun": "setup codex --print",
    "setup claude --uninstall": "setup claude --remove",
    "setup claude-code": "setup claude",
    "setup vscode": "setup copilot",
    "setup claude --global": "setup claude",
    "install gemini": "setup gemini",
    "uninstall claude": "setup claude --remove",
    "recent --jsn": "recent --json",
    "recent --limt 3": "recent --limit 3",
    "recent --limt=3": "recent --limit=3",
    "recent since yesterday": "recent --since yesterday",
    "search tokens -k 3": "search tokens --limit 3",
    "search --query tokens": "search tokens",
    "search tokens --format json": "search tokens --json",
    "search --tag auth": "search auth",
    "log --max 3": "log --limit 3",
    "log --oneline": "log",
    "get -q tokens": "get tokens",
    "query where tokens live": "get where tokens live",
    "add 'a fact' -m because": "add 'a fact' --summary because",
    "add -m 'a fact'": "add 'a fact'",
    "add x --body y --tag a": "add x --summary y --tags a",
    "commit -m 'a fact'": "add 'a fact'",
    "memory add x": "add x",
    "memory list": "recent",
    "show --id M-2Z": "show M-2Z",
    "delete M-2Z": "forget M-2Z",
    "delete note 3": "forget ID",
    "update M-2Z 'new text'": "update M-2Z --summary 'new text'",
    "supersede M-2Z 'new title'": "supersede M-2Z --title 'new title'",
    "update M-2Z --text new": "update M-2Z --summary new",
    "edit M-2Z --title new": "update M-2Z --title new",
    "link M-2Z M-3Z": "link M-2Z REL M-3Z",
    "undo 3": "undo",
    "threads list": "threads",
    "sessions list": "sessions",
    "session show S-2Z": "session S-2Z",
    "repos list": "repos",
    "repo list": "repos",
    "profile add editor vim": "profile set editor vim",
    "profile editor vim": "profile set editor vim",
    "profile set editor vim today": "profile set editor 'vim today'",
    "profile set editor": "profile set editor VALUE",
    "profile rm editor": "profile delete editor",
    "profile unset editor": "profile delete editor",
    "profile show": "profile list",
    "rule 'git push'": "rule add 'git push'",
    "rule delete R-2Z": "rule rm R-2Z",
    "config budget.total": "config get budget.total",
    "config budget.total=500": "config set budget.total 500",
    "config --list": "config list",
    "sync on": "sync enable",
    "sync --push": "sync push",
    "pull": "sync pull",
    "queue list": "queue status",
    "queue clear": "queue purge",
    "worker run --daemon": "worker start",
    "server start": "serve start",
    "export -o notes.jsonl": "export notes.jsonl",
    "import --from claude-code": "import --from claude",
    "backup restore old.db": "backup --restore old.db",
    "init --force": "init",
    "doctor --fix": "doctor --repair",
    "doctor repair": "doctor --repair",
    "repair": "doctor --repair",
    "gc --dryrun": "gc --dry-run",
    "gc --dry": "gc --dry-run",
    "undo --jso": "undo --json",
    "embed all": "embed",
    "reindex": "ingest",
    "status -s": "status --short",
    "state list": "state history",
    "blame README.md": "why README.md",
    "man": "--man",
    "--versoin": "--version",
    "-V": "--version",
}
# What no line does as it was meant -> the way to it.
LEADS = {
    "uninstall": "mem setup --remove --all takes out what setup wrote; then sh install.sh --uninstall, or as it was installed",
    "upgrade": "install the new version in the same way; the memory stays, and is brought up to date",
    "login": "there are no accounts; connect an agent with: mem setup HARNESS",
    "tag M-2Z a": "give a memory its tags with: mem update ID --tags a,b",
    "thread create auth": "a thread begins with its first memory: mem add TITLE --thread NAME",
    "state set x": "use mem checkpoint --reason TEXT --state-json JSON",
    "setup": "name what to connect: mem setup claude|codex|gemini|copilot|cursor|opencode|openclaw",
    "search tokens --budget 300": "--budget is an option of mem get, mem explain, mem eval; see mem search --help",
    "get tokens --top 3": "--limit is an option of mem search, mem recent, mem thread; see mem get --help",
    "redo": "run the command again; see mem log",
    "undo M-2Z": "mem edit ID corrects one memory, mem forget ID hides it, mem restore ID shows it",
    "use --unset": "mem use ID chooses another one; it counts outside of repositories only",
    "repos remove a": "delete that; mem repos names the ids",
    "recent --limt": "did you mean --limit? See mem recent --help",
    "get --semantc": "did you mean --semantic? See mem get --help",
    "completion powershell": "for another shell, mem complete -- WORDS prints what may follow",
}
NOT_FOUND = {  # a thread or a file may be called so
    "thread list": "threads",
    "session list": "sessions",
    "config set budget.total=500": "config set budget.total 500",
    "init claude": "init --claude",
    "forget last": "forget ID",
    "ingest remove docs": "ingest --remove docs",
}


@pytest.mark.parametrize("typed", MEANT)
def test_a_mistaken_line_is_answered_with_the_line_that_was_meant(terminal: Terminal, typed: str) -> None:
    refused = terminal.mem(*shlex.split(typed), fails=2)
    error, hint = refused.err.splitlines()

    assert refused.out == ""
    assert error.startswith("Error: ")
    assert hint == f"Hint: did you mean: mem {MEANT[typed]}"


def mistyped(flag: str) -> set[str]:
    """Returns a flag cut off, and with a letter left out, doubled or swapped with the next."""
    name, middle = flag[2:], len(flag) // 2
    swapped = name[:1] + name[2:3] + name[1:2] + name[3:]
    return {f"--{word}" for word in (name[:-1], name[: middle - 2] + name[middle - 1 :], name[:2] + name[1:], swapped)}


@pytest.mark.parametrize("name", table.COMMANDS)
def test_a_mistyped_option_is_answered_with_the_nearest_of_its_command(name: str) -> None:
    every = {flag for command in table.COMMANDS.values() for flag in (*command[4], *command[5])}
    flags = {*table.COMMANDS[name][4], *table.COMMANDS[name][5]}
    words = {(flag, word) for flag in flags for word in mistyped(flag) - every if len(flag) > 6}
    misled = {(flag, word) for flag, word in words if flag not in mistakes.meant([name, word], parse)}
    assert misled == set()


@pytest.mark.parametrize("line", [*MEANT.values(), *NOT_FOUND.values()])
def test_a_line_that_is_offered_is_one_that_mem_takes(line: str) -> None:
    name, *words = shlex.split(line)
    if name in ("--man", "--version"):
        return

    assert parse(words, table.COMMANDS[name], table.COMMON) is not None


@pytest.mark.parametrize("typed", LEADS)
def test_where_no_line_does_it_the_hint_names_the_way(terminal: Terminal, typed: str) -> None:
    assert " ".join(terminal.mem(*shlex.split(typed), fails=2).err.splitlines()[1:]).endswith(LEADS[typed])


@pytest.mark.parametrize("typed", NOT_FOUND)
def test_a_word_that_could_be_a_name_is_not_found_with_the_same_hint(terminal: Terminal, typed: str) -> None:
    terminal.add("Session tokens live in Postgres")
    assert terminal.mem(*shlex.split(typed), fails=3).err.endswith(f"Hint: did you mean: mem {NOT_FOUND[typed]}\n")


@pytest.mark.parametrize(
    "line", ["log", "recent", "search tokens", "sessions", "thread auth", "chunks", "pick tokens", "state history"]
)
def test_the_number_of_results_is_limited_by_one_letter_too(line: str) -> None:
    name, *words = shlex.split(line)
    short, long = [parse([*words, flag, "3"], table.COMMANDS[name], table.COMMON) for flag in ("-n", "--limit")]
    assert short == long is not None


def test_a_note_is_removed_by_the_line_that_is_offered(terminal: Terminal) -> None:
    note = terminal.mem("note", "add", "buy milk", "--json").json["id"]
    hint = terminal.mem("note", "delete", note, fails=2).err.splitlines()[1]

    terminal.mem(*shlex.split(hint.removeprefix("Hint: did you mean: mem ")))
    assert "milk" not in terminal.mem("note").out


@pytest.mark.parametrize("word", ["list", "create", "restore"])
def test_no_copy_is_made_in_a_file_named_like_an_action(terminal: Terminal, word: str) -> None:
    terminal.add("Session tokens live in Postgres")

    assert f"backup has no action '{word}'" in terminal.mem("backup", word, fails=2).err
    assert not (terminal.folder / word).exists()
    terminal.mem("backup", f"./{word}")


def test_a_hook_without_an_event_says_what_connects_an_agent_and_vetoes_nothing(terminal: Terminal) -> None:
    missing = terminal.mem("hook", stdin="{}")
    assert missing.err == "mem hook: no event is given; to connect an agent: mem setup; see mem hook --help\n"
    assert "no event 'install'; to connect an agent: mem setup" in terminal.mem("hook", "install", stdin="{}").err


@pytest.mark.parametrize("typed", ["show M-2Z", "get x --bogus", "get x --budget 0", "xyzzy", "add x --summary y --kind"])
def test_a_line_in_which_nothing_is_plainly_meant_is_not_guessed_at(terminal: Terminal, typed: str) -> None:
    code = 3 if typed.startswith("show") else 2
    assert "did you mean: mem" not in terminal.mem(*shlex.split(typed), fails=code).err


def test_a_long_line_and_one_with_control_characters_are_not_repeated(terminal: Terminal) -> None:
    for text in ("x " * 100, "red \x1b[31m"):
        assert text not in terminal.mem("note", text, fails=2).err


def test_every_word_of_another_name_leads_to_what_there_is() -> None:
    flags = {name: {*command[4], *command[5], ""} for name, command in table.COMMANDS.items()}

    assert aliases.SYNONYMS.keys() <= table.COMMANDS.keys()
    assert {word for words in aliases.SYNONYMS.values() for word in words.split()} & table.COMMANDS.keys() == set()
    for name, others in aliases.OPTIONS.items():
        if name:
            assert set(others.values()) <= flags[name], name
            assert others.keys() & flags[name] == set(), name


def test_what_cannot_be_erased_keeps_the_hint_that_says_so(terminal: Terminal) -> None:
    assert "Hint: forget the selection first" in terminal.mem("forget", "--erase", "--since", "3d", fails=2).err
