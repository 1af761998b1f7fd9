"""completion: the script by which a shell asks what Tab offers."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.fields import Request

# Anyone may choose the names of threads and repositories. Bash inserts them as they are; zsh and fish quote them.
_BASH = """\
_mem() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        printf -v word %q "${word%%$'\\t'*}"
        COMPREPLY+=("$word")
    done < <(mem complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F _mem mem
"""
_ZSH = """\
#compdef mem
_mem() {
    local -a offers
    local word meaning
    while IFS=$'\\t' read -r word meaning; do
        word=${word//\\\\/\\\\\\\\}
        offers+=("${word//:/\\\\:}:$meaning")
    done < <(mem complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( $#offers )); then _describe mem offers; else _files; fi
}
compdef _mem mem
"""
_FISH = """\
function __mem_complete
    set -l words (commandline -opc) (commandline -ct)
    mem complete -- $words[2..-1] 2>/dev/null
end
complete -c mem -f -a '(__mem_complete)'
complete -c mem -n '__fish_seen_subcommand_from ingest import export eval' -F
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


class CompletionOptions(Request):
    """The shell."""

    shell: str = fields.text("bash, zsh or fish.", choices=tuple(SCRIPTS))


def completion(request: CompletionOptions, common: Common) -> None:
    """Prints the script; the shell's configuration evaluates it."""
    if common.json:
        return output.data({"shell": request.shell, "script": SCRIPTS[request.shell]})
    output.show(SCRIPTS[request.shell].rstrip("\n"))
