"""The words by which an agent says, in English, which command works: what `statements` looks for."""

from __future__ import annotations

import re

_COMMAND = (
    r"`(?!sudo )[a-z./][\w./-]* (?!(install|add|sync|pip|i) )[^`()]+`"  # a program and what it is told, which installs nothing
)
SPAN = re.compile(r"`[^`]+`")
_WORKS = r"(that|which) (actually |really )?(works|runs)"
_MISSING = r"\b(is|are)(n['’]t| not) (installed|available|(on|in) (the |your )?path)\b"
INTRODUCED = re.compile(
    r"\b(that works|working command|the command|run (it|them|this|the \w+)|to run|start (it|them) with)\b.*:$", re.I
)
NAMED = re.compile(
    r"^(?!.*\b(if|unless|when|whenever|once|may|might|could)\b)(.*\b)?("
    rf"(command|invocation) (here )?{_WORKS}\b[^.;`]{{0,40}} is:? {_COMMAND}|"
    rf"the (working|right|correct) (command|invocation)\b[^.;`]{{0,40}} is:? {_COMMAND}|"
    rf"{_MISSING}[^.`]{{0,40}}[,;:–—(-] ?((so|please|just|instead|and),? )*(use|run) {_COMMAND}|"
    rf"(use|run) {_COMMAND}[^.;`]{{0,40}}([,;:–—(-]|since|because|as) ?[^.;]{{0,40}}{_MISSING})|"
    rf"{_COMMAND} is the (command|invocation|one) {_WORKS}\b",
    re.I,
)
