"""Configuration, hooks and attributes of a repository that make git run a program."""

from __future__ import annotations

from tests.hostile.corpus import BITES, KINDS, Clone, kind

# kind: (what is configured, a command of git that would run the program, empty where that takes a server or a terminal)
CONFIGURED = {
    "fsmonitor": ("[core]\n\tfsmonitor = {evil}", "status"),
    "pager": ("[core]\n\tpager = {evil}\n[pager]\n\tlog = {evil}\n\tdiff = {evil}\n\tblame = {evil}", ""),
    "editor": ("[core]\n\teditor = {evil}\n[sequence]\n\teditor = {evil}", "commit --allow-empty"),
    "askpass": ("[core]\n\taskPass = {evil}\n[remote \"origin\"]\n\turl = http://127.0.0.1:9/x", ""),
    "ssh-command": ("[core]\n\tsshCommand = {evil}\n[remote \"origin\"]\n\turl = ssh://example.invalid/x", "fetch"),
    "git-proxy": ("[core]\n\tgitProxy = {evil}\n[remote \"origin\"]\n\turl = git://127.0.0.1:9/x", "fetch"),
    "ext-diff": ("[diff]\n\texternal = {evil}", "diff HEAD"),
    "interactive-filter": ("[interactive]\n\tdiffFilter = {evil}\n[diff]\n\ttool = x\n[difftool \"x\"]\n\tcmd = {evil}", ""),
    "gpg": ("[gpg]\n\tprogram = {evil}\n[log]\n\tshowSignature = true\n[commit]\n\tgpgSign = true", "commit --allow-empty -m x"),
    "gpg-ssh": ("[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tprogram = {evil}\n"
                "[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = x", ""),
    "alias": ("".join(f"[alias]\n\t{word} = !{{evil}}\n" for word in ("st", "cat-file", "rev-list", "log", "config")), "st"),
    "credential-helper": ("[credential]\n\thelper = !{evil}\n"
                          "[remote \"origin\"]\n\turl = http://127.0.0.1:9/x", "credential fill"),
    "upload-pack": ("[remote \"origin\"]\n\turl = {outside}/victim\n\tuploadpack = {evil}", "fetch"),
    "receive-pack": ("[remote \"origin\"]\n\turl = {outside}/victim\n\treceivepack = {evil}", "push origin HEAD"),
    "pack-objects-hook": ("[uploadpack]\n\tpackObjectsHook = {evil}", ""),
    "alternate-refs": ("[core]\n\talternateRefsCommand = {evil}", ""),
    "remote-helper": ("[remote \"origin\"]\n\turl = ext::{evil}\n[protocol \"ext\"]\n\tallow = always", "fetch"),
    "instead-of": ("[url \"ext::{evil} \"]\n\tinsteadOf = https://\n[protocol \"ext\"]\n\tallow = always\n"
                   "[remote \"origin\"]\n\turl = https://example.invalid/x", "fetch"),
    "include": ("[include]\n\tpath = {bin}/included", "status"),
    "include-if": ("[includeIf \"gitdir:**\"]\n\tpath = {bin}/included", "status"),
    "trace": ("[trace2]\n\teventTarget = {bin}/../trace\n\tnormalTarget = {bin}/../trace", ""),
    "submodule-update": ("[submodule \"x\"]\n\turl = ext::{evil}\n\tupdate = !{evil}\n\tactive = true\n"
                         "[submodule]\n\trecurse = true", ""),
}  # fmt: skip


def _configured(name: str, text: str) -> None:
    def make(clone: Clone) -> None:
        (clone.evil.parent / "included").write_text(f"[core]\n\tfsmonitor = {clone.evil}\n")
        clone.write("app.py", "def login(user):\n    return None\n")  # what git compares
        clone.config(text)

    KINDS[name] = make


for _name, (_text, _command) in CONFIGURED.items():
    _configured(_name, _text)
    if _command:
        BITES[_name] = _command


@kind
def hooks_path(clone: Clone) -> None:
    """Hooks in a directory of the tree."""
    for name in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        clone.link(f"tools/{name}", clone.evil)
    clone.config("[core]\n\thooksPath = tools")


@kind
def hooks(clone: Clone) -> None:
    """Hooks where they usually are."""
    for name in ("post-index-change", "post-checkout", "pre-commit", "post-commit", "reference-transaction", "pre-auto-gc"):
        clone.link(f".git/hooks/{name}", clone.evil)


@kind
def textconv(clone: Clone) -> None:
    """A driver that converts what is compared, or compares it itself, by attributes of the tree and of the clone."""
    _attributes(clone, "* diff=evil\n")
    clone.config('[diff "evil"]\n\ttextconv = {evil}\n\tcommand = {evil}\n\tcachetextconv = true')


@kind
def filters(clone: Clone) -> None:
    """Filters between the tree and its objects."""
    _attributes(clone, "* filter=evil\n")
    clone.config('[filter "evil"]\n\tclean = {evil}\n\tsmudge = {evil}\n\trequired = true')


@kind
def filter_process(clone: Clone) -> None:
    """A filter that is a long-running process."""
    _attributes(clone, "* filter=evil\n")
    clone.config('[filter "evil"]\n\tprocess = {evil}\n\trequired = true')


@kind
def merge_driver(clone: Clone) -> None:
    """A driver of merges, and one of whitespace and encodings."""
    _attributes(clone, "* merge=evil working-tree-encoding=UTF-16\n")
    clone.config('[merge "evil"]\n\tdriver = {evil}\n[merge]\n\trenormalize = true')


@kind
def attributes_file(clone: Clone) -> None:
    """Attributes in a file outside, which the configuration names."""
    (clone.evil.parent / "attributes").write_text("* diff=evil filter=evil\n")
    clone.write("app.py", "changed\n")
    clone.config("[core]\n\tattributesFile = {bin}/attributes")
    clone.config('[diff "evil"]\n\tcommand = {evil}\n[filter "evil"]\n\tclean = {evil}')


@kind
def partial_clone(clone: Clone) -> None:
    """A missing object that git would fetch, with a program for a remote."""
    blob = clone.git("rev-parse", "HEAD:app.py")
    clone.git("commit", "-q", "--allow-empty", "-m", "second")
    (clone.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    clone.config(
        '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n[protocol "ext"]\n\tallow = always'
    )
    clone.config('[remote "origin"]\n\turl = ext::{evil}\n\tpromisor = true')


@kind
def worktree_config(clone: Clone) -> None:
    """Settings in a second file, which only an extension makes git read."""
    clone.config("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true")
    clone.write(".git/config.worktree", f"[core]\n\tfsmonitor = {clone.evil}\n\tpager = {clone.evil}\n")


@kind
def programs_in_the_tree(clone: Clone) -> None:
    """Programs with the names of those that mem or git starts, and modules with the names of Python's own."""
    for name in ("git", "git.exe", "sh", "mem", "python", "python3", "less", "ssh", "gpg"):
        clone.link(name, clone.evil)
    for name in ("sitecustomize", "memcli", "apsw", "json", "typer", "usercustomize"):
        clone.write(f"{name}.py", f"open({str(clone.ran)!r}, 'a').write('imported')\n")
    clone.write("memcli.pth", f"import os; open({str(clone.ran)!r}, 'a')\n")
    clone.write(".env", f"PATH={clone.root}\nPYTHONPATH={clone.root}\nLD_PRELOAD={clone.root}/x.so\n")
    clone.commit()


BITES |= {"textconv": "diff", "filters": "add app.py", "filter-process": "add app.py", "attributes-file": "add app.py",
          "hooks-path": "add app.py", "hooks": "add app.py", "partial-clone": "cat-file -p HEAD:app.py",
          "worktree-config": "status"}  # fmt: skip


def _attributes(clone: Clone, text: str) -> None:
    clone.write(".gitattributes", text)
    clone.write(".git/info/attributes", text)
    clone.write("app.py", "def login(user):\n    return None\n")
