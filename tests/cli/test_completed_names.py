"""What Tab inserts is one word of the line, whatever characters are in it: typed into real shells, and run."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from memcli.cli.verbs.completion import SCRIPTS

NAMES = (
    *("n0$(touch ran)", "n1`touch ran`", "n2;touch ran", "n3&touch ran&", "n4*", "n5 and 'more'"),
    *('n6"|touch ran|"', "n7>ran", "n8\\$x~"),
)
SHELLS = {
    "bash": ("bash", "--norc", "--noprofile", "-i"),
    "zsh": ("zsh", "-f", "-i"),
    "fish": ("fish", "--no-config", "-i"),
}
MEM = """\
#!/bin/sh
if [ "$1" != complete ]; then printf '%s\\n' "$2" >> args; exit; fi
for word; do :; done
while IFS= read -r name; do case $name in "$word"*) printf '%s\\ta title\\n' "$name";; esac; done < names
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_inserts_a_name_as_one_word(tmp_path: Path, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    (tmp_path / "names").write_text("\n".join(NAMES) + "\n")
    (tmp_path / "n4-file").touch()
    (tmp_path / "script").write_text(SCRIPTS[shell])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mem").write_text(MEM)
    (tmp_path / "bin/mem").chmod(0o755)
    load = {"zsh": "autoload -U compinit; compinit -u -D; "}.get(shell, "") + "source ./script; echo rea''dy\n"
    args = tmp_path / "args"
    with Typist(shell, tmp_path) as typist:
        typist.type(load)
        typist.wait(lambda: b"ready" in typist.output)
        for number in range(len(NAMES)):
            typist.type(f"mem use n{number}\t")
            typist.wait(typist.is_still)
            typist.type("\n")
            typist.wait(lambda count=number: args.exists() and args.read_text().count("\n") > count)
    assert args.read_text().splitlines() == list(NAMES)
    assert not (tmp_path / "ran").exists()


class Typist:
    """A shell on a terminal of its own, and what it printed."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.shell, self.folder, self.output, self._changed = shell, folder, b"", 0.0

    def __enter__(self) -> Typist:
        import pty

        env = {"HOME": str(self.folder), "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "TERM": "xterm", "LANG": "C.UTF-8"}
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(self.folder)
            os.execvpe(self.shell, SHELLS[self.shell], env)
        os.set_blocking(self._terminal, False)
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._terminal)
        os.kill(self._process, 9)
        os.waitpid(self._process, 0)

    def type(self, text: str) -> None:
        """Types a text."""
        os.write(self._terminal, text.encode())
        self._changed = time.monotonic()

    def is_still(self) -> bool:
        """Tells whether the shell has printed nothing for a moment."""
        return time.monotonic() - self._changed > 0.3

    def wait(self, condition: object) -> None:
        """Reads what the shell prints until a condition holds."""
        assert callable(condition)
        until = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < until, self.output.decode(errors="replace")[-2000:]
            try:
                self.output += os.read(self._terminal, 1 << 16)
                self._changed = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
