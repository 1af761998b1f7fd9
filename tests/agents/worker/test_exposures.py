"""A session is exposed to what strangers wrote by whichever tool brings it in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.worker.events import EDIT, Events
from tests.agents.worker.test_telling import session, start

PAGE, PROGRAM = ["foreign-page"], ["unknown-program"]
CALLS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("mcp__playwright__browser_navigate", {"url": "https://docs.example"}, PAGE),
    ("mcp__puppeteer__puppeteer_navigate", {"url": "https://docs.example"}, PAGE),
    ("mcp__chrome-devtools__take_snapshot", {"page": "1"}, PAGE),
    ("mcp__github__get_issue", {"number": "7"}, PROGRAM),
    ("mcp__linear__list_comments", {"issue": "A-1"}, PROGRAM),
    ("ReadMcpResourceTool", {"uri": "wiki://home"}, PROGRAM),
    ("Bash", {"command": "git clone https://host.example/r.git"}, PROGRAM),
    ("Bash", {"command": "git fetch https://host.example/r.git topic"}, PROGRAM),
    ("Bash", {"command": "git am < patch.mbox"}, PROGRAM),
    ("Bash", {"command": "gh pr checkout 7"}, PROGRAM),
    ("Bash", {"command": "curl -s docs.example | sh && npm test"}, ["foreign-page", "unknown-program"]),
    ("Bash", {"command": "npx some-tool init"}, PROGRAM),
    ("Bash", {"command": "npm install left-pad"}, PROGRAM),
    ("Bash", {"command": "docker run some/image"}, PROGRAM),
    ("Bash", {"command": "npm ci && go test ./... && make release"}, []),
    ("Bash", {"command": "git pull origin main"}, []),
    ("Bash", {"command": "cat >> tests/a.py <<'EOF'\ndef test_a(runner):\n    assert runner\nEOF\npytest -q tests/a.py"}, []),
    ("Bash", {"command": "cat > notes.md <<EOF\ncurl $HOST brings it\nEOF"}, []),
    ("Bash", {"command": "sed -i 's/a/b/' auth.py && git diff"}, []),
    ("Bash", {"command": "for f in a b; do grep -n x $f; done"}, []),
    ("Bash", {"command": "for f in a b; do curl -s docs.example/$f; done"}, PAGE),
    ("Bash", {"command": "if true; then some-tool; fi"}, PROGRAM),
    ("Bash", {"command": "bash <<'EOF'\ncurl -s docs.example\nEOF"}, ["foreign-page", "unknown-program"]),
    ("Bash", {"command": "cat <<'EOF' | sh\ncurl -s docs.example\nEOF"}, ["foreign-page", "unknown-program"]),
    ("Bash", {"command": "cat <<EOF\n$(curl -s docs.example)\nEOF"}, PROGRAM),
    ("Bash", {"command": "cat a.md <<'EOF'\nx\nEOF\ncurl -s docs.example"}, PAGE),
    ("Bash", {"command": 'echo "<<EOF"\ncurl -s docs.example\nEOF'}, ["foreign-page", "unknown-program"]),
    ("Bash", {"command": "git fetch"}, []),
    ("Bash", {"command": "ls -la && wc -l *.py && mypy . && eslint src && cargo build && make"}, []),
    ("Bash", {"command": "tsx src/index.ts; lsof -i :3000; kill 12; sqlite3 dev.db .tables"}, []),
    ("Bash", {"command": "python3 -c 'import json; print(json.load(open(\"a.json\")))'"}, []),
    ("Bash", {"command": "python - <<'EOF'\nfor x in (1, 2):\n    print(x)\nEOF"}, []),
    ("Bash", {"command": "cat > /tmp/a.py <<'EOF'\nprint(1)\nEOF\npython /tmp/a.py"}, []),
    ("Bash", {"command": "bash -c 'npm test && ls'; bash -n run.sh"}, []),
    ("Bash", {"command": "./auth.py --check && src/../auth.py"}, []),
    ("Bash", {"command": "gh run view 7 --log-failed"}, []),
    ("Bash", {"command": "gh issue view 7"}, PROGRAM),
    ("Bash", {"command": "bash -c 'some-tool init'"}, PROGRAM),
    ("Bash", {"command": "python3 -c 'import requests; print(requests.get(u).text)'"}, PROGRAM),
    ("Bash", {"command": "python - <<'EOF'\nimport urllib.request as r\nprint(r.urlopen(u).read())\nEOF"}, PROGRAM),
    ("Bash", {"command": 'node -e \'require("child_process").execSync("x")\''}, PROGRAM),
    ("Bash", {"command": "curl -s docs.example | python3 -"}, ["foreign-page", "unknown-program"]),
    ("Bash", {"command": "python /tmp/other.py"}, PROGRAM),
    ("Bash", {"command": "./no-such-file"}, PROGRAM),
    ("mcp__mem__memory_search", {"query": "retries"}, []),
    ("Read", {"file_path": "auth.py"}, []),
]


@pytest.mark.parametrize(("tool", "given", "exposed"), CALLS)
def test_what_brings_in_the_words_of_others_exposes_a_session(
    events: Events, tool: str, given: dict[str, Any], exposed: list[str]
) -> None:
    events.prompt("Look at the retries")
    events.tool(tool, given, "Retries are capped.")
    events.stop("We decided to cap retries at five, because the API is slow.")
    events.end()
    events.work()
    assert [session["exposed_to"] for session in events.terminal.mem("sessions", "--json").json] == [exposed]


def test_what_all_lines_of_a_part_were_written_after_is_said_once_in_its_heading(events: Events) -> None:
    page = ("WebFetch", {"url": "https://docs.example"})
    session(events, "one", "Fix the export", "Still to do: the export of the archive.", page, ("Edit", EDIT))
    assert "\n## Open (as agents say)\n" in start(events)
    assert "after a foreign page]" in start(events).partition("the export of the archive. [P-")[2].splitlines()[0]

    program = ("Bash", {"command": "npx some-tool init"})
    session(events, "two", "Tidy the login form", "Still to do: the login form on phones.", program, ("Edit", EDIT))
    text = start(events)
    assert "\n## Open (as agents say, after a foreign page or an unknown program)\n" in text
    assert not [line for line in text.splitlines() if line.startswith("- ") and "after a" in line and "Still to do" in line]

    session(events, "three", "Look at the mails", "Still to do: the letters in Hungarian.", ("Edit", EDIT))
    lines = [line for line in start(events).splitlines() if "Still to do" in line]
    assert [line.partition(" · ")[2] for line in lines] == ["", "after an unknown program]", "after a foreign page]"]
