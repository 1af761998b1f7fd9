"""A release: built alike twice, installed from its files by one script, verified, upgraded and taken away again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from packaging.markers import Marker

from scripts.packages import packages as packages_of

SCRIPTS = Path(__file__).parents[2] / "scripts"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
Install = Callable[..., subprocess.CompletedProcess[str]]


def write_release(folder: Path, version: str) -> Path:
    """Writes a release whose wheel has nothing but a `mem` that prints its version, and needs no other package."""
    folder.mkdir(exist_ok=True)
    wheel, info = folder / f"memcli-{version}-py3-none-any.whl", f"memcli-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("memcli_stub.py", f"def main():\n    print('mem {version}')\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: memcli\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", WHEEL)
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\nmem = memcli_stub:main\nmempack = memcli_stub:main\n")
        archive.writestr(f"{info}/RECORD", "")
    for lock in ("requirements.lock", "requirements-minimal.lock"):
        (folder / lock).touch()
    return write_checksums(folder)


def write_checksums(folder: Path) -> Path:
    paths = sorted([*folder.glob("memcli-*.whl"), *folder.glob("*.lock")])
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (folder / "checksums.txt").write_text("".join(sums))
    return folder


PYTHON = os.path.realpath(os.path.join(os.path.dirname(os.__file__), "../../bin/python3"))
COPYING = """#!/bin/sh
[ "$1 $2" = "-m venv" ] || exec {python} "$@"
exec cp -R -P {made} "$3"
"""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pip in it, which takes three seconds to make."""
    folder = tmp_path_factory.mktemp("made") / "environment"
    subprocess.run([PYTHON, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path, install: Install) -> Install:
    """The same, where Python copies an environment instead of making one."""
    python = tmp_path / "programs/python3"
    python.unlink()
    python.write_text(COPYING.format(python=PYTHON, made=made))
    python.chmod(0o755)
    return install


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Runs install.sh on a machine with Python and nothing else."""
    home = tmp_path / "home"
    home.mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in "sh env sed cp mv rm mkdir mktemp grep tail dirname ln readlink sha256sum curl cat ls".split():
        for folder in ("/usr/bin", "/bin"):
            if Path(folder, name).exists() and not (programs / name).exists():
                (programs / name).symlink_to(Path(folder, name))
    (programs / "python3").symlink_to(PYTHON)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        env = {"HOME": str(home), "PATH": str(programs), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "LC_ALL": "C"}
        return subprocess.run(
            ["/bin/sh", str(SCRIPTS / "install.sh"), *words], env=env, capture_output=True, text=True, check=False
        )

    return run


def test_it_installs_upgrades_and_leaves(install: Install, tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    first, second = write_release(tmp_path / "first", "1.0.0"), write_release(tmp_path / "second", "1.1.0")
    done = install("--from", str(first), "--prefix", str(prefix))
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout == f"Installing memcli-1.0.0 and what it needs\nInstalled {prefix}/bin/mem\nAdd {prefix}/bin to your PATH.\n"
    )
    assert subprocess.check_output([prefix / "bin/mem"], text=True) == "mem 1.0.0\n"
    install("--from", str(second), "--prefix", str(prefix))
    assert subprocess.check_output([prefix / "bin/mempack"], text=True) == "mem 1.1.0\n"
    assert "Uninstalled mem. What it stored stays: " in install("--uninstall", "--prefix", str(prefix)).stdout
    assert [path for path in prefix.rglob("*") if not path.is_dir()] == []
    again = install("--uninstall", "--prefix", str(prefix))
    assert (again.returncode, again.stderr.splitlines()[0]) == (1, "Error: mem is not installed here")


def test_what_is_uninstalled_is_disconnected_first_unless_another_one_goes_on(install: Install, tmp_path: Path) -> None:
    folder, log = tmp_path / "prefix", tmp_path / "log"
    for path in (folder / "bin/mem", tmp_path / "programs/mem"):
        (folder / "share/memcli").mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "$*" >>{log}\n[ "$1" != setup ] || echo "removed   ~/.codex/hooks.json"\n')
        path.chmod(0o755)
    assert install("--uninstall", "--prefix", str(folder)).returncode == 0
    assert not log.exists(), "another mem is on the PATH"

    (tmp_path / "programs/mem").unlink()
    (folder / "share/memcli").mkdir()
    done = install("--uninstall", "--prefix", str(folder))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "removed   ~/.codex/hooks.json")
    assert log.read_text().splitlines() == ["setup --remove --all", "serve stop"]


def test_a_version_is_chosen_and_an_address_will_do(copied: Install, tmp_path: Path) -> None:
    release = write_release(tmp_path / "both", "1.0.0")
    write_release(release, "2.0.0")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(release)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        done = copied("--from", address, "--version", "1.0.0", "--prefix", str(tmp_path / "prefix"))
        assert (done.returncode, done.stderr) == (0, "")
        missing = copied("--from", address, "--version", "3.0.0", "--prefix", str(tmp_path / "other"))
        assert missing.stderr.startswith("Error: this release has no wheel of version 3.0.0\n")
    finally:
        server.shutdown()
        server.server_close()
    assert subprocess.check_output([tmp_path / "prefix/bin/mem"], text=True) == "mem 1.0.0\n"


def test_a_wheel_that_was_changed_is_not_installed(install: Install, tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", "1.0.0")
    with open(release / "memcli-1.0.0-py3-none-any.whl", "ab") as file:
        file.write(b"more")
    done = install("--from", str(release), "--prefix", str(tmp_path / "prefix"))
    assert done.returncode == 1
    assert "is not the file that checksums.txt names" in done.stderr
    assert not (tmp_path / "prefix").exists()


def test_what_it_needs_is_installed_only_with_the_hash_of_the_lock(copied: Install, tmp_path: Path) -> None:
    release, wheel = write_release(tmp_path / "release", "1.0.0"), tmp_path / "helped-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("helped.py", "")
        archive.writestr("helped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: helped\nVersion: 1.0\n")
        archive.writestr("helped-1.0.dist-info/WHEEL", WHEEL)
        archive.writestr("helped-1.0.dist-info/RECORD", "")
    line = f"helped==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
    (release / "requirements.lock").write_text(line.replace("sha256:", "sha256:0")[:-2] + "\n")
    (release / "requirements-minimal.lock").write_text(line)
    refused = copied("--from", str(write_checksums(release)), "--prefix", str(tmp_path / "prefix"))
    assert (refused.returncode, refused.stderr.splitlines()[-2]) == (1, "Error: pip could not install it")
    assert list((tmp_path / "prefix").rglob("helped.py")) == []
    copied("--from", str(release), "--prefix", str(tmp_path / "prefix"), "--minimal")
    assert len(list((tmp_path / "prefix").rglob("helped.py"))) == 1
    (release / "requirements-minimal.lock").write_text("")
    changed = copied("--from", str(release), "--prefix", str(tmp_path / "prefix"), "--minimal")
    assert changed.stderr.startswith("Error: requirements-minimal.lock is not the file that checksums.txt names\n")


def test_uv_installs_only_what_it_has_checked(install: Install, tmp_path: Path) -> None:
    log, uv = tmp_path / "log", tmp_path / "programs/uv"
    uv.write_text(f'#!/bin/sh\necho "$1 $2 $*" >>{log}\n[ "$2" != find ] || echo /usr/bin/python3\n# end\n')
    uv.chmod(0o755)
    install("--from", str(write_release(tmp_path / "release", "1.0.0")))
    calls = log.read_text().splitlines()
    assert [" ".join(call.split()[:2]) for call in calls] == ["python find", "pip install", "tool install", "tool dir"]
    assert re.search(r" --require-hashes .*requirements\.lock$", calls[1])
    assert re.search(r" --offline .* memcli\[all\] @ /.*/memcli-1\.0\.0-py3-none-any\.whl$", calls[2])
    uv.write_text(uv.read_text().replace("# end", '[ "$1" != pip ]'))
    log.unlink()
    done = install("--from", str(tmp_path / "release"))
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "Error: uv could not install it")
    assert "tool install" not in log.read_text()


def test_pipx_installs_again_what_is_checked_and_keeps_nothing_that_is_not(install: Install, tmp_path: Path) -> None:
    log, pipx = tmp_path / "log", tmp_path / "programs/pipx"
    pipx.write_text(f'#!/bin/sh\necho "$*" >>{log}\n# end\n')
    pipx.chmod(0o755)
    release = write_release(tmp_path / "release", "1.0.0")
    assert install("--from", str(release)).stdout.endswith("Installed mem with pipx\n")
    calls = log.read_text().splitlines()
    assert re.match(r"install --force --pip-args=.*--constraint='.*' /.*/memcli-1\.0\.0-py3-none-any\.whl\[all\]$", calls[0])
    assert re.match(r"runpip memcli install .*--require-hashes -r .*requirements\.lock$", calls[1])

    pipx.write_text(pipx.read_text().replace("# end", '[ "$1" != runpip ]'))
    log.unlink()
    done = install("--from", str(release))
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "Error: pipx could not install it")
    assert [call.split()[0] for call in log.read_text().splitlines()] == ["install", "runpip", "uninstall"]


@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_what_uv_or_pipx_installed_is_disconnected_and_taken_away_by_them(install: Install, tmp_path: Path, tool: str) -> None:
    log, folder = tmp_path / "log", tmp_path / "bin"
    folder.mkdir()
    for path, text in (
        (tmp_path / "programs" / tool, f'case "$*" in *dir*|*BIN_DIR*) echo {folder} ;; esac\n'),
        (folder / "mem", ""),
    ):
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >>{log}\n{text}')
        path.chmod(0o755)
    assert install("--uninstall").returncode == 0
    calls = [call for call in log.read_text().splitlines() if "dir" not in call.lower()]
    assert {"mem setup --remove --all", "mem serve stop"} <= set(calls[:-1])
    assert calls[-1] == {"uv": "uv tool uninstall --quiet memcli", "pipx": "pipx uninstall memcli"}[tool]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--form", "x"], 2, "unknown option --form"),
        (["--from"], 2, "--from needs a value"),
        (["--version", "--uninstall"], 2, "--version needs a value"),
        (["1.0.0"], 2, "1.0.0 is no option: install.sh takes no arguments"),
        (["--from", "/nonexistent"], 1, "no checksums.txt in /nonexistent"),
    ],
)
def test_bad_calls_are_refused(install: Install, words: list[str], code: int, message: str) -> None:
    done = install(*words)
    assert (done.returncode, done.stderr.splitlines()[0]) == (code, f"Error: {message}")


@pytest.mark.parametrize("name", ["minimal", "runtime", "development"])
def test_a_lock_has_every_package_with_hashes_and_no_address(name: str) -> None:
    text = (SCRIPTS.parent / f"locks/{name}.txt").read_text()
    packages = [block for block in re.split(r"\n(?=[a-z])", text) if "==" in block]
    assert len(packages) > (10 if name == "minimal" else 50)
    assert [block.partition("\n")[0] for block in packages if "--hash=sha256:" not in block] == []
    assert re.findall(r"://|file:|\n--|@ ", text) == []
    pyproject = tomllib.loads((SCRIPTS.parent / "pyproject.toml").read_text())["project"]
    extras = [] if name == "minimal" else ["ingest", "browse", *(["dev"] if name == "development" else [])]
    wanted = [*pyproject["dependencies"], *[line for extra in extras for line in pyproject["optional-dependencies"][extra]]]
    names = {re.split(r"[^a-zA-Z0-9._-]", line)[0].lower() for line in wanted}
    assert names - {"memcli"} <= {block.partition("==")[0].partition("[")[0] for block in packages}, "run scripts/lock"


def locked(name: str) -> dict[str, str]:
    """Returns the versions of the packages that a lock names for this system."""
    lines = re.findall(r"^([\w.-]+)==(\S+)(?: ; (.+?))? \\$", (SCRIPTS.parent / f"locks/{name}.txt").read_text(), re.M)
    return {package: version for package, version, marker in lines if not marker or Marker(marker).evaluate()}


def test_two_builds_of_a_commit_are_the_same_and_the_executable_runs_alone(tmp_path: Path) -> None:
    environment = os.environ.get("VIRTUAL_ENV") or os.path.dirname(os.path.dirname(sys.executable))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for name in ("one", "two"):
        env = {**os.environ, "MEM_VENV": environment, "MEM_PYTHONS": version, "MEM_WHEELS": str(tmp_path / "wheels")}
        subprocess.run([SCRIPTS / "release_build.sh", tmp_path / name], env=env, check=True, capture_output=True)
    one, two = ((tmp_path / name / "checksums.txt").read_text() for name in ("one", "two"))
    assert one == two
    assert {line.split()[1].partition("-")[0] for line in one.splitlines()} == {
        "memcli", "install.sh", "CHANGES.md", "requirements.lock", "requirements", "sbom.json", "licenses.txt",
    }  # fmt: skip
    bill = json.loads((tmp_path / "one/sbom.json").read_text())
    packages = {component["name"]: component for component in bill["components"]}
    assert bill["bomFormat"] == "CycloneDX"
    assert {"apsw", "typer", "mcp"} <= set(packages)
    assert packages["typer"]["licenses"] == [{"license": {"name": "MIT"}}]
    version = re.escape(bill["metadata"]["component"]["version"])
    assert re.match(rf"## {version} - \d{{4}}-\d\d-\d\d\n\nIn short:\n\n- ", (tmp_path / "one/CHANGES.md").read_text())
    licenses = re.findall(r"^=+\n(\S+) (\S+): .+\n=+\n", (tmp_path / "one/licenses.txt").read_text(), re.M)
    assert dict(licenses) == {**locked("runtime"), "memcli": bill["metadata"]["component"]["version"]}
    assert set(locked("minimal")) == packages_of("")
    assert set(locked("runtime")) == packages_of("all")
    (executable,) = (tmp_path / "one").glob("memcli-*-linux-x64.pyz")
    assert executable.name in one
    check_executable(executable, tmp_path / "home")


def check_executable(path: Path, home: Path) -> None:
    """Uses the executable where there is Python and git, and nothing was installed."""
    repo = home / "work"
    repo.mkdir(parents=True)
    folders = f"{os.path.dirname(os.path.realpath(sys.executable))}:/usr/bin:/bin"
    env = {"HOME": str(home), "PATH": folders, "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull}

    def run(*words: str | Path) -> str:
        done = subprocess.run(words, env=env, cwd=repo, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    run("git", "init", "-q")
    assert re.fullmatch(r"mem \d+\.\d+\.\d+.*\n", run(path, "--version"))
    run(path, "add", "Sessions live in Postgres", "--summary", "Redis evicted them under load.")
    assert "Redis evicted them under load." in run(path, "get", "why are sessions in postgres")
    (repo / "login.py").write_text("def login():\n    return 'a session'\n")
    assert '"new":1' in run(path, "ingest", "login.py", "--json")
    run(path, "setup", "claude")
    assert f'"command": "{path}"' in (home / ".claude/settings.json").read_text()


def test_what_stays_when_mem_is_uninstalled_is_named(tmp_path: Path) -> None:
    (tmp_path / ".local/share/memcli").mkdir(parents=True)
    (tmp_path / ".config/mempack").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["sh", SCRIPTS / "install.sh", "--uninstall"], env=env, capture_output=True, text=True, check=True)
    said = done.stdout + done.stderr

    assert f"What it stored stays: {tmp_path}/.local/share/mempack\n" in said
    assert f"Your settings stay: {tmp_path}/.config/mempack\n" in said
    assert not (tmp_path / ".local/share/memcli").exists()


def test_the_help_of_the_installer_fits_into_80_columns() -> None:
    said = subprocess.run(["sh", SCRIPTS / "install.sh", "--help"], capture_output=True, text=True, check=True).stdout
    assert max(map(len, said.splitlines())) <= 80
    assert "--uninstall  removes mem" in said
    assert "set -eu" not in said
