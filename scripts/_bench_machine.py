"""What scripts/bench.py says of the machine that it ran on."""

import os
import platform
import subprocess
import time
from statistics import median


def described(python):
    """Returns what the numbers were taken on."""
    command = [python, "-c", "import apsw, platform; print(platform.python_version(), apsw.sqlitelibversion())"]
    version, sqlite = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return f"CPython {version} · SQLite {sqlite} · {os.cpu_count()} cores · {platform.system()} {platform.machine()}"


def fsync_ms(folder):
    """Returns the median time of one fsync of a small file in a directory."""
    path = folder / "fsync"
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(25):
            file.write(b"x" * 4096)
            start = time.perf_counter()
            os.fsync(file.fileno())
            times.append((time.perf_counter() - start) * 1000)
    path.unlink()
    return median(times)
