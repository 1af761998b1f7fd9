"""Guards the shape of the project: sizes, scripts, and nothing in it that holds on one machine only."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIMITS = ROOT / "scripts" / "limits.py"

# A home directory, unless it is plainly nobody's.
SOMEBODYS_HOME = re.compile(r"(?<![\w./-])/(?:(?:home|Users)/(?!(?:you|me|user|someone|person)\b)\w|root/)")
REGISTRY = re.compile(
    r"""https?://[^\s"'<>]+/simple\b"""  # an index
    r"|--(?:extra-)?index-url|--find-links"
    r"|\bregistry\.npmjs|pythonhosted|(?<![\w-])pypi\.org"
)


def limits(root):
    return subprocess.run([sys.executable, LIMITS, root], capture_output=True, text=True)


def tracked_files():
    """What is tracked or about to be; every file where there is no checkout to ask."""
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [path for path in ROOT.rglob("*") if path.is_file()]
    return [path for path in (ROOT / name for name in done.stdout.split("\0") if name) if path.is_file()]


def lines_with(pattern):
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" in content or path == Path(__file__):
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if pattern.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"


def test_the_tree_keeps_the_size_limits():
    done = limits(ROOT)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("name", "source", "offence"),
    [
        ("memcli/long.py", "x = 1\n" * 401, "memcli/long.py:1 the file: 401 lines (limit 400)"),
        ("scripts/tool", "#!/bin/sh\n" + "true\n" * 400, "scripts/tool:1 the file: 401 lines (limit 400)"),
        ("memcli/a.py", "\ndef f():\n" + "    x = 1\n" * 50, "memcli/a.py:2 f: 51 lines (limit 50)"),
        ("tests/a.py", "async def f():\n" + "    x = 1\n" * 50, "tests/a.py:1 f: 51 lines (limit 50)"),
        (
            "scripts/tool",
            "#!/usr/bin/env python3\ndef f(a, b, /, c, *d, e, f, **g): ...\n",
            "scripts/tool:2 f: 7 parameters (limit 6)",
        ),
        ("memcli/cli/app/a.py", "def f():\n" + "    x = 1\n" * 50, "memcli/cli/app/a.py:1 f: 51 lines (limit 50)"),
        ("memcli/http/viewer/a.js", "\n//" + "x" * 129, "memcli/http/viewer/a.js:2 the line: 131 characters (limit 130)"),
    ],
)
def test_the_limits_name_each_offence(tmp_path, name, source, offence):
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.write_text(source)
    done = limits(tmp_path)
    assert (done.stdout.splitlines(), done.returncode) == ([offence], 1)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (
            "memcli/a.py",
            "class A:\n    def f(self, a, b, c, d, e, f): ...\n    @classmethod\n    def g(cls, a, b, c, d, e, f): ...\n",
        ),
        ("memcli/cli/app/a.py", "def f(a, b, c, d, e, f, g, h): ...\n"),
        ("memcli/a.py", "def f():\n" + "    x = 1\n" * 49),
        ("tests/data.json", "1\n" * 401),
        ("tests/http/vendor/a.js", "x" * 1_000),
    ],
)
def test_the_limits_let_pass_what_is_within_them(tmp_path, name, source):
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.write_text(source)
    done = limits(tmp_path)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


def test_no_file_names_a_directory_of_one_machine():
    assert list(lines_with(SOMEBODYS_HOME)) == []


def test_no_file_names_this_checkout():
    if len(ROOT.parts) > 2:  # a directory right under the root has too common a name
        assert list(lines_with(re.compile(rf"(?<![\w./-]){re.escape(ROOT.as_posix())}\b"))) == []


def test_no_file_names_a_package_registry():
    assert list(lines_with(REGISTRY)) == []


def test_every_script_can_be_run():
    scripts = [path for path in tracked_files() if path.parent == ROOT / "scripts"]
    scripts = [path for path in scripts if not path.name.startswith("_")]  # what the others share
    assert {"quickstart", "test", "check", "limits.py"} <= {path.name for path in scripts}
    assert [path.name for path in scripts if not os.access(path, os.X_OK) or not path.read_bytes().startswith(b"#!/")] == []


SQL = re.compile(
    r"\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s|SAVEPOINT\s|CREATE\s+TABLE\s)|\s*(BEGIN|COMMIT|ROLLBACK)\b"
)


def statements(source):
    """The strings of a module that begin like a statement of SQL, its docstrings among them."""
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and is_sql(node.value)]


def is_sql(value):
    return isinstance(value, str) and SQL.match(value) is not None


@pytest.mark.parametrize("source", ['rows(db, "BEGIN IMMEDIATE")', 'x = f"SELECT {a} FROM b"', '"""\n  DELETE FROM a"""'])
def test_a_statement_is_recognized(source):
    assert statements(source)


def test_sql_and_transactions_are_written_in_the_store_only():
    modules = [path for path in (ROOT / "memcli").rglob("*.py") if "store" not in path.relative_to(ROOT).parts]
    assert {str(path): found for path in modules if (found := statements(path.read_text(encoding="utf-8")))} == {}


# What runs code that is no installed module, and the two places with a reason.
CODE = {"exec", "eval", "compile", "marshal", "pickle", "shelve", "runpy", "code", "codeop", "zipimport", "dbm"}
LOADERS = {"spec_from_file_location", "module_from_spec", "exec_module", "load_module", "SourceFileLoader", "run_path"}
LOADERS |= {"SourcelessFileLoader", "FunctionType", "CodeType", "addsitedir", "meta_path", "path_hooks", "__globals__"}
BUILTINS = {"builtins.exec", "builtins.eval", "builtins.compile"}
WITH_CODE = {
    "memcli/__main__.py": {"exec"},  # bodies that this module itself holds
    "memcli/text/processes.py": {"marshal"},  # plain values, between processes of one command
}


def code_runners(source):
    """The names in a module that run code, or make values of it, out of a file."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *[alias.name for alias in node.names if alias.name in LOADERS]}
        elif isinstance(node, ast.Attribute):
            names |= {node.attr} & LOADERS | {ast.unparse(node)} & BUILTINS
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(node.func.id)
    changed = {"sys.path"} if re.search(r"sys\.path(\.(insert|append|extend)\(|(\[.*\])? *\+?= )", source) else set()
    return names & (CODE | LOADERS | BUILTINS) | changed


@pytest.mark.parametrize(
    "source",
    [
        "import marshal",
        "from pickle import loads",
        "exec(text)",
        "import builtins\nbuiltins.exec(text)",
        "from importlib.util import spec_from_file_location",
        "import importlib.machinery\nimportlib.machinery.SourcelessFileLoader('x', path)",
        "import sys\nsys.path.insert(0, folder)",
        "import sys\nsys.path += [folder]",
        "import types\ntypes.FunctionType(code, {})",
    ],
)
def test_what_reads_code_is_recognized(source):
    assert code_runners(source)


def test_no_code_is_read_from_a_cache_or_another_file_that_is_no_module():
    modules = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "memcli").rglob("*.py")}
    runners = {name: code_runners(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    assert {name: found for name, found in runners.items() if found} == WITH_CODE


def test_a_class_name_is_defined_once():
    modules = {}
    for path in sorted((ROOT / "memcli").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


def test_a_checkout_and_a_release_try_the_same_interpreters_as_the_archive_and_the_newest_first():
    tried = [
        re.search(r"^ *for name in (python3\.\d.*) python3; do$", (ROOT / path).read_text(), re.MULTILINE)[1].split()
        for path in ("scripts/_env", "scripts/install.sh")
    ]
    built = re.search(r"MEM_PYTHONS:-([\d. ]+)\}", (ROOT / "scripts/release_build.sh").read_text())[1].split()
    assert tried == [[f"python{version}" for version in reversed(built)]] * 2
