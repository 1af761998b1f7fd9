"""Names that people type for commands, actions and options that are called differently here."""

from __future__ import annotations

# Other names that people type for a command.
SYNONYMS = {
    "get": "ask recall query tell context chat",
    "search": "find grep lookup",
    "recent": "list ls latest last",
    "show": "cat view open read info",
    "why": "blame annotate",
    "log": "history changes reflog",
    "add": "remember save store put create new write commit",
    "update": "change modify amend set",
    "supersede": "replace override",
    "forget": "rm remove delete del drop hide erase",
    "restore": "unforget undelete recover",
    "undo": "revert rollback",
    "checkpoint": "stash wip",
    "doctor": "check verify health fsck",
    "config": "settings configure options",
    "setup": "install connect hooks hook-install enable",
    "init": "start begin setup-repo",
    "ingest": "index reindex",
    "gc": "clean cleanup prune vacuum compact",
    "sync": "push pull fetch publish",
    "share": "publish-memory send",
    "serve": "server web page daemon",
    "browse": "tui ui interactive terminal",
    "export": "dump",
    "backup": "snapshot copy",
    "import": "load migrate ingest-memory",
    "sessions": "conversations",
    "repos": "repositories projects repo",
    "note": "notes journal diary",
    "profile": "preferences prefs facts",
    "rule": "rules guard",
    "completion": "completions autocomplete",
}
BY_WORD = {word: name for name, words in SYNONYMS.items() for word in words.split()}
_DELETE = tuple(SYNONYMS["forget"].split())
NOUNS = ("memory", "memories", "mem", "fact", "entry")  # of what `mem` is about, so that they may be left out
LIST = ("list", "ls", "all", "show", "view")

# The beginning of a line -> what it should be; the rest of the line stays.
STARTS: dict[str, str] = {
    **{f"note {word}": "forget" for word in _DELETE},
    **{f"{word} note": "forget" for word in _DELETE},
    **{f"{word} memory": "forget" for word in _DELETE},
    **{f"{word} rule": "rule rm" for word in _DELETE},
    **{f"{noun} {word}": f"{noun}s" for noun in ("thread", "session") for word in ("list", "ls", "all")},
    **{f"{noun} {word}": noun for noun in ("thread", "session") for word in ("show", "view", "get", "open")},
    **{f"{word} {verb}": "setup" for word in ("hook", "hooks", "mcp") for verb in ("install", "setup", "add")},
    **{f"mcp {word}": "mcp" for word in ("start", "run", "serve", "server")},
    **{f"repo {word}": "repos" for word in LIST},
    "new note": "note add",
    "sync on": "sync enable",
    "sync off": "sync disable",
    "sync now": "sync",
    "push": "sync push",
    "publish": "sync push",
    "pull": "sync pull",
    "fetch": "sync pull",
    "commit -m": "add",
    "ingest list": "chunks",
    "man": "--man",
    "repair": "doctor --repair",
    "fix": "doctor --repair",
    "rebuild": "doctor --repair",
    "undo last": "undo",
    "config edit": "config list",
    **{f"embed {word}": "embed" for word in ("all", "start", "run", "now")},
    "template list": "template",
    "worker run": "worker start",
    "forget-file": "ingest --remove",
}
UNINSTALL = "mem setup --remove --all takes out what setup wrote; then sh install.sh --uninstall, or as it was installed"
REMOVE = ("uninstall", "unsetup", "disconnect", "unhook")  # with the name of a harness
VALUES = {
    "claude-code": "claude",
    "claudecode": "claude",
    "gemini-cli": "gemini",
    "openai": "codex",
    "codex-cli": "codex",
    "vscode": "copilot",
    "github-copilot": "copilot",
    "copilot-cli": "copilot",
    "cursor-agent": "cursor",
}
# Options that only lines with a certain beginning need.
ADVICE = {
    **dict.fromkeys(("login", "logout", "auth", "register"), "there are no accounts; connect an agent with: mem setup HARNESS"),
    **dict.fromkeys(("tag", "label", "untag"), "give a memory its tags with: mem update ID --tags a,b"),
    **dict.fromkeys(
        ("thread create", "thread new", "thread add"), "a thread begins with its first memory: mem add TITLE --thread NAME"
    ),
    **dict.fromkeys(("state set", "state edit", "state save"), "use mem checkpoint --reason TEXT --state-json JSON"),
    "unlink": "mem undo reverts the last change, including a link",
    "redo": "run the command again; see mem log",
    **dict.fromkeys(
        ("upgrade", "self-update"), "install the new version in the same way; the memory stays, and is brought up to date"
    ),
    "share export": "share takes ids of memories; for files there is mem export: see mem export --help",
    "share import": "share takes ids of memories; for files there is mem import: see mem import --help",
    **dict.fromkeys(
        [f"completion {shell}" for shell in ("powershell", "pwsh", "nushell", "nu", "elvish", "cmd", "tcsh", "ksh", "sh")],
        "Tab completes in bash, zsh and fish; for another shell, mem complete -- WORDS prints what may follow",
    ),
    **dict.fromkeys(
        [f"use {word}" for word in ("--unset", "--clear", "--none", "--reset", "--off")],
        "mem use ID chooses another one; it counts outside of repositories only",
    ),
    **dict.fromkeys(
        [f"{noun} {word}" for noun in ("repos", "repo") for word in _DELETE],
        "a memory is a directory, repos/ID where mem doctor --json says its file is: delete that; mem repos names the ids",
    ),
    "session upsert": "hooks keep sessions (mem setup); keep a text with: mem add TITLE --summary TEXT --tags session",
}

# An action's other names.
ACTIONS = {
    "add": "create new save put insert write remember set append",
    "set": "add put write create new save edit update change",
    "get": "show cat view read print",
    "list": "ls all show view print get",
    "show": "get cat view print read",
    "edit": "update change modify amend",
    "delete": "rm remove del drop unset erase clear forget",
    "rm": "remove delete del drop erase forget",
    "unset": "delete rm remove reset clear",
    "status": "list ls show info all",
    "purge": "clear clean flush delete rm",
    "retry": "again rerun requeue",
    "history": "list ls log all",
    "enable": "on start setup init",
    "disable": "off stop",
    "start": "restart up on",
    "stop": "down off kill",
}
WORDS: dict[str, dict[str, tuple[str, ...]]] = {  # that an action takes
    "note": {"add": ("TEXT",), "show": ("DAY",), "edit": ("ID", "TEXT")},
    "profile": {"set": ("KEY", "VALUE"), "get": ("KEY",), "delete": ("KEY",)},
    "config": {"set": ("KEY", "VALUE"), "get": ("KEY",), "unset": ("KEY",)},
    "rule": {"add": ("PATTERN",), "rm": ("ID",)},
}
IMPLIED = {"profile": ("get", "set"), "config": ("get", "set")}  # for one word and for two, where no action is given

# An option's other names, one command's before all commands'. "": the option is left out; its value, if any, is an argument.
_LIMIT = dict.fromkeys(("-n", "--n", "-k", "--top", "--max", "--count", "--number", "--max-results", "-l"), "--limit")
_SUMMARY = dict.fromkeys(("-m", "--message", "--text", "--content", "--body", "--description", "-d", "--desc", "-s"), "--summary")
_NOTHING = dict.fromkeys(
    ("--force", "-f", "--yes", "-y", "--all", "-a", "--quiet", "-q", "--recursive", "-r", "--bare", "--last"), ""
)
_QUERY = dict.fromkeys(("--query", "-q", "--question", "--prompt"), "")
OPTIONS: dict[str, dict[str, str]] = {
    "": {**_LIMIT, "--dryrun": "--dry-run", "--tag": "--tags", "-t": "--tags", "-j": "--json", "--id": ""},
    "setup": {
        **dict.fromkeys(("--dry-run", "--dryrun", "--preview", "--diff"), "--print"),
        **dict.fromkeys(("--uninstall", "--delete", "--unset", "--off"), "--remove"),
        **dict.fromkeys(("--local", "--repo-only"), "--project"),
        "--global": "",
    },
    "add": _SUMMARY,
    "update": _SUMMARY,
    "supersede": _SUMMARY,
    "get": _QUERY,
    "search": {**_QUERY, "--format": ""},
    "explain": _QUERY,
    "export": dict.fromkeys(("-o", "--output", "--out", "--file"), ""),
    "import": dict.fromkeys(("-i", "--input", "--file"), ""),
    "doctor": {**_NOTHING, "--fix": "--repair", "-v": "--verbose"},
    "status": {"-s": "--short", "--porcelain": "--json"},
    "log": {"--oneline": "", "--diff": "--patch"},
    "worker": {"--daemon": "", "-d": ""},
    "init": _NOTHING,
    "ingest": {**_NOTHING, "--delete": "--remove"},
    "gc": {**_NOTHING, "--aggressive": ""},
    "undo": _NOTHING,
    "version": {"--short": "", **_NOTHING},
}
