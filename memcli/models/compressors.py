"""Models that condense what an agent did: a provider is a function of the settings, with a name in COMPRESSORS.

`anthropic` and `openai` use the vendors' own libraries, `openai` with any server that speaks its API; `command` runs a program
that reads a prompt and prints an answer. Keys come from MEMPACK_COMPRESSOR_KEY or the vendor's own variable and are kept nowhere.
No redirect is followed, nothing is tried twice, and no message repeats a key or what a server said.
"""

from __future__ import annotations

import os

from memcli.errors import MemError
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.config import Config

    Compressor = Callable[[str, int, float], "Answer"]

KEY = "MEMPACK_COMPRESSOR_KEY"
AUTO = "auto"
MODELS = {"anthropic": "claude-haiku-4-5", "openai": "gpt-5-mini"}
LARGEST = 262_144  # characters of an answer
stop_asked: list[Callable[[], bool]] = []  # asked while a program runs: whether whoever waits for it was told to end
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Answer(Record):
    """What a model said, and the tokens that question and answer took, 0 where nobody counted them."""

    text: str
    tokens: int


class Unanswered(MemError):
    """There is no answer to be had: a package, a key, a server, a program is missing, or it failed."""

    code = "compressor"


def compressor(config: Config) -> Compressor | None:
    """Returns the function (prompt, most tokens of the answer, seconds) -> Answer that the settings name, None for "none".

    Raises Unanswered for a name that is none.
    """
    name = config["compressor.provider"]
    if name == "none":
        return None
    if name not in COMPRESSORS:
        raise Unanswered(f"no compressor {name!r}", f"set compressor.provider to none, {', '.join(COMPRESSORS)}")
    return COMPRESSORS[name](config)


def _anthropic(config: Config) -> Compressor:
    def ask(prompt: str, most: int, seconds: float) -> Answer:
        library = _library("anthropic")
        client = _client(library, library.Anthropic, config, seconds)
        try:
            said = client.messages.create(
                model=_model(config, "anthropic"), max_tokens=most, messages=[{"role": "user", "content": prompt}]
            )
            text = "".join([part.text for part in said.content if getattr(part, "type", "") == "text"])
            return Answer(text[:LARGEST], _tokens(said.usage, "input_tokens", "output_tokens"))
        except library.AnthropicError as problem:
            raise _failed(problem) from None
        finally:
            client.close()

    return ask


def _openai(config: Config) -> Compressor:
    def ask(prompt: str, most: int, seconds: float) -> Answer:
        library = _library("openai")
        client = _client(library, library.OpenAI, config, seconds)
        # OpenAI's own newer models refuse the old name of the limit; other servers know only that.
        limit = {"max_completion_tokens" if config["compressor.url"] == AUTO else "max_tokens": most}
        try:
            said = client.chat.completions.create(
                model=_model(config, "openai"), messages=[{"role": "user", "content": prompt}], **limit
            )
            text = said.choices[0].message.content if said.choices else None
            return Answer((text or "")[:LARGEST], _tokens(said.usage, "prompt_tokens", "completion_tokens"))
        except library.OpenAIError as problem:
            raise _failed(problem) from None
        finally:
            client.close()

    return ask


def _command(config: Config) -> Compressor:
    def ask(prompt: str, most: int, seconds: float) -> Answer:
        from memcli.models.program import said

        return Answer(said(config["compressor.command"], prompt, seconds), 0)

    return ask


COMPRESSORS: dict[str, Callable[[Config], Compressor]] = {"anthropic": _anthropic, "openai": _openai, "command": _command}


def _library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise Unanswered(f"the package {name} is not installed", f"install memcli[{name}]") from None


def _client(library: Any, kind: Any, config: Config, seconds: float) -> Any:
    """Returns the vendor's client for the server of the settings. Raises Unanswered."""
    from urllib.parse import urlsplit

    url, key = config["compressor.url"], os.environ.get(KEY)
    more: dict[str, Any] = {"api_key": key} if key else {}
    local = False
    if url != AUTO:
        host = urlsplit(url).hostname
        local = host in _LOOPBACK
        if not host or not url.startswith(("http://", "https://")):
            raise Unanswered("compressor.url is no address of a server", "write it as https://host/v1")
        if url.startswith("http://") and not local:
            raise Unanswered(f"prompts and key would go to {host} unencrypted", "use https in compressor.url")
        more["base_url"] = url
        if local and not key:
            more["api_key"] = os.environ.get(f"{library.__name__.upper()}_API_KEY") or "none"
    try:
        web = library.DefaultHttpxClient(follow_redirects=False, trust_env=not local, timeout=seconds)
        return kind(timeout=seconds, max_retries=0, http_client=web, **more)
    except Exception as problem:
        raise Unanswered(f"{library.__name__}: {type(problem).__name__}", f"is {KEY} set?") from None


def _model(config: Config, provider: str) -> str:
    named = config["compressor.model"]
    return MODELS[provider] if named == AUTO else str(named)


def _tokens(usage: Any, *names: str) -> int:
    counted = [getattr(usage, name, 0) for name in names]
    return sum([count for count in counted if isinstance(count, int) and 0 < count < 10_000_000])


def _failed(problem: Exception) -> Unanswered:
    status = getattr(problem, "status_code", None)
    what = f"the server answered {status}" if isinstance(status, int) else type(problem).__name__
    return Unanswered(f"no answer from the model: {what}", "see compressor.url, compressor.model and the key")
