"""What is stored is screened in the one place through which every change goes, whoever screened it before."""

from __future__ import annotations

from typing import Any

import pytest

from memcli.memory import commit
from memcli.project import Project
from memcli.store import rows
from memcli.store.oplog import Change

TOKEN = "ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4"


@pytest.mark.parametrize(
    ("kind", "name", "body"),
    [
        ("session", "S-0000000001", {"harness": "claude", "key": TOKEN, "started_at": 1}),
        ("session", "S-0000000001", {"harness": "claude", "key": "key", "model": TOKEN, "started_at": 1}),
        ("put", f"T-{TOKEN}", {"title": "a thread"}),
        ("put", "T-plain", {"title": TOKEN}),
    ],
)
def test_no_name_of_a_change_is_stored_with_a_secret(project: Project, kind: str, name: str, body: dict[str, Any]) -> None:
    commit.commit(project, lambda: [Change(kind, name, body)], "cli")
    tables = [table for (table,) in rows(project.db, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    stored = [str(row) for table in tables for row in rows(project.db, f'SELECT * FROM "{table}"')]
    assert not [row for row in stored if TOKEN[4:] in row]
    assert [row for row in stored if "[secret: github-token]" in row]
    assert "github-token" in project.masked
