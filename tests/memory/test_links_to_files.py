"""Paths of files that a memory cannot be linked to."""

from __future__ import annotations

import pytest

from memcli.errors import InvalidInput
from memcli.memory import links
from memcli.project import Project


@pytest.mark.parametrize("path", ["a\0b", "\udc41.py", "\ud800"])
def test_a_path_that_cannot_be_stored_is_refused(project: Project, path: str) -> None:
    with pytest.raises(InvalidInput, match="path"):
        links.file_links(project, "M-1", (path,))
