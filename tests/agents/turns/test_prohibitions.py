"""What somebody forbade is recognised in the command or the edit that does it, and in no other."""

from __future__ import annotations

import pytest

from memcli.agents.turns import prohibitions

FLOAT = "price = float(text)"


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("Never push to main.", "git push origin main"),
        ("Pushe nie nach main.", "git push origin main"),
        ("Never do a rebase.", "git rebase main"),
        ("Do not commit the lock file without asking.", "git commit -am x"),
        ("Use pnpm, never npm.", "npm install"),
        ("Never edit files in tests/golden, always use pnpm instead of npm, and never push to main.", "npm test"),
        ("Never edit files in tests/golden, always use pnpm instead of npm, and never push to main.", "git push -u origin main"),
        ("Never edit files in tests/golden, always use pnpm instead of npm, and never push to main.", "rm tests/golden/a.txt"),
        ("Do not add dependencies without asking me.", "pip install requests"),
        ("Do not add dependencies without asking me.", "python3 -m pip install 'requests>=2'"),
        ("No new dependencies, please.", "npm i left-pad"),
        ("Don't introduce new libraries.", "cargo add serde"),
        ("Never install packages without my okay.", "go get github.com/pkg/errors"),
        ("Never install packages without my okay.", "cd web && pnpm add -D vitest"),
        ("Füge keine Abhängigkeiten hinzu, ohne zu fragen.", "uv add httpx"),
        ("Never add npm dependencies.", "npm install left-pad"),
        ("Never install npm packages globally.", "npm install -g typescript"),
        ("Hands off tests/golden.", "sed -i s/a/b/ tests/golden/l.txt"),
        ("Hands off tests/golden.", "python3 gen.py > tests/golden/l.txt"),
        ("Leave the vendor directory alone.", "rm -rf vendor/zlib"),
        ("Leave the vendor directory alone.", "cp /tmp/z.js ./vendor/z.js"),
    ],
)
def test_a_command_goes_against_it(statement: str, line: str) -> None:
    assert prohibitions.against_command(statement, prohibitions.command_line(line), "feature")


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("Never push to main.", "git push origin feature"),
        ("Do not add dependencies without asking me.", "pip install -r requirements.txt"),
        ("Do not add dependencies without asking me.", "pip install -e ."),
        ("Do not add dependencies without asking me.", "npm install"),
        ("Do not add dependencies without asking me.", "pnpm install --frozen-lockfile"),
        ("Do not add dependencies without asking me.", "go mod tidy"),
        ("Do not add dependencies without asking me.", "git add -A"),
        ("Never add npm dependencies.", "pip install requests"),
        ("Never install npm packages globally.", "npm install left-pad"),
        ("Do not update dependencies.", "pip install requests"),
        ("Hands off tests/golden.", "diff tests/golden/l.txt out.txt"),
        ("Hands off tests/golden.", "cp tests/golden/l.txt /tmp"),
        ("Hands off tests/golden.", "cat tests/golden/l.txt > /tmp/l.txt"),
        ("Leave the vendor directory alone.", "ls vendor && pytest tests"),
        ("Leave me alone with npm.", "pytest"),
        ("Don't say in the commit message that we removed the dependency.", "git commit -m x"),
        ("Never mention customers in a commit.", "git commit -m x"),
        ("No emojis in release notes.", "git tag v1"),
    ],
)
def test_another_command_does_not(statement: str, line: str) -> None:
    assert not prohibitions.against_command(statement, prohibitions.command_line(line), "feature")


@pytest.mark.parametrize(
    ("statement", "path", "added"),
    [
        ("Hands off tests/golden.", "tests/golden/l.txt", ""),
        ("Hands off the golden files in tests/golden, please.", "tests/golden/l.txt", ""),
        ("Please leave tests/golden alone, those come from the carrier.", "tests/golden/l.txt", ""),
        ("Leave the migrations folder untouched.", "db/migrations/0001.sql", ""),
        ("Leave schema.sql as it is.", "db/schema.sql", ""),
        ("Don't touch the vendor directory.", "vendor/z.js", ""),
        ("Stay out of infra/prod.", "infra/prod/main.tf", ""),
        ("legacy/ is off limits.", "legacy/a.py", ""),
        ("Nobody touches the vendor folder.", "vendor/z.js", ""),
        ("Never touch the Makefile.", "Makefile", ""),
        ("Never edit lock files by hand.", "web/package-lock.json", ""),
        ("Finger weg von vendor, das kommt vom Zulieferer. Fass es nicht an.", "vendor/z.js", ""),
        ("Ändere die Dateien in tests/golden nie.", "tests/golden/l.txt", ""),
        ("Fass vendor nicht an.", "vendor/z.js", ""),
        ("Lass tests/golden in Ruhe.", "tests/golden/l.txt", ""),
        ("Ne touche pas à vendor.", "vendor/z.js", ""),
        ("No toques vendor.", "vendor/z.js", ""),
        ("Never use floats.", "shop/pay.py", FLOAT),
        ("No prints in src.", "src/app.py", 'print("x")'),
        ("Don't leave console.log in the code.", "web/a.ts", "console.log(x)"),
        ("Never edit files in tests/golden, always use pnpm instead of npm, and never push to main.", "tests/golden/l.txt", ""),
    ],
)
def test_an_edit_goes_against_it(statement: str, path: str, added: str) -> None:
    assert prohibitions.against_edit(statement, path, added)


@pytest.mark.parametrize(
    ("statement", "path", "added"),
    [
        ("Hands off tests/golden.", "tests/test_a.py", ""),
        ("Please leave tests/golden alone, those come from the carrier.", "carrier/a.py", ""),
        ("Don't touch the vendor directory.", "src/vendors.py", ""),
        ("Never use floats.", "shop/pay.py", "price = Decimal(text)"),
        ("Never use floats for money.", "plot.py", FLOAT),
        ("No prints in src.", "scripts/run.py", 'print("x")'),
        ("The export is read-only, never mind.", "src/a.py", ""),
        ("Do not add dependencies without asking me.", "src/a.py", "import os"),
        ("Never edit lock files by hand.", "src/a.py", ""),
        ("Leave the tests as they are for now.", "src/a.py", ""),
    ],
)
def test_another_edit_does_not(statement: str, path: str, added: str) -> None:
    assert not prohibitions.against_edit(statement, path, added)


def test_each_thing_that_a_sentence_forbids_is_one_by_itself() -> None:
    statement = "Never edit files in tests/golden, always use pnpm instead of npm, and never push to main."
    parts = [
        prohibitions.against_edit(statement, "tests/golden/l.txt"),
        prohibitions.against_command(statement, prohibitions.command_line("npm install"), "main"),
        prohibitions.against_command(statement, prohibitions.command_line("git push"), "main"),
    ]
    assert all(parts)
    assert len(set(parts)) == 3
