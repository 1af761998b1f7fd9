"""The check of the page's JavaScript: left out, and said so, where there is no node; its tools are pinned by their hashes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_without_node_the_check_says_that_it_is_left_out(tmp_path: Path) -> None:
    for name in ("sh", "dirname"):
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path), "MEM_VENV": str(tmp_path / "venv")}
    done = subprocess.run(
        [tmp_path / "sh", ROOT / "scripts" / "check_page"], env=env, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("The page's JavaScript is not checked: node and npm are not installed\n", 0)
    assert not os.path.exists(tmp_path / "venv")


def test_each_tool_is_pinned_by_its_version_and_its_hash() -> None:
    folder = ROOT / "scripts" / "page"
    wanted = json.loads((folder / "package.json").read_text())["devDependencies"]
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert wanted == packages.pop("")["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(package["integrity"].startswith("sha512-") and "resolved" not in package for package in packages.values())
