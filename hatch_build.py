"""What a wheel holds beyond the sources: the commit it was built from, and the modules of everyday commands side by side.

Python looks on the disk for every module that it imports, which takes a fifth of a `mem get`. So the modules that everyday
commands load (everyday.txt) are also written into one module a group of commands, `memcli/_everyday_GROUP.py`. pip compiles it
like any other, and `memcli/__main__.py` loads the modules out of it. A checkout, and an editable installation, run without.
"""

import ast
import os
import subprocess
import symtable
import tempfile
from functools import cache

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # everyday_sources is called without hatchling, too
    BuildHookInterface = object

COMMIT = "memcli/_commit.txt"
HEAD = "# Modules of everyday commands, as functions that fill a module's namespace. Generated when the package is built.\n\n"


class PackageHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":  # it runs the checkout itself, whose commit moves on
            return
        self.folder = tempfile.TemporaryDirectory()
        files = {}
        if not os.path.exists(os.path.join(self.root, COMMIT)):  # an unpacked source package brings its own
            files[COMMIT] = commit_of(self.root)
        if self.target_name == "wheel":
            files |= {f"memcli/_everyday_{group}.py": text for group, text in everyday_sources(self.root).items()}
        for name, text in files.items():
            if text:
                path = os.path.join(self.folder.name, os.path.basename(name))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                build_data["force_include"][path] = name

    def finalize(self, version, build_data, artifact_path):
        if hasattr(self, "folder"):
            self.folder.cleanup()


def everyday_sources(root):
    """Returns the source of each group's module: group -> text."""
    groups = {}
    with open(os.path.join(root, "everyday.txt"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            module, _, names = line.partition(": ")
            for group in names.split():
                groups.setdefault(group, {})[module] = None
    return {group: group_source(root, modules) for group, modules in groups.items()}


def group_source(root, modules):
    """Returns one module's source with the bodies of many: MODULES maps a name to (function, path within the package)."""
    bodies, table, earlier = [], [], {"memcli"}
    for name in modules:
        path = source_of(root, name)
        if path is None:  # renamed since the list was generated: Python finds it as ever
            continue
        function = "_" + name.replace(".", "__")
        bodies.append(as_function(function, root, path, imports_of(root, path) & earlier))
        earlier.add(name)
        table.append(f"    {name!r}: ({function}, {path.partition('/')[2]!r}),\n")
    return HEAD + "\n\n".join(bodies) + "\n\nMODULES = {\n" + "".join(table) + "}\n"


def source_of(root, name):
    """Returns the path of a module below `root`, None where there is none."""
    base = name.replace(".", "/")
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if os.path.exists(os.path.join(root, path))), None)


def source(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


@cache
def imports_of(root, path):
    """Returns the names of all that may be a module among what a module imports from somewhere when it is loaded."""
    imports = [node for node in ast.parse(source(root, path)).body if isinstance(node, ast.ImportFrom)]
    inner = [f"{node.module}.{alias.name}" for node in imports for alias in node.names]
    return frozenset([*inner, *[node.module for node in imports]])


@cache
def as_function(name, root, path, earlier):
    """Returns a module's source as a function whose variables are the globals of whatever module it is run for.

    `earlier`: modules that are loaded before it, so that importing from one of them is looking it up.
    """
    text = source(root, path)
    tree = ast.parse(text, path)
    table = symtable.symtable(text, path, "exec")
    names = sorted(symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported())
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    body = [part for node in body if not is_future(node) for part in looked_up(node, earlier, root)]
    body = Body().visit(ast.Module(body, [])).body
    body = [ast.Global(names), *body] if names else body
    function = ast.FunctionDef(name, ast.arguments([], [], None, [], [], None, []), body or [ast.Pass()], [], None)
    return ast.unparse(ast.fix_missing_locations(ast.Module([function], [])))


LOADED = "from sys import modules as _modules"  # a local name: those of the module are declared global


def looked_up(node, earlier, root):
    """Returns what to run for a module's statement: for an import from modules that are loaded already, where they are.

    Importing asks for each name whether it is a module of a package, and whether that is being loaded just now.
    """
    if not isinstance(node, ast.ImportFrom) or node.module not in earlier:
        return [node]
    names = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    if any(path not in earlier and source_of(root, path) for path in names.values()):
        return [node]
    lines = [LOADED]
    for name, path in names.items():
        parent, _, own_name = path.rpartition(".")
        lines.append(f"{name} = _modules[{path!r}]" if path in earlier else f"{name} = _modules[{parent!r}].{own_name}")
    return ast.parse("\n".join(lines)).body


class Body(ast.NodeTransformer):
    """Turns a module's statements into those of a function, without what only readers and type checkers need.

    Annotations stay in classes, where records find the names of their fields.
    """

    def visit_AnnAssign(self, node):
        return ast.Assign([node.target], node.value) if node.value else ast.Pass()

    def visit_If(self, node):
        self.generic_visit(node)
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return node.orelse
        return node

    def visit_arg(self, node):
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.without_docstring(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        fields = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign)]
        self.without_docstring(node)
        if fields:
            names, values = [ast.Constant(field) for field in fields], [ast.Constant(None)] * len(fields)
            node.body.insert(0, ast.Assign([ast.Name("__annotations__", ast.Store())], ast.Dict(names, values)))
        return node

    def without_docstring(self, node):
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node


def is_future(node):
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def commit_of(root):
    """The commit checked out in `root`; None without git, outside a checkout, or deeper inside somebody else's."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", root, "rev-parse", "--show-prefix", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    prefix, _, commit = done.stdout.partition("\n")
    return commit.strip() + "\n" if done.returncode == 0 and not prefix else None
