"""mem help --man: the manual page, from the declarations of the commands."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from memcli.cli.app import NAMES, UNLISTED
from tests.conftest import Terminal

FORMATTERS = (["mandoc", "-T", "utf8"], ["groff", "-man", "-T", "utf8", "-k", "-ww"])


def test_the_manual_page_has_every_command_with_its_options(terminal: Terminal) -> None:
    page = terminal.mem("help", "--man").out
    assert page.startswith(".TH MEM 1")
    sections = set(re.findall(r'^\.SS "mem ([a-z\\-]+)', page, re.MULTILINE))
    assert sections >= {name.replace("-", "\\-") for name in NAMES if name not in UNLISTED}
    get = page.partition('.SS "mem get ')[2].partition(".SS")[0]
    assert ".B \\-\\-budget N\nThe maximum number of tokens." in get
    assert terminal.mem("--man").out == page


@pytest.mark.parametrize("formatter", FORMATTERS, ids=lambda words: words[0])
def test_the_manual_page_is_formatted_without_complaint(terminal: Terminal, formatter: list[str]) -> None:
    if not shutil.which(formatter[0]):
        pytest.skip("no formatter of manual pages is installed")
    page = terminal.mem("help", "--man").out
    done = subprocess.run(formatter, input=page.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode())
    assert '"session expired" OR (cache* NOT redis)' in " ".join(text.split())
