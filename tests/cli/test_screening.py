"""No secret and nothing private reaches a file, whichever door it comes through, and the person is told what was masked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.screening.test_secrets import CASES

TOKEN = "ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4"
ALL = "\n\n".join(text.replace("»", "").replace("«", "") for _, text in CASES)
SECRETS = {line for _, text in CASES for line in text.partition("»")[2].partition("«")[0].split("\n") if len(line) >= 6}
HIDDEN = {secret.lower() for secret in SECRETS if not secret.startswith(("-----", "abcdef"))} | {"quittenmus"}
SPAN = "and <private>Quittenmus</private> too"


def files_with_secrets(terminal: Terminal) -> list[tuple[str, str]]:
    """Returns (file, secret) for what is found in mem's directories, whatever its case."""
    folders = [terminal.data, Path(terminal.env["MEMPACK_CONFIG_DIR"]), terminal.folder / ".git"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    contents = [(path.name, path.read_bytes().lower()) for path in files]
    return [(name, secret) for name, content in contents for secret in HIDDEN if secret.encode() in content]


def all_masked(said: object) -> bool:
    assert isinstance(said, list)
    return {rule for rule, _ in CASES} <= {*said}


def test_add_masks_every_secret_in_every_field(terminal: Terminal) -> None:
    given = {
        "title": f"Deploy with {TOKEN}",
        "summary": f"{ALL}\n{SPAN}",
        "thread": TOKEN,
        "tags": [TOKEN, "b"],
        "entities": [TOKEN],
    }
    made = terminal.mem("add", "--stdin-json", "--json", stdin=json.dumps(given)).json

    assert all_masked(made["masked"])
    assert "private" in made["masked"]
    shown = terminal.mem("show", made["id"], "--json").json["memory"]
    assert shown["title"] == "Deploy with [secret: github-token]"
    assert shown["tags"] == ["[secret: github-token]", "b"]
    assert shown["thread_id"] == "[secret: github-token]"
    assert "and  too" in shown["summary"]
    assert files_with_secrets(terminal) == []


def test_update_and_supersede_mask_every_secret(terminal: Terminal) -> None:
    memory_id = terminal.add("Deploy")
    assert all_masked(terminal.mem("update", memory_id, "--summary", ALL, "--json").json["masked"])
    assert all_masked(terminal.mem("supersede", memory_id, "--summary", f"{ALL} {SPAN}", "--json").json["masked"])
    assert files_with_secrets(terminal) == []


def test_a_checkpoint_masks_every_secret_in_its_reason_and_inside_its_state(terminal: Terminal) -> None:
    state = {"text": f"{ALL} {SPAN}", "list": [{"password": "hunter22"}, TOKEN], TOKEN: "as a name"}
    made = terminal.mem("checkpoint", "--reason", f"before {TOKEN}", "--state-json", json.dumps(state), "--json").json

    assert all_masked(made["masked"])
    shown = terminal.mem("state", "--json").json
    assert shown["reason"] == "before [secret: github-token]"
    assert shown["state"]["list"] == [{"password": "[secret: password]"}, "[secret: github-token]"]
    assert shown["state"]["[secret: github-token]"] == "as a name"
    assert files_with_secrets(terminal) == []


def test_import_masks_every_secret_and_knows_its_rows_again(terminal: Terminal) -> None:
    row = json.dumps({"title": "Deploy", "summary": f"{ALL} {SPAN}", "source_id": TOKEN, "tags": [TOKEN], "thread": TOKEN})
    first = terminal.mem("import", "-", "--json", stdin=row).json
    again = terminal.mem("import", "-", "--json", stdin=row).json

    assert all_masked(first["masked"])
    assert (first["imported"], again["imported"], again["unchanged"]) == (1, 0, 1)
    assert files_with_secrets(terminal) == []


def test_a_link_masks_the_password_of_an_address(terminal: Terminal) -> None:
    memory_id = terminal.add("Deploy")
    made = terminal.mem("link", memory_id, "needs", "https://me:s3cr3t@host.invalid/x", "--json").json

    assert made["to_id"] == "https://me:[secret: url-password]@host.invalid/x"
    assert made["masked"] == ["url-password"]
    assert terminal.mem("link", memory_id, "needs", "https://me:s3cr3t@host.invalid/x", "--json").json["created"] is False
    assert files_with_secrets(terminal) == []


def test_undo_and_export_bring_no_secret_back(terminal: Terminal) -> None:
    memory_id = terminal.add("Deploy", f"with {TOKEN}")
    terminal.mem("update", memory_id, "--summary", "without")
    terminal.mem("undo")
    assert terminal.mem("export").json["summary"] == "with [secret: github-token]"
    assert files_with_secrets(terminal) == []


def test_the_same_secret_said_twice_is_one_memory(terminal: Terminal) -> None:
    memory_id = terminal.add("Deploy", f"with {TOKEN}")
    said = terminal.mem("add", "Deploy", "--summary", f"with {TOKEN}", "--json").json
    assert (said["duplicate_of"], said["masked"]) == (memory_id, ["github-token"])


def test_a_person_is_told_on_standard_error_and_without_secrets_nothing_is_said(terminal: Terminal) -> None:
    said = terminal.mem("add", "Deploy", "--summary", f"with {TOKEN}")
    assert said.err == "Masked: github-token (mem stores no secrets and nothing private)\n"
    assert TOKEN not in said.out + said.err
    plain = terminal.mem("add", "The token budget", "--summary", "password checks: see auth.py")
    assert plain.err == ""
    assert "masked" not in terminal.mem("add", "Another", "--summary", "plain", "--json").json


@pytest.mark.parametrize("words", [("<private>all</private>", "--summary", "x"), ("x", "--summary", "<private>never closed")])
def test_what_is_private_as_a_whole_is_refused(terminal: Terminal, words: tuple[str, ...]) -> None:
    said = terminal.mem("add", *words, fails=2)
    assert "is private as a whole" in said.err
    assert terminal.mem("recent", "--json").json == []


def test_a_rejected_change_leaves_no_word_about_masking_to_the_next_command(terminal: Terminal) -> None:
    terminal.mem("add", "--stdin-json", "--json", fails=2, stdin=json.dumps({"title": TOKEN, "summary": "<private>x"}))
    assert "masked" not in terminal.mem("add", "Plain", "--summary", "plain", "--json").json
