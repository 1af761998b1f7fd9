"""Commands are known by the names that documentation uses, and by whose code they run."""

from __future__ import annotations

import pytest

from memcli.text import runners

FILES = ("manage.py", "tools/load.py", "requirements.txt", "src/app/__main__.py", "node_modules/.bin/prisma", "scripts/seed.sh")


@pytest.mark.parametrize(
    ("command", "normal"),
    [
        ("npm i left-pad", "npm install left-pad"),
        ("npm add left-pad", "npm install left-pad"),
        ("pip3 install x", "pip install x"),
        ("python3 -m pip install x", "pip install x"),
        ("docker-compose up", "docker compose up"),
        ("apt-get install x", "apt install x"),
        ("cargo t", "cargo test"),
        ("git push -f origin", "git push --force origin"),
        ("rm -f x", "rm -f x"),
        ("npm init", "npm init"),
        ("ls -f", "ls -f"),
        ("i", "i"),
    ],
)
def test_a_command_by_the_names_of_its_documentation(command: str, normal: str) -> None:
    assert " ".join(runners.normal(command.split())) == normal


@pytest.mark.parametrize(
    ("command", "is_common"),
    [
        ("git commit -m x", True),
        ("mypy memcli", True),
        ("python3 -c print(1)", True),
        ("python3 -X importtime -c print(1)", True),
        ("node -e fetch('x').then(print)", False),
        ("perl -e system('x')", False),
        ("bash -n deploy.sh", True),
        ("bash deploy.sh", False),
        ("python3 -", False),
        ("psql shop", False),
        ("some-program", False),
    ],
)
def test_what_a_development_machine_has_is_common(command: str, is_common: bool) -> None:
    assert runners.is_common(command.split(), command) is is_common


@pytest.mark.parametrize(
    ("command", "is_own"),
    [
        ("npm ci --include=optional", True),
        ("npm install", True),
        ("npm install left-pad", False),
        ("npm --prefix web run build", True),
        ("npx prisma generate", True),
        ("npx cowsay hello", False),
        ("npx --yes some-tool", False),
        ("pnpm dlx some-tool", False),
        ("pnpm exec vite", True),
        ("yarn", True),
        ("yarn add x", False),
        ("yarn dlx x", False),
        ("pip install -r requirements.txt", True),
        ("pip install -e .", True),
        ("pip install requests", False),
        ("pip install git+https://host.example/r.git", False),
        ("uv run python tools/load.py", True),
        ("uv run --with rich tools/load.py", False),
        ("uv sync", True),
        ("uvx ruff", False),
        ("uv pip install requests", False),
        ("cargo run --release", True),
        ("cargo install ripgrep", False),
        ("go test ./...", True),
        ("go run ./cmd/gate", True),
        ("go run host.example/tool@latest", False),
        ("go get host.example/tool", False),
        ("docker compose up -d", True),
        ("docker build .", True),
        ("docker run some/image", False),
        ("docker pull some/image", False),
        ("make release", True),
        ("just test", True),
        ("python manage.py migrate", True),
        ("python -m app", True),
        ("python -m http.server", False),
        ("python -c print(1)", False),
        ("python /tmp/other.py", False),
        ("bash scripts/seed.sh", True),
        ("some-program", False),
        ("npm", False),
    ],
)
def test_whose_code_a_command_runs(command: str, is_own: bool) -> None:
    assert runners.is_own(command.split(), FILES.__contains__) is is_own
