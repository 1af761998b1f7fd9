"""Hints are written for who types commands; here they get the words of who calls tools."""

from __future__ import annotations

import re

_AS_THEY_ARE = ("did you mean ", "give more of the id", "the person ", "ask them")  # a memory's own words, or said already
_SAID = (
    ("give it some words: mem add", "give it some words"),
    ("say why: ", "give a reason"),
    ("see mem recent, or mem search", "look for it with memory_search"),
    ("a session or a prompt: ", "this is a session or a prompt; mempack_timeline takes the id of a prompt"),
    ("use mem supersede, or mem add --file", "use mempack_supersede, or files of mempack_add_memory"),
    ("go into one, name one", "name one with repo"),
    ("start with: mem add", "the person can start it: mem init"),
    ("leave out --file", "leave out files"),
)
_TOOLS = {
    "get": "mempack_get_context",
    "search": "memory_search",
    "recent": "memory_search",
    "show": "mempack_show",
    "add": "mempack_add_memory",
    "supersede": "mempack_supersede",
    "profile delete": "memory_delete",
}
_COMMAND = re.compile(rf"\bmem ({'|'.join(_TOOLS)})\b")
_ANY_COMMAND = re.compile(r"\bmem [a-z]")
_OPTION = re.compile(r"--([a-z][a-z-]*)")


def for_tools(hint: str) -> str:
    """Returns a hint with tools for commands and arguments for options; what only a person can run is said to be theirs."""
    if hint.startswith(_AS_THEY_ARE):
        return hint
    for start, said in _SAID:
        if hint.startswith(start):
            return said
    told = _COMMAND.sub(lambda found: _TOOLS[found[1]], hint)
    if _ANY_COMMAND.search(told):
        return f"for the person: {hint}"
    return _OPTION.sub(lambda found: found[1].replace("-", "_"), told)
