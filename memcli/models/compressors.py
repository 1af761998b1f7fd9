"""Models that condense what an agent did: a provider is a function of the settings; COMPRESSORS lists them by name.

`anthropic` and `openai` use the vendors' own libraries, `openai` with any server that speaks its API; `command` runs a program
that reads a prompt and prints an answer. Keys come from MEMPACK_COMPRESSOR_KEY or the vendor's own variable and are never stored.
Redirects are refused, nothing is retried, and no message repeats a key or what a server answered.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from memcli.config import Config
from memcli.models import program
from memcli.models.unavailable import CompressorError as CompressorError
from memcli.records import Record

KEY = "MEMPACK_COMPRESSOR_KEY"
AUTO = "auto"
MODELS = {"anthropic": "claude-haiku-4-5", "openai": "gpt-5-mini"}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
cancel_checks = program.cancel_checks


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


def _anthropic(config: Config) -> Compressor:
    def complete(prompt: str, max_tokens: int, seconds: float) -> Completion:
        library = _library("anthropic")
        client = _client(library, library.Anthropic, config, seconds)
        try:
            response = client.messages.create(
                model=_model(config, "anthropic"), max_tokens=max_tokens, messages=[{"role": "user", "content": prompt}]
            )
            text = "".join([block.text for block in response.content if getattr(block, "type", "") == "text"])
            return Completion(text[: program.MAX_OUTPUT], _tokens(response.usage, "input_tokens", "output_tokens"))
        except library.AnthropicError as problem:
            raise _failure(problem) from None
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
            return Completion(text[: program.MAX_OUTPUT], _tokens(response.usage, "prompt_tokens", "completion_tokens"))
        except library.OpenAIError as problem:
            raise _failure(problem) from None
        finally:
            client.close()

    return complete


def _command(config: Config) -> Compressor:
    return lambda prompt, max_tokens, seconds: Completion(program.run(config["compressor.command"], prompt, seconds), 0)


COMPRESSORS: dict[str, Callable[[Config], Compressor]] = {"anthropic": _anthropic, "openai": _openai, "command": _command}


def _library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise CompressorError(f"the package {name} is not installed", f"install memcli[{name}]") from None


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
    model = config["compressor.model"]
    return MODELS[vendor] if model == AUTO else str(model)


def _tokens(usage: Any, *fields: str) -> int:
    counts = [getattr(usage, field, 0) for field in fields]
    return sum([count for count in counts if isinstance(count, int) and 0 < count < 10_000_000])


def _failure(problem: Exception) -> CompressorError:
    status = getattr(problem, "status_code", None)
    reason = f"the server answered {status}" if isinstance(status, int) else type(problem).__name__
    return CompressorError(f"no answer from the model: {reason}", "check compressor.url, compressor.model and the key")
