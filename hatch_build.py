"""Puts the commit a package was built from into it, as memcli/_commit.txt, for `mem --version`."""

import os
import subprocess
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE = "memcli/_commit.txt"


class CommitHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":  # it runs the checkout itself, whose commit moves on
            return
        if os.path.exists(os.path.join(self.root, INSIDE)):  # an unpacked source package brings its own
            return
        commit = commit_of(self.root)
        if commit:
            self.folder = tempfile.TemporaryDirectory()
            path = os.path.join(self.folder.name, "commit.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write(commit + "\n")
            build_data["force_include"][path] = INSIDE

    def finalize(self, version, build_data, artifact_path):
        if hasattr(self, "folder"):
            self.folder.cleanup()


def commit_of(root):
    """The commit checked out in `root`; None without git, outside a checkout, or deeper inside somebody else's."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", root, "rev-parse", "--show-prefix", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    prefix, _, commit = done.stdout.partition("\n")
    return commit.strip() if done.returncode == 0 and not prefix else None
