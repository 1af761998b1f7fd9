"""Running git for a remote: the person's own way to authenticate, nothing that a repository's configuration could start.

Objects and refs live in a bare repository of ours beside the store; the person's repository is only asked for its remotes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

from memcli import system
from memcli.errors import MemError
from memcli.records import Record
from memcli.replication.transports import SEGMENT_BYTES, Deadline, too_slow

_PROTOCOLS = "https:http:ssh:git:file"
_LARGEST_FILE = 1 << 30  # bytes that git may write at once: no remote fills the disk
_MOST_MEMORY = (
    "400m"  # that git takes at once: what is larger, packed small, is not unpacked; files beyond the limit are streamed
)
_LONGEST_LIST = 32 << 20  # bytes of a list of refs: a remote can name any number of them
_LONGEST_REMARKS = 1 << 16  # bytes that are read of the end of what git and the remote say beside it
_PATIENCE = 10.0  # seconds for the question whether everybody can read a remote
_OPTIONS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.bigFileThreshold": str(SEGMENT_BYTES),
    "gc.auto": "0",
    "pack.window": "0",  # looking for likenesses among lines takes longer than sending them, and saves nothing
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "no",
    "push.recurseSubmodules": "no",
    "push.gpgSign": "false",
    "push.followTags": "false",
    "commit.gpgSign": "false",
    "transfer.fsckObjects": "true",
    "protocol.ext.allow": "never",
    "http.lowSpeedLimit": "100",
    "http.lowSpeedTime": "20",
    "safe.bareRepository": "all",
}
# What runs in a repository on this machine, which may have come with an archive, starts no program that it names: no hook, no
# setting, no transport for objects that it lacks. git takes settings of ours out of the environment there.
_IN_REPOSITORY = (
    f"GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git -c core.hooksPath={os.devnull} -c core.alternateRefsCommand=true"
    " -c core.fsmonitor=false -c receive.autogc=false -c receive.denyCurrentBranch=refuse"
)
# How the person reaches hosts that take nothing of theirs: what names their proxies and whom they trust, no key and no header.
_OWN_WAYS = re.compile(
    r"http\.(.*\.)?(proxy|proxyauthmethod|proxysslcainfo|sslcainfo|sslcapath|sslbackend|schannel[a-z]+|version)", re.IGNORECASE
)
# An ssh key cannot be taken from whoever uses it, but who uses it is told to the host: only hosts that the person has met. An ssh
# command of the person's own may greet others, so it is not used: git prefers this one to GIT_SSH.
_SSH_TO_MET_HOSTS = (
    "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oForwardAgent=no -oForwardX11=no -oClearAllForwardings=yes"
    " -oConnectTimeout=10"
)
_NOBODY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": os.devnull,
    "NETRC": os.devnull,
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_SSH_COMMAND": _SSH_TO_MET_HOSTS,
}
_HINTS = (
    (("could not read Username", "Authentication failed", "terminal prompts disabled"), "log in to the remote as for git push"),
    (("Permission denied", "publickey"), "check that git push works there"),
    (("Host key verification failed",), "connect once with ssh, so that its host key is known"),
    (("No space left", "unpacker error"), "the remote has no room or cannot write: whoever runs it can help"),
    (
        ("denied", "not allowed", "forbidden", "403"),
        "check that you may push to this remote; who may only read uses mem sync pull",
    ),
)
_OF_GIT = ("fatal: ", "error: ", "remote: ")
_LOGIN = re.compile(r"//[^/@\s]+@")  # what an address has before its host, as where a setting rewrites it
_NO_ANSWER = "Could not read from remote repository."  # ssh says why before it
_IS_REMARK = re.compile(r"Warning: |[@*\s]*$")


class GitResult(Record):
    """The exit code of a run of git, and what it printed."""

    code: int
    out: bytes
    err: str


class Git:
    """Runs git in one bare repository, within one deadline, with settings that only the environment carries."""

    def __init__(self, folder: str, settings: Sequence[tuple[str, str]], deadline: Deadline) -> None:
        self.folder = folder
        self._settings = [*_OPTIONS.items(), *settings]
        self._deadline = deadline
        self._environment: dict[str, str] = {}

    def prepare(self) -> None:
        """Makes the bare repository where there is none. A lock that a killed git left is taken away: we are its only user."""
        if not os.path.exists(os.path.join(self.folder, "HEAD")):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            self.run("init", "--bare", "--quiet", "--template=", ".", bare=False)
        for path, _, names in os.walk(self.folder):
            for name in names:
                if name.endswith(".lock"):
                    os.unlink(os.path.join(path, name))

    def run(
        self, *arguments: str, stdin: bytes = b"", check: bool = True, bare: bool = True, writes_there: bool = False
    ) -> GitResult:
        """Runs git to its end. Raises MemError where it fails, unless `check` is off, and where time is over.

        `writes_there`: it makes files in a remote on this machine, which other people of it may use.
        """
        with tempfile.TemporaryFile() as remarks:
            process = self.start(*arguments, bare=bare, remarks=remarks, umask=system.persons_umask() if writes_there else -1)
            try:
                out, _ = process.communicate(stdin, timeout=self._deadline.remaining())
            except subprocess.TimeoutExpired:
                system.end_group(process)
                raise too_slow(self._deadline.seconds) from None
            except BaseException:
                system.end_group(process)
                raise
            result = GitResult(process.returncode, out, _end_of(remarks))
        if check and result.code:
            raise failure(arguments[0], result)
        return result

    def listed(self, *arguments: str, check: bool = True) -> list[str]:
        """Returns the lines that git prints of a remote, which may name more than anybody could hold: it is stopped there."""
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as remarks:
            process = self.start(*arguments, printed=printed, remarks=remarks)
            try:
                process.communicate(timeout=self._deadline.remaining())
            except subprocess.TimeoutExpired:
                raise too_slow(self._deadline.seconds) from None
            finally:
                system.end_group(process)
            printed.seek(0)
            result = GitResult(process.returncode, printed.read(_LONGEST_LIST + 1), _end_of(remarks))
        if len(result.out) >= _LONGEST_LIST:
            raise MemError("the remote names too many refs", "whoever set it up can look at git ls-remote", "remote_malformed")
        if check and result.code:
            raise failure(arguments[0], result)
        return result.out.decode("utf-8", "replace").splitlines()

    def start(
        self,
        *arguments: str,
        bare: bool = True,
        printed: IO[bytes] | None = None,
        remarks: IO[bytes] | None = None,
        umask: int = -1,
    ) -> subprocess.Popen[bytes]:
        """Starts git in a process group of its own, with pipes, or with files that get what it prints."""
        self._environment = self._environment or environment(self._settings)
        program = shutil.which("git")
        if program is None:
            raise MemError("git is not on PATH", "install git", "no_git")
        words = [program, *([f"--git-dir={self.folder}"] if bare else ["-C", self.folder]), *arguments]
        return subprocess.Popen(
            system.with_largest_file(words, _LONGEST_LIST if printed else _LARGEST_FILE),
            stdin=subprocess.PIPE,
            stdout=printed or subprocess.PIPE,
            stderr=remarks or subprocess.PIPE,
            env=self._environment,
            umask=umask,
            **system.own_group(),
        )


def _end_of(remarks: IO[bytes]) -> str:
    """Returns the end of a text in a file: a remote can say any number of things, and what matters comes last."""
    remarks.seek(max(0, remarks.seek(0, os.SEEK_END) - _LONGEST_REMARKS))
    return remarks.read().decode("utf-8", "replace")


def environment(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns our environment without what tells git to look elsewhere, with settings as git reads them from it: not from argv.

    How the person reaches their hosts stays: the ssh agent, their own ssh command, proxies.
    """
    ssh = {name: value for name, value in os.environ.items() if name in ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO")}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    counted = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        counted |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    fixed = {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOC_LIMIT": _MOST_MEMORY,
    }
    is_chosen = bool(ssh) or any(key.lower() == "core.sshcommand" for key, _ in settings)
    if not is_chosen:
        fixed["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes -oConnectTimeout=10"
    return inherited | ssh | counted | fixed


def own_ssh_command(address: str) -> list[tuple[str, str]]:
    """Returns the setting of the person or the machine that names an ssh command, for an address that is reached by it.

    That of a clone is not read.
    """
    if address.startswith(("http://", "https://", "file://", "/")):
        return []
    result = _asked(["git", "config", "--get", "core.sshCommand"], environment(()), _PATIENCE)
    command = result.stdout.decode("utf-8", "replace").strip() if result is not None else ""
    return [("core.sshCommand", command)] if command else []


def program_there(address: str, program: str) -> list[str]:
    """Returns the option with which git runs `upload-pack` or `receive-pack` in a repository on this machine; see above.

    A host runs what is its own.
    """
    return [f"--{program}={_IN_REPOSITORY} {program}"] if address.startswith(("/", "file://")) else []


def is_public(address: str, deadline: Deadline) -> bool:
    """Tells whether everybody can read a remote: by git's own protocol, which knows no login, or over HTTP without one.

    Over HTTP it asks the remote.
    """
    if address.startswith("git://"):
        return True
    if not address.startswith(("http://", "https://")):
        return False
    result = _asked(["git", "ls-remote", "--heads", "--", address], _of_nobody(), min(_PATIENCE, deadline.remaining()))
    return result is not None and (result.returncode == 0 or bool(result.stdout))  # it ends where it prints too much


def has_refs(address: str, pattern: str, deadline: Deadline) -> bool | None:
    """Tells whether a remote has refs of a pattern; None where it does not answer in time or says no.

    The address can be a stranger's: over HTTP nothing of the person's goes there, and ssh goes to hosts that they have met.
    """
    words = ["git", "ls-remote", "--refs", *program_there(address, "upload-pack"), "--", address, pattern]
    try:
        result = _asked(words, _of_nobody(), deadline.remaining())
    except MemError:
        return None
    return bool(result.stdout.strip()) if result is not None and result.returncode == 0 else None


def _of_nobody() -> dict[str, str]:
    """Returns the environment of a git that has no credentials, only the proxies and the authorities that the person set."""
    listed = _asked(["git", "config", "-z", "--get-regexp", r"^http\."], environment(()), _PATIENCE)
    entries = listed.stdout.decode("utf-8", "replace").split("\0") if listed is not None else []
    pairs = [(key, value) for key, _, value in [entry.partition("\n") for entry in entries] if _OWN_WAYS.fullmatch(key)]
    anonymous = [*_OPTIONS.items(), ("credential.helper", ""), ("http.emptyAuth", "false")]
    return environment([*pairs, *anonymous]) | _NOBODY


def _asked(words: list[str], env: dict[str, str], seconds: float) -> subprocess.CompletedProcess[bytes] | None:
    """Runs git outside of any repository, whose configuration could name programs. None where it does not end in time."""
    with tempfile.TemporaryFile() as printed:
        try:
            done = subprocess.run(
                system.with_largest_file(words, _LONGEST_LIST),
                stdout=printed,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                env=env,
                check=False,
                cwd=os.path.abspath(os.sep),
                **system.own_group(),
            )
        except (subprocess.TimeoutExpired, OSError):
            return None
        printed.seek(0)
        return subprocess.CompletedProcess(words, done.returncode, printed.read(_LONGEST_LIST))


def failure(verb: str, result: GitResult) -> MemError:
    """Returns the error to show for a run of git that failed."""
    lines = [line for line in result.err.strip().splitlines() if line.strip()]
    reason = next((line for line in lines if line.startswith(_OF_GIT)), lines[-1] if lines else "")
    if reason.endswith(_NO_ANSWER) and (of_ssh := [line for line in lines[: lines.index(reason)] if not _IS_REMARK.match(line)]):
        reason = of_ssh[-1]
    elif reason.startswith(_OF_GIT):
        reason = reason.partition(": ")[2]
    reason = _LOGIN.sub("//", reason) or f"exit code {result.code}"
    return MemError(f"git {verb}: {reason[:300]}", f"nothing is lost; {hint(result.err)}", "remote_failed")


def hint(err: str) -> str:
    """Returns what to do about what git printed when a remote failed."""
    return next((text for signs, text in _HINTS if any(sign in err for sign in signs)), "check the remote with git ls-remote")
