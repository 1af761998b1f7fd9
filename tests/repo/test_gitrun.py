"""Running git within bounds, whatever git, the environment or the repository's config do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli import repo as repository
from memcli.repo import gitrun
from memcli.repo.gitrun import Finished, run
from tests.other_system import without_spawning

SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *PERSON, *words], cwd=folder, env=os.environ | SETTINGS, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture(params=["posix_spawn", "subprocess"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Has a test run both ways of starting a process."""
    if request.param == "subprocess":
        without_spawning(monkeypatch)
    return str(request.param)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    git(tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path / "repo"


def pretend_git(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a shell script in git's place."""
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_output_and_code_come_back(repo: Path, way: str) -> None:
    assert run(["rev-parse", "HEAD"], str(repo)) == Finished(0, git(repo, "rev-parse", "HEAD").encode() + b"\n", b"")


def test_gits_own_failure_is_a_code_and_not_an_exception(tmp_path: Path, way: str) -> None:
    done = run(["rev-parse", "HEAD"], str(tmp_path))
    assert done.code == 128
    assert b"not a git repository" in done.err
    assert run(["status"], str(tmp_path / "missing")).code == 128


def test_input_far_larger_than_a_pipe_comes_back_whole(repo: Path, way: str) -> None:
    text = b"".join(b"%040d\n" % number for number in range(50_000))
    done = run(["cat-file", "--batch-check"], str(repo), text)
    assert done.code == 0
    assert done.out == b"".join(line + b" missing\n" for line in text.splitlines())


def test_without_memfd_the_input_is_a_nameless_file(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert run(["hash-object", "--stdin"], str(repo), b"hi\n").out == b"45b983be36b73c0788dc9cbcb76cbb80fc7bb057\n"


def test_a_sink_gets_the_output_instead(repo: Path, way: str) -> None:
    parts: list[bytes] = []
    assert run(["rev-parse", "--is-bare-repository"], str(repo), sink=parts.append).out == b""
    assert b"".join(parts) == b"false\n"


def test_what_a_sink_raises_stops_git_and_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "echo $$; exec sleep 60", monkeypatch)
    seen: list[bytes] = []

    def refuse(part: bytes) -> None:
        seen.append(part)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run(["log"], str(tmp_path), sink=refuse)
    with pytest.raises(ProcessLookupError):
        os.kill(int(seen[0]), 0)


def test_git_missing_is_code_127(repo: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("", str(repo), "."):
        monkeypatch.setenv("PATH", path)
        done = run(["rev-parse", "HEAD"], str(repo))
        assert (done.code, done.err) == (127, b"git is not on PATH")


def test_a_program_named_git_in_the_working_directory_is_not_run(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(repo / "bin", f": >{repo}/canary", monkeypatch)
    monkeypatch.chdir(repo / "bin")
    for path in ("", ":", ".", "./", "../bin"):
        monkeypatch.setenv("PATH", path)
        assert run(["version"], str(repo)).code == 127
    assert not (repo / "canary").exists()


def test_a_git_that_cannot_be_started_is_code_127(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "", monkeypatch)
    (tmp_path / "bin/git").write_text("#!/no/such/interpreter\n")
    assert run(["version"], str(tmp_path)).code == 127


def test_a_git_that_hangs_is_stopped_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "sleep 60 & echo $!; wait", monkeypatch)
    begin = time.monotonic()
    done = run(["log"], str(tmp_path), limit=0.3)
    assert done.code == 124
    assert b"stopped" in done.err
    assert time.monotonic() - begin < 30
    assert not is_running(int(done.out))


def test_a_child_that_keeps_the_pipe_open_does_not_outlive_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "sleep 60 & echo $!", monkeypatch)
    done = run(["log"], str(tmp_path), limit=0.3)
    assert done.code == 124
    assert not is_running(int(done.out))


def test_git_ends_with_who_started_it_whatever_ends_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "sleep 60 & echo $!; wait", monkeypatch)
    # What git prints is read only once git is tied to its starter: a line of it says that this is done.
    words = "import os; from memcli.repo import gitrun; gitrun.run(['log'], '/', limit=60, sink=lambda data: os.write(1, data))"
    with subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        child = int(starter.stdout.readline())
        starter.kill()
    assert not is_running(child)


def test_all_runs_of_a_process_have_one_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "exec sleep 60", monkeypatch)
    monkeypatch.setattr(repository, "deadline", time.monotonic() + 0.5)
    begin = time.monotonic()
    assert [run(["log"], str(tmp_path / name)).code for name in "abc"] == [124, 124, 124]
    assert time.monotonic() - begin < 10  # what one run may take by itself


def test_where_git_hung_it_is_given_little_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "exec sleep 60", monkeypatch)
    assert run(["log"], str(tmp_path), limit=0.2).code == 124
    begin = time.monotonic()
    assert run(["log"], str(tmp_path), limit=30).code == 124
    assert time.monotonic() - begin < 20


def test_a_hanging_git_is_given_up_without_posix_spawn_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_spawning(monkeypatch)
    pretend_git(tmp_path / "bin", "exec sleep 60", monkeypatch)
    assert run(["log"], str(tmp_path), limit=0.3).code == 124


def test_endless_output_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gitrun, "_MOST", 1 << 20)
    pretend_git(tmp_path / "bin", "exec yes", monkeypatch)
    done = run(["log"], str(tmp_path))
    assert done.code == 124
    assert len(done.out) <= 1 << 20


def test_a_death_by_signal_is_a_negative_code(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "kill -9 $$", monkeypatch)
    assert run(["log"], str(tmp_path)).code == -9


def test_variables_that_steer_git_do_not_reach_it(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_git(tmp_path / "bin", "env", monkeypatch)
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("KEPT", "yes")
    seen = dict(line.split("=", 1) for line in run([], str(tmp_path)).out.decode().splitlines() if "=" in line)
    assert {name: value for name, value in seen.items() if name.startswith("GIT_")} == {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    assert (seen["LC_ALL"], seen["KEPT"]) == ("C", "yes")


def test_git_dir_of_a_hook_does_not_lead_to_another_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert run(["rev-parse", "--show-toplevel"], str(repo)).out.decode() == f"{repo}\n"


def test_commands_in_a_poisoned_config_are_not_run(repo: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("run", "post-index-change", "reference-transaction"):
        (trap / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (trap / name).chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "gpg.program"):
        git(repo, "config", name, str(trap / "run"))
    git(repo, "config", "core.hooksPath", str(trap))
    git(repo, "config", "log.showSignature", "true")
    for words in (["status", "--porcelain"], ["update-index", "--refresh"], ["log", "-1"], ["update-ref", "refs/x", "HEAD"]):
        assert run(words, str(repo)).code == 0
    assert not canary.exists()
    subprocess.run(["git", "status"], cwd=repo, capture_output=True, check=False)
    assert canary.exists(), "the trap itself works"


def test_the_signature_of_a_commit_is_checked_by_no_program_of_the_config(repo: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\n: >{tmp_path}/canary\n")
    trap.chmod(0o755)
    head, _, message = git(repo, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    (tmp_path / "signed").write_text(f"{head}\n{signature}\n\n{message}\n")
    git(repo, "update-ref", "HEAD", git(repo, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed")))
    git(repo, "config", "gpg.program", str(trap))
    git(repo, "config", "log.showSignature", "true")
    assert run(["log", "-1"], str(repo)).code == 0
    assert not (tmp_path / "canary").exists()
    git(repo, "log", "-1")
    assert (tmp_path / "canary").exists(), "the trap itself works"


def test_a_bare_repository_is_entered_only_on_purpose(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    bare = str(tmp_path / "bare.git")
    assert run(["rev-parse", "HEAD"], bare).code == 128
    assert run(["rev-parse", "HEAD"], bare, bare=True).code == 0


def test_no_descriptor_is_left_open(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def count() -> int:
        return len(os.listdir("/dev/fd"))

    before = count()
    for limit in (10.0, 0.0):
        run(["rev-parse", "HEAD"], str(repo), b"x", limit)
    pretend_git(repo / "bin", "", monkeypatch)
    (repo / "bin/git").write_text("#!/no/such/interpreter\n")
    run(["version"], str(repo))
    assert count() == before


def test_it_works_without_standard_streams_and_without_child_signals(repo: Path) -> None:
    program = (
        "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); [os.close(n) for n in (0, 1, 2)]; "
        "from memcli.repo.gitrun import run; done = run(['hash-object', '--stdin'], sys.argv[1], b'hi\\n'); "
        "open(sys.argv[2], 'w').write(f'{done.code} {done.out!r} {done.err!r}')"
    )
    answer = repo.parent / "answer"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program, repo, answer], env=environment, check=True, timeout=20)
    assert answer.read_text() == "0 b'45b983be36b73c0788dc9cbcb76cbb80fc7bb057\\n' b''"


def test_only_light_modules_are_imported() -> None:
    program = "import os, sys; old = set(sys.modules); import memcli.repo.gitrun; print(*set(sys.modules) - old)"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True)
    strangers = {name for name in done.stdout.split() if not name.startswith("memcli")}
    assert done.stdout
    assert strangers <= {"__future__", "errno", "select", "time", "_collections"}


def is_running(process: int) -> bool:
    """Tells whether a process still runs a moment after it was killed; one that nobody has buried yet does not."""
    for _ in range(1_000):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except (ProcessLookupError, FileNotFoundError):
            return False
        time.sleep(0.01)
    return True
