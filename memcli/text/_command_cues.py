"""The words by which an agent says, in English, which command works: what `statements` looks for."""

from __future__ import annotations

import re

_COMMAND = (
    r"`(?!sudo )[a-z./][\w./-]* (?!(install|add|sync|pip|i) )[^`()]+`"  # a program and what it is told, which installs nothing
)
_ASSIGNED = (
    r"`(?!sudo )([A-Z_]+=\S+ )*[a-z./][\w./-]* (?!(install|add|sync|pip|i)\b)[^`]{3,}`"  # the same behind what it is set to
)
SPAN = re.compile(r"`[^`]+`")
_WORKS = r"(that|which) (actually |really )?(works|runs)"
_MISSING = r"\b(is|are)(n['’]t| not) (installed|available|(on|in) (the |your )?path)\b"
_MADE = (
    r"(re-?generated?|re-?created?|updated?|re-?built|re-?build|reset|seeded?|run|started?|deployed?|published?|"
    r"released?|reproduced?)"
)
INTRODUCED = re.compile(
    r"\b(has|have|needs?|must|is|are) (to )?(be )?(built|run|started|installed|called|invoked|generated|deployed|"
    r"released|tested)\b.*:$|"
    r"\b(that works|working command|the command|run (it|them|this|the \w+)|to run|start (it|them) with)\b.*:$",
    re.I,
)
NAMED = re.compile(
    r"^(?!.*\b(if|unless|when|whenever|once|may|might|could)\b)(.*\b)?("
    rf"(command|invocation) (here )?{_WORKS}\b[^.;`]{{0,40}} is:? {_COMMAND}|"
    rf"the (working|right|correct) (command|invocation)\b[^.;`]{{0,40}} is:? {_COMMAND}|"
    rf"{_MISSING}[^.`]{{0,40}}[,;:–—(-] ?((so|please|just|instead|and),? )*(use|run) {_COMMAND}|"
    rf"(use|run) {_COMMAND}[^.;`]{{0,40}}([,;:–—(-]|since|because|as) ?[^.;]{{0,40}}{_MISSING})|"
    rf"(the )?(full |exact )?(command|invocation|call)( (for|to) [^:`;]{{2,60}})?: {_ASSIGNED}|"
    rf"\b(is|are|was|were|can be|to be|must be|has to be|have to be|i|we)? ?{_MADE}( (it|them|this))? (with|via|by|"
    rf"using|through):? "
    rf"{_ASSIGNED}|(after that|afterwards|then)(,|:)? ?(just )?(run |use )?:? ?{_ASSIGNED}|"
    rf"{_COMMAND} is the (command|invocation|one) {_WORKS}\b",
    re.I,
)
