"""Unpacks the archive that this stands in: `unpack.py ARCHIVE TARGET`. On a problem it prints an error and a hint.

TARGET becomes a virtual environment of the interpreter that runs this, so that mem's own processes find what it needs.
"""

import compileall
import fcntl
import os
import platform
import shutil
import sys
import tempfile
import time
import zipfile
from io import BytesIO

UNUSED = 30 * 86_400  # seconds after which what another version unpacked goes
START = """\
import os
import sys

try:
    os.utime(os.path.dirname(__file__))  # another version that is unpacked takes away what was not started for a month
except OSError:
    pass
del sys.argv[0]  # mem was called by the name of the archive
from memcli.__main__ import main

main()
"""


def main(archive, target):
    """Unpacks an archive unless somebody has. Raises OSError, BadZipFile."""
    cache = os.path.dirname(target)
    os.umask(0o077)
    os.makedirs(cache, exist_ok=True)
    status = os.stat(cache)
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(1, "it is not yours alone")
    with open(os.path.join(cache, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second start waits for the first one
        if os.access(os.path.join(target, "bin/python"), os.X_OK):
            return
        clear(cache, target)
        with tempfile.TemporaryDirectory(suffix=".tmp", dir=cache, ignore_cleanup_errors=True) as aside:
            fill(aside, archive)
            os.rename(aside, target)


def clear(cache, target):
    """Removes what a killed start left, what lost its interpreter, and versions that were not started for long."""
    for entry in os.scandir(cache):
        if entry.is_dir(follow_symlinks=False):
            is_unused = entry.stat().st_mtime < time.time() - UNUSED
            if is_unused or entry.name.endswith(".tmp") or entry.path == target:
                shutil.rmtree(entry.path)


def fill(folder, archive):
    """Makes the environment in an empty directory."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    packages = os.path.join(folder, f"lib/python{version}/site-packages")
    os.makedirs(packages)
    with zipfile.ZipFile(archive) as outer:
        for name in outer.read(version).decode().split():
            with zipfile.ZipFile(BytesIO(outer.read(name))) as wheel:
                wheel.extractall(packages)
    # The other packages are compiled when they are imported: it is mem whose start counts.
    compileall.compile_dir(os.path.join(packages, "memcli"), quiet=2, stripdir=folder)
    python = os.path.realpath(sys.executable)
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(python, os.path.join(folder, "bin/python"))
    with open(os.path.join(folder, "pyvenv.cfg"), "w") as file:
        file.write(f"home = {os.path.dirname(python)}\ninclude-system-site-packages = false\n")
    with open(os.path.join(folder, "start.py"), "w") as file:
        file.write(START)


if __name__ == "__main__":
    try:
        if platform.libc_ver()[0] != "glibc":
            sys.exit("this file is mem for Linux with glibc\ninstall from source: pip install DIRECTORY")
        main(*sys.argv[1:])
    except (zipfile.BadZipFile, KeyError):
        sys.exit(f"{sys.argv[1]} is damaged\ndownload it again, and compare it with checksums.txt")
    except OSError as error:
        folder = os.path.dirname(sys.argv[2])
        hint = "let XDG_CACHE_HOME name a directory that you can write, and nobody else"
        sys.exit(f"mem cannot unpack itself into {folder}: {error.strerror}\n{hint}")
