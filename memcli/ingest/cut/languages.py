"""Detects the language of a file by its name, its extension or its first line."""

from __future__ import annotations

PLAIN = "text"

_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "c": "c",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cu cuh ino",
    "csharp": "cs csx",
    "ruby": "rb rake gemspec ru podspec",
    "php": "php phtml php3 php4 php5 php7",
    "swift": "swift",
    "scala": "scala sc sbt",
    "shell": "sh bash zsh ksh bats",
    "sql": "sql ddl dml psql pgsql",
    "html": "html htm xhtml vue svelte",
    "css": "css",
    "markdown": "md markdown mdown mkd mdx",
    "rst": "rst rest",
    "json": "json jsonc json5 geojson ipynb webmanifest code-workspace",
    "yaml": "yaml yml clang-format",
    "toml": "toml",
    "ini": "ini cfg conf editorconfig gitconfig properties desktop service env",
}
_NAMES = {
    "ruby": "rakefile gemfile vagrantfile podfile fastfile",
    "shell": ".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile .envrc apkbuild pkgbuild",
    "json": ".babelrc .eslintrc .prettierrc .swcrc composer.lock flake.lock pipfile.lock",
    "yaml": ".clang-format .clang-tidy .clangd",
    "toml": "pipfile cargo.lock poetry.lock uv.lock pdm.lock",
    "ini": ".gitconfig .gitmodules .editorconfig .npmrc .pylintrc .flake8 .coveragerc",
}
_INTERPRETERS = {
    "python": "python pypy",
    "shell": "sh bash zsh ksh dash ash bats",
    "javascript": "node nodejs bun",
    "typescript": "deno ts-node tsx",
    "ruby": "ruby jruby",
    "php": "php",
    "swift": "swift",
    "scala": "scala",
    "kotlin": "kotlin",
}
_CPP_MARKERS = ("class ", "namespace ", "template<", "template <", "public:", "private:", "::", "constexpr ", "using ")
_HEADER_LINES = 400  # of a header that are searched


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_EXTENSION, _BY_NAME, _BY_INTERPRETER = _inverted(_EXTENSIONS), _inverted(_NAMES), _inverted(_INTERPRETERS)


def of(path: str, lines: list[str]) -> str:
    """Returns the language of a file by its path, else by its first line; `text` if neither tells."""
    name = path.rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if extension == "h" and dot:
        return "cpp" if _is_cpp(lines) else "c"
    if dot and extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    if lines and lines[0].startswith("#!") and (not dot or not stem):
        return _by_shebang(lines[0])
    return PLAIN


def _is_cpp(lines: list[str]) -> bool:
    """Tells whether a header uses what only C++ has, outside comment lines."""
    code = [line for line in lines[:_HEADER_LINES] if not line.lstrip().startswith(("*", "//", "/*"))]
    return any(line.lstrip().startswith(_CPP_MARKERS) or "::" in line for line in code)


def _by_shebang(line: str) -> str:
    """Returns the language of an interpreter: `#!/usr/bin/env -S python3 -u` -> python."""
    words = line[2:].split()
    if words and words[0].rpartition("/")[2] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    name = words[0].rpartition("/")[2].rstrip("0123456789.") if words else ""
    return _BY_INTERPRETER.get(name, PLAIN)
