"""Models that condense what an agent did: a provider is a function of the settings; COMPRESSORS lists them by name.

`anthropic` and `openai` use the vendors' own libraries, `openai` with any server that speaks its API; `command` runs a program
that reads a prompt and prints an answer. Keys come from MEMPACK_COMPRESSOR_KEY or the vendor's own variable and are never stored.
Redirects are refused, nothing is retried, and no message repeats a key or what a server answered.
"""

from __future__ import annotations

import importlib.util
import os
import selectors
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from memcli import system
from memcli.config import Config
from memcli.models.unavailable import CompressorError as CompressorError
from memcli.records import Record

KEY = "MEMPACK_COMPRESSOR_KEY"
AUTO = "auto"
FAMILIES = {"haiku": "claude-haiku-5-5", "sonnet": "claude-sonnet-5-5", "opus": "claude-opus-5-5"}  # short names of Anthropic's
MODELS = {"anthropic": FAMILIES["haiku"], "openai": "gpt-5-mini"}
GUARD = "MEMPACK_GUARD"  # under it hooks do nothing
MAX_OUTPUT = 262_144  # bytes that a program may print, characters of an answer that are used
cancel_checks: list[Callable[[], bool]] = []  # called while a program runs: whether the worker was told to stop
_POLL = 0.2  # seconds between two calls of these
_NOT_FOUND = 404
_CHECK_MODEL = "check compressor.model and compressor.url"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Completion(Record):
    """The text that a model returned, and the tokens of prompt and answer, 0 where nobody counted them."""

    text: str
    tokens: int


Compressor = Callable[[str, int, float], Completion]
"""(prompt, most tokens of the answer, seconds) -> Completion. Raises CompressorError."""


def compressor(config: Config) -> Compressor | None:
    """Returns the compressor that the settings name, None for "none". Raises CompressorError for an unknown name."""
    name = config["compressor.provider"]
    if name == "none":
        return None
    if name not in COMPRESSORS:
        raise CompressorError(f"no compressor {name!r}", f"set compressor.provider to none, {', '.join(COMPRESSORS)}")
    return COMPRESSORS[name](config)


def check(config: Config) -> None:
    """Raises CompressorError where it is plain without a call that the compressor cannot answer."""
    name = config["compressor.provider"]
    if name == "command":
        words = _words(config["compressor.command"])
        if shutil.which(words[0]) is None:
            raise CompressorError(f"{words[0]} is not found", "check compressor.command")
    elif compressor(config) and importlib.util.find_spec(name) is None:
        raise _not_installed(name)


def _anthropic(config: Config) -> Compressor:
    def complete(prompt: str, max_tokens: int, seconds: float) -> Completion:
        library = _library("anthropic")
        client = _client(library, library.Anthropic, config, seconds)
        try:
            response = client.messages.create(
                model=_model(config, "anthropic"), max_tokens=max_tokens, messages=[{"role": "user", "content": prompt}]
            )
            text = "".join([block.text for block in response.content if getattr(block, "type", "") == "text"])
            return Completion(text[:MAX_OUTPUT], _tokens(response.usage, "input_tokens", "output_tokens"))
        except library.AnthropicError as problem:
            raise _failure(problem, config, "anthropic") from None
        finally:
            client.close()

    return complete


def _openai(config: Config) -> Compressor:
    def complete(prompt: str, max_tokens: int, seconds: float) -> Completion:
        library = _library("openai")
        client = _client(library, library.OpenAI, config, seconds)
        # OpenAI's newer models refuse the old name of the limit; other servers know only the old one.
        limit = {"max_completion_tokens" if config["compressor.url"] == AUTO else "max_tokens": max_tokens}
        try:
            response = client.chat.completions.create(
                model=_model(config, "openai"), messages=[{"role": "user", "content": prompt}], **limit
            )
            text = (response.choices[0].message.content if response.choices else None) or ""
            return Completion(text[:MAX_OUTPUT], _tokens(response.usage, "prompt_tokens", "completion_tokens"))
        except library.OpenAIError as problem:
            raise _failure(problem, config, "openai") from None
        finally:
            client.close()

    return complete


def _command(config: Config) -> Compressor:
    return lambda prompt, max_tokens, seconds: Completion(run_program(config["compressor.command"], prompt, seconds), 0)


COMPRESSORS: dict[str, Callable[[Config], Compressor]] = {"anthropic": _anthropic, "openai": _openai, "command": _command}


def _library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise _not_installed(name) from None


def _not_installed(name: str) -> CompressorError:
    return CompressorError(f"the package {name} is not installed", f"install memcli[{name}]")


def _client(library: Any, client_class: Any, config: Config, seconds: float) -> Any:
    """Returns the vendor's client for the configured server. Raises CompressorError."""
    url, key = config["compressor.url"], os.environ.get(KEY)
    options: dict[str, Any] = {"api_key": key} if key else {}
    is_local = False
    if url != AUTO:
        host = urlsplit(url).hostname
        is_local = host in _LOOPBACK
        if not host or not url.startswith(("http://", "https://")):
            raise CompressorError("compressor.url is not an address of a server", "write it as https://host/v1")
        if url.startswith("http://") and not is_local:
            raise CompressorError(f"prompts and key would be sent to {host} unencrypted", "use https in compressor.url")
        options["base_url"] = url
        if is_local and not key:
            options["api_key"] = os.environ.get(f"{library.__name__.upper()}_API_KEY") or "none"
    try:
        http_client = library.DefaultHttpxClient(follow_redirects=False, trust_env=not is_local, timeout=seconds)
        return client_class(timeout=seconds, max_retries=0, http_client=http_client, **options)
    except Exception as problem:
        raise CompressorError(f"{library.__name__}: {type(problem).__name__}", f"is {KEY} set?") from None


def _model(config: Config, vendor: str) -> str:
    model = str(config["compressor.model"])
    families = FAMILIES if vendor == "anthropic" else {}
    return MODELS[vendor] if model == AUTO else families.get(model.lower(), model)


def _tokens(usage: Any, *fields: str) -> int:
    counts = [getattr(usage, field, 0) for field in fields]
    return sum([count for count in counts if isinstance(count, int) and 0 < count < 10_000_000])


def _failure(problem: Exception, config: Config, vendor: str) -> CompressorError:
    status = getattr(problem, "status_code", None)
    reason = f"the server answered {status}" if isinstance(status, int) else type(problem).__name__
    if status == _NOT_FOUND:
        return CompressorError(f"the server knows no model {_model(config, vendor)!r}, or not this address", _CHECK_MODEL)
    return CompressorError(f"no answer from the model: {reason}", "check compressor.url, compressor.model and the key")


def run_program(command: str, prompt: str, seconds: float) -> str:
    """Returns what a program prints that reads the prompt on standard input: in a process group of its own, with a time limit.

    A variable in its environment silences our hooks, so that a harness that runs as compressor is not observed itself. The
    system kills it when the worker dies. Raises CompressorError where it cannot start, fails, is late or prints too much.
    """
    words = _words(command)
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/",
            env={**os.environ, GUARD: "1"},
            **system.own_group(dies_with_us=True),
        )
    except OSError as problem:
        reason = (problem.strerror or "").lower()
        raise CompressorError(f"{words[0]} cannot be run: {reason}", "check compressor.command") from None
    try:
        output = _exchange(child, prompt.encode("utf-8", "replace"), time.monotonic() + seconds)
        code = child.wait(timeout=max(0.1, seconds))
    except subprocess.TimeoutExpired:
        raise CompressorError(f"{words[0]} did not exit", "see compressor.timeout") from None
    finally:
        system.end_group(child)
    if code:
        raise CompressorError(f"{words[0]} exited with {code}", "check compressor.command")
    return output.decode("utf-8", "replace")


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise CompressorError("compressor.command is not a command", "such as: mem config set compressor.command 'claude -p'")
    return words


def _exchange(child: subprocess.Popen[bytes], prompt: bytes, deadline: float) -> bytes:
    """Writes the prompt and reads the answer at the same time, so that neither blocks the other. Raises CompressorError."""
    assert child.stdin is not None
    assert child.stdout is not None
    if not system.WAITS_FOR_PIPES:
        return child.communicate(prompt, timeout=max(0.1, deadline - time.monotonic()))[0][:MAX_OUTPUT]
    system.never_block(child.stdin.fileno())
    blocks: list[bytes] = []
    size, unsent = 0, memoryview(prompt)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdin, selectors.EVENT_WRITE)
        selector.register(child.stdout, selectors.EVENT_READ)
        while selector.get_map():
            if time.monotonic() > deadline or any(is_canceled() for is_canceled in cancel_checks):
                raise CompressorError("the program took too long", "see compressor.timeout")
            for key, _ in selector.select(_POLL):
                if key.fileobj is child.stdin:
                    unsent = _write(child.stdin.fileno(), unsent)
                    if not unsent:
                        selector.unregister(child.stdin)
                        child.stdin.close()
                else:
                    block = os.read(child.stdout.fileno(), 1 << 16)
                    size += len(block)
                    blocks.append(block)
                    if not block:
                        selector.unregister(child.stdout)
                    if size > MAX_OUTPUT:
                        raise CompressorError("the program prints too much", "check compressor.command")
    return b"".join(blocks)


def _write(file: int, data: memoryview) -> memoryview:
    """Writes as much as the program accepts. Returns what is left; nothing where it stopped reading."""
    try:
        return data[os.write(file, data[: 1 << 16]) :]
    except BlockingIOError:
        return data
    except OSError:
        return data[:0]
