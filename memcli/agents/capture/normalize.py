"""What a harness says of one event, in its own names, as one record in ours, redacted and cut to size.

The names differ between harnesses and drift with their versions, so one table has every name that any of them uses; the first one
present counts, unknown ones are passed over, and whatever is missing is left out.

`HarnessEvent.body` is what the queue stores, as a JSON object. All of it is optional:

| field | of | what |
| --- | --- | --- |
| root, commit | every event | top of the working tree; the commit that was checked out |
| cwd, turn, agent | every event | directory; the harness's ids of the turn and of a subagent |
| transcript | every event | path of the harness's own record, which is never copied |
| source, model | session-start | startup, resume, clear, compact …; the model |
| prompt, skipped | user-prompt | the text; `private` where nothing else was in it |
| tool, tool_id, input | post-tool-use | name; id of the call; its arguments, as JSON, strings cut |
| result, failed, interrupted | post-tool-use | what came back, as text; 1 where the call failed; 1 where somebody stopped it |
| prompt, reply | stop | the last words of the person and of the agent |
| trigger, summary | pre-compact | manual or auto; the harness's own summary |
| reason | session-end | why it ended |
"""

from __future__ import annotations

import os

from memcli.records import Record
from memcli.text import json
from memcli.text.privacy import public
from memcli.text.secrets import mask, mask_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAMES = {
    "session": ("session_id", "sessionId", "conversation_id", "sessionID", "sessionKey"),
    "turn": ("turn_id", "prompt_id", "generation_id", "turnId"),
    "cwd": ("cwd", "working_dir", "workspace_roots"),
    "agent": ("agent_id", "agentId"),
    "transcript": ("transcript_path", "transcriptPath"),
    "source": ("source",),
    "model": ("model",),
    "prompt": ("prompt", "last_user_message", "message"),
    "tool": ("tool_name", "toolName"),
    "tool_id": ("tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "callID"),
    "input": ("tool_input", "toolArgs", "tool_args", "params"),
    "result": ("tool_response", "tool_result", "toolResult", "tool_output", "result", "output"),
    "error": ("error", "error_message"),
    "reply": ("last_assistant_message", "prompt_response", "text"),
    "trigger": ("trigger",),
    "summary": ("compact_summary",),
    "reason": ("reason",),
}
ALWAYS = ("cwd", "turn", "agent", "transcript")
TEXTS = {  # what each event may hold beyond that, as text
    "session-start": ("source", "model"),
    "user-prompt": ("prompt",),
    "post-tool-use": ("tool", "tool_id"),
    "stop": ("prompt", "reply"),
    "pre-compact": ("trigger", "summary"),
    "session-end": ("reason",),
}
# Events of a file or a command that carry no tool: what stands for the tool, and what for its arguments.
TOOLLESS = {"afterFileEdit": ("Edit", ("file_path", "edits")), "afterShellExecution": ("Shell", ("command",))}
SAID = {"prompt": 8_000, "reply": 8_000, "summary": 8_000}  # characters that are kept; of other texts _SHORT
_SHORT = 1_000
_MARGIN = 4_096  # characters around a cut that are screened, too: longer than any secret on one line
_KEY_MARGIN = 32_768  # the same where there is a private key, whose block has many lines
_KEYS = ("PRIVATE KEY", "Private-Lines")
_PATCH, _FILE = "*** Begin Patch", "\n*** "  # of Codex: how a patch begins, and each of its files
_TAIL = 0.4  # of what is kept of a long text comes from its end, where tests and builds say how they went
_FAILURES = ("error", "fail", "denied", "rejected", "timeout")  # in what a result calls itself; not in `text` or `json`
_DEEPEST = 12  # levels of nested arguments that are kept
_WORTH = 4  # times what one text may have, that all arguments of a call may have together


class HarnessEvent(Record):
    """One event of a harness. `session`: its name for the session; `body`: see above; `dedupe`: the same for the same event.

    A `dedupe` that ends in @ has no id of the harness in it: what happened again later is the same, too.
    """

    harness: str
    event: str
    session: str
    dedupe: str
    body: dict[str, Any]


def read(harness: str, event: str, payload: dict[str, Any], result_chars: int, moment: int) -> HarnessEvent:
    """Returns what a payload says. `result_chars`: the most of a tool's result; `moment`: now, in ms."""
    body = {name: clean(told, _SHORT) for name in ALWAYS if (told := _text(_get(payload, name)))}
    for name in TEXTS[event]:
        told = _text(_get(payload, name))
        kept = clean(told, SAID.get(name, _SHORT)).strip()
        if kept:
            body[name] = kept
        elif told.strip() and event == "user-prompt":
            body["skipped"] = "private" if "<private" in told.lower() else "context"
    if event == "post-tool-use":
        body |= _tool(payload, result_chars)
    session = clean(_name(_get(payload, "session")), _SHORT)[:200].strip() or _unnamed(moment)
    return HarnessEvent(harness, event, session, _dedupe(harness, event, session, body), body)


def _unnamed(moment: int) -> str:
    """Returns the name of the session of events that name none: one a day."""
    from memcli.text import dates

    return f"day-{dates.day(moment)}"


def directory(payload: dict[str, Any]) -> str:
    """Returns the directory that a payload names, where it is one; else the working directory, empty where that is gone."""
    named = _text(_get(payload, "cwd"))
    try:
        return named if named and "\0" not in named and os.path.isdir(named) else os.getcwd()
    except (OSError, UnicodeEncodeError):
        return ""


def _tool(payload: dict[str, Any], most: int) -> dict[str, Any]:
    """Returns what a payload says of a tool call: arguments, result, whether it failed."""
    said: dict[str, Any] = {}
    hook = payload.get("hook_event_name")
    tool, fields = TOOLLESS.get(hook if isinstance(hook, str) else "", ("", ()))
    given = {name: payload[name] for name in fields if name in payload} if fields else _get(payload, "input")
    if tool:
        said["tool"] = tool
    if isinstance(given, str) and given.startswith("{"):  # some hand over their arguments as JSON in a string
        try:
            given = json.loads(given)
        except json.Malformed:
            pass
    if given not in (None, "", {}):
        said["input"] = _cut(_short_patches(given, most), most)
    result, error = _get(payload, "result"), _get(payload, "error")
    if kept := _result(error if result in (None, "") and error else result, most):
        said["result"] = kept
    if error or str(hook).endswith("Failure") or _failed(result):
        said["failed"] = 1
    if payload.get("is_interrupt") is True or (isinstance(result, dict) and result.get("interrupted") is True):
        said["interrupted"] = 1
    return said


def _short_patches(given: Any, most: int) -> Any:
    """Returns a call's arguments with long patches cut file by file, so that each of their files is still named."""
    if not isinstance(given, dict):
        return _short_patch(given, most) if isinstance(given, str) else given
    return {name: _short_patch(value, most) if isinstance(value, str) else value for name, value in given.items()}


def _short_patch(text: str, most: int) -> str:
    if len(text) <= most or _PATCH not in text:
        return text
    head, *files = mask(public(text)).text.split(_FILE)  # a cut must not halve a secret
    names = [part.partition("\n")[0] for part in files]
    room = max(0, (most - len(head) - sum([len(name) + len(_FILE) + 2 for name in names])) // max(1, len(files)))
    return _FILE.join([head, *[f"{name}\n{part[len(name) + 1 :][:room]}\n" for name, part in zip(names, files)]])


def _failed(result: object) -> bool:
    if not isinstance(result, dict):
        return False
    kind = result.get("result_type", result.get("resultType"))
    code = result.get("exit_code", result.get("exitCode"))
    is_named = isinstance(kind, str) and any(word in kind.lower() for word in _FAILURES)
    is_coded = bool(code.strip(" 0")) if isinstance(code, str) else isinstance(code, (int, float)) and code != 0
    return is_named or is_coded or bool(result.get("is_error") or result.get("isError"))


def _get(payload: dict[str, Any], field: str) -> Any:
    for name in NAMES[field]:
        if name in payload:
            return payload[name]
    return None


def _text(value: Any) -> str:
    """Returns a value as text where it is one, or a list whose first is; empty otherwise."""
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else ""


def _name(value: Any) -> str:
    """Returns a name as text, a number as it is written; empty for others."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else _text(value)


def _result(value: Any, most: int) -> str:
    """Returns what a tool answered as text, cut; what has no text of its own as JSON."""
    told = _spoken(value)
    return clean(json.canonical(_cut(value, most)) if told is None else told, most)


def _spoken(value: Any) -> str | None:
    """Returns the text in a tool's answer, whichever of the known shapes it has; None for others."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        if "stdout" in value or "stderr" in value:
            said = [value.get("stdout"), value.get("stderr")]
            return "\n".join([part for part in said if isinstance(part, str) and part])
        for name in ("text_result_for_llm", "textResultForLlm", "llmContent", "content", "text", "message"):
            if isinstance(value.get(name), (str, list)):
                return _spoken(value[name])
    if isinstance(value, list) and value and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value):
        return "\n".join([part["text"] for part in value])
    return None


def _cut(value: Any, most: int) -> Any:
    """Returns a copy of a JSON value, screened by its texts and their names, cut to _WORTH times `most`."""
    return mask_payload(_walk(value, most, [_WORTH * most], 0)).value


def _walk(value: Any, most: int, left: list[int], depth: int) -> Any:
    """Returns a copy of a JSON value with every string in it screened and cut. `left[0]`: characters that may still be kept."""
    left[0] -= 8  # what any value costs, so that a million empty ones end, too
    if isinstance(value, str):
        kept = clean(value, max(0, min(most, left[0])))
        left[0] -= len(kept)
        return kept
    if isinstance(value, (dict, list)) and (depth >= _DEEPEST or left[0] <= 0):
        return "…"
    if isinstance(value, list):
        kept_items = []
        for item in value:
            if left[0] <= 0:
                break
            kept_items.append(_walk(item, most, left, depth + 1))
        return kept_items
    if isinstance(value, dict):
        found = {}
        for name, item in value.items():
            if left[0] <= 0:
                break
            left[0] -= len(name)
            found[clean(name, 200)] = _walk(item, most, left, depth + 1)
        return found
    return value if not isinstance(value, int) or abs(value) < 1 << 63 else str(value)[:20]


def clean(text: str, most: int) -> str:
    """Returns a text without private spans, injected context and secrets, in at most `most` characters and a note of the cut.

    Private spans are looked for in the whole. Secrets only near what is kept, and what is beside a cut is dropped: half a secret
    is not recognised.
    """
    text = public(text)
    margin = _MARGIN
    if len(text) > most and any(head in text for head in _KEYS):
        margin = _KEY_MARGIN
    if len(text) <= most + 2 * margin:
        text = storable(mask(text).text)
        return text if len(text) <= most else _joined(text, text, len(text), most)
    last = int(most * _TAIL)
    head, tail = mask(text[: most - last + margin]).text, mask(text[-last - margin :]).text
    return _joined(storable(head[:-margin]), storable(tail[margin:]), len(text), most)


def _joined(head: str, tail: str, size: int, most: int) -> str:
    """Returns the beginning of one text and the end of another, with a note between them of how much is missing."""
    last = int(most * _TAIL)
    head, tail = head[: most - last], tail[-last:] if last else ""
    return f"{head}\n[… {size - len(head) - len(tail)} characters left out …]\n{tail}"


def storable(text: str) -> str:
    """Returns a text without what no store can keep."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _dedupe(harness: str, event: str, session: str, body: dict[str, Any]) -> str:
    """Returns what two reports of one event have in common: names, the harness's id of it, and a digest of what was said.

    A tool call is known by its id alone. A turn may end twice with different words, so elsewhere the words count, too.
    """
    known = body.get("tool_id" if event == "post-tool-use" else "turn", "")
    if event == "post-tool-use" and known:
        return "|".join((harness, session, event, known))
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    said = {name: value for name, value in body.items() if name not in ALWAYS}
    digest = sha1(json.canonical(said).encode()).hexdigest()
    return "|".join((harness, session, event, known, digest)) + ("" if known else "@")


def skip_reason(body: dict[str, Any], skip: Sequence[str]) -> str:
    """Returns why a tool call is not worth keeping: skip_list, or own_tool for our own tools and commands; empty: it is.

    `skip`: names of tools; a * at the end stands for anything.
    """
    tool = body.get("tool", "")
    if tool.startswith(OWN_TOOLS):
        return "own_tool"
    for name in skip:
        if tool == name or (name.endswith("*") and tool.startswith(name[:-1])):
            return "skip_list"
    given = body.get("input")
    command = given.get("command") if isinstance(given, dict) else None
    return "own_tool" if isinstance(command, str) and "mem" in command and _only_mem(command) else ""


OWN_TOOLS = ("mcp__mem__", "mcp__plugin_mem_", "mcp_mem_", "mem__")  # the names of our tools as each harness prefixes them


def _only_mem(command: str) -> bool:
    """True for a command line that runs `mem` and nothing else but `cd`."""
    plain, quote = [], ""
    for char in command[:_SHORT]:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            plain.append("\n" if char in "&;|" else char)
    parts = [part.split() for part in "".join(plain).partition("<<")[0].split("\n")]
    names = [part[0].rpartition("/")[2] for part in parts if part]
    return "mem" in names and all(name in ("mem", "cd") for name in names)
