"""Turns what a harness says about an event, in its own names, into one record with our names, redacted and cut to size.

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
| sizes | every event | of each text that somebody wrote and that is kept in part: the size of the whole |
| narration | stop | what the agent said before its answer, of a plugin of ours |
| cited | post-tool-use | ids of memories that a call of our own tools named; then nothing else of the call is kept |
| left | stop | what the to-do list left, of an imported session |
| past | every event | the command of the log by which the session was imported |
| trigger, summary | pre-compact | manual or auto; the harness's own summary |
| reason | session-end | why it ended |
"""

from __future__ import annotations

from memcli.records import Record
from memcli.screening import mask, mask_payload, public, safe_name
from memcli.text import json
from memcli.text.terminal import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    "narration": ("narration",),
    "trigger": ("trigger",),
    "summary": ("compact_summary",),
    "reason": ("reason",),
}
_RESTARTING = "http"  # whose numbers of prompts may begin anew, or be 1 always
ALWAYS = ("cwd", "turn", "agent", "transcript")
TEXTS = {  # what each event may hold beyond that, as text
    "session-start": ("source", "model"),
    "user-prompt": ("prompt",),
    "post-tool-use": ("tool", "tool_id"),
    "stop": ("prompt", "reply", "narration"),
    "pre-compact": ("trigger", "summary"),
    "session-end": ("reason",),
}
# Events of a file or a command that carry no tool: what stands for the tool, and what for its arguments.
TOOLLESS = {"afterFileEdit": ("Edit", ("file_path", "edits")), "afterShellExecution": ("Shell", ("command",))}
WORDS = ("prompt", "reply", "narration", "summary")  # what somebody wrote; of other texts _SHORT_TEXT characters are kept
MAX_TEXT = 8_000  # characters that are stored of them: six bytes each at worst, and an operation holds 64 KiB
_SHORT_TEXT = 1_000
_MARGIN = 4_096  # characters around a cut that are screened, too: longer than any secret on one line
_KEY_MARGIN = 32_768  # the same where there is a private key, whose block has many lines
_KEYS = ("PRIVATE KEY", "Private-Lines")
_PATCH, _FILE = "*** Begin Patch", "\n*** "  # of Codex: how a patch begins, and each of its files
_FAILURES = ("error", "fail", "denied", "rejected", "timeout")  # in what a result calls itself; not in `text` or `json`
_DEEPEST = 12  # levels of nested arguments that are kept
_WORTH = 4  # times what one text may have, that all arguments of a call may have together


class HarnessEvent(Record):
    """One event of a harness. `session`: its name for the session; `body`: see above; `dedupe`: equal for the same event.

    A `dedupe` that ends in @ contains no id of the harness, so that a later repetition has the same one.
    """

    harness: str
    event: str
    session: str
    dedupe: str
    body: dict[str, Any]


def read(harness: str, event: str, payload: dict[str, Any], result_chars: int, moment: int) -> HarnessEvent:
    """Returns the event in a payload. `result_chars`: the limit on a tool's result; `moment`: now, in ms."""
    body: dict[str, Any] = {name: clean(text, _SHORT_TEXT) for name in ALWAYS if (text := text_of(payload, name))}
    for name in TEXTS[event]:
        text = text_of(payload, name)
        cut, size = captured(text) if name in WORDS else (clean(text, _SHORT_TEXT), 0)
        if cleaned := cut.strip():
            body[name] = cleaned
            if size:
                body.setdefault("sizes", {})[name] = size
        elif text.strip() and event == "user-prompt":
            body["skipped"] = "private" if "<private" in text.lower() else "context"
    if event == "post-tool-use":
        body |= _tool(payload, result_chars)
    session = _session(payload, moment)
    return HarnessEvent(harness, event, session, _dedupe(harness, event, session, body), body)


def before_call(harness: str, event: str, payload: dict[str, Any], moment: int) -> HarnessEvent:
    """Returns the call in a payload that is about to be made. It is answered, not stored, so nothing is screened."""
    body: dict[str, Any] = {name: text for name in ("cwd", "agent", "tool") if (text := text_of(payload, name))}
    return HarnessEvent(harness, event, _session(payload, moment), "", {**body, "input": _arguments(_field(payload, "input"))})


def _session(payload: dict[str, Any], moment: int) -> str:
    return clean(safe_name(_name(_field(payload, "session"))), _SHORT_TEXT)[:200].strip() or _daily_session(moment)


def _arguments(value: Any) -> Any:
    """Returns a call's arguments, which some harnesses send as JSON in a string."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except json.Malformed:
            pass
    return value


def _daily_session(moment: int) -> str:
    """Returns the name of the session of events that name none: one per day."""
    from memcli.text import dates

    return f"day-{dates.day(moment)}"


def _tool(payload: dict[str, Any], max_chars: int) -> dict[str, Any]:
    """Returns the tool call in a payload: arguments, result, whether it failed."""
    fields: dict[str, Any] = {}
    hook = payload.get("hook_event_name")
    tool, argument_fields = TOOLLESS.get(hook if isinstance(hook, str) else "", ("", ()))
    arguments = (
        {name: payload[name] for name in argument_fields if name in payload} if argument_fields else _field(payload, "input")
    )
    if tool:
        fields["tool"] = tool
    arguments = _arguments(arguments)
    if arguments not in (None, "", {}):
        fields["input"] = _screened(_short_patches(arguments, max_chars), max_chars)
    result, error = _field(payload, "result"), _field(payload, "error")
    output = _result(error if result in (None, "") and error else result, max_chars)
    if output:
        fields["result"] = output
    if error or str(hook).endswith("Failure") or _failed(result):
        fields["failed"] = 1
    if (
        not output.strip()
        and not _has_text(fields.get("input"))
        and "<private" in json.canonical([arguments, result, error]).lower()
    ):
        fields["skipped"] = "private"
    if payload.get("is_interrupt") is True or (isinstance(result, dict) and result.get("interrupted") is True):
        fields["interrupted"] = 1
    return fields


def _has_text(value: Any) -> bool:
    """Tells whether a JSON value contains any text, apart from field names."""
    if isinstance(value, (dict, list)):
        return any(_has_text(item) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and bool(value.strip())


def _short_patches(arguments: Any, max_chars: int) -> Any:
    """Returns a call's arguments with long patches cut file by file, so that each file is still named."""
    if not isinstance(arguments, dict):
        return _short_patch(arguments, max_chars) if isinstance(arguments, str) else arguments
    return {name: _short_patch(value, max_chars) if isinstance(value, str) else value for name, value in arguments.items()}


def _short_patch(text: str, max_chars: int) -> str:
    if len(text) <= max_chars or _PATCH not in text:
        return text
    head, *files = mask(public(text)).text.split(_FILE)  # a cut must not halve a secret
    names = [file.partition("\n")[0] for file in files]
    size = max(0, (max_chars - len(head) - sum([len(name) + len(_FILE) + 2 for name in names])) // max(1, len(files)))
    return _FILE.join([head, *[f"{name}\n{file[len(name) + 1 :][:size]}\n" for name, file in zip(names, files)]])


def _failed(result: object) -> bool:
    if not isinstance(result, dict):
        return False
    kind = result.get("result_type", result.get("resultType"))
    code = result.get("exit_code", result.get("exitCode"))
    is_named = isinstance(kind, str) and any(word in kind.lower() for word in _FAILURES)
    is_coded = bool(code.strip(" 0")) if isinstance(code, str) else isinstance(code, (int, float)) and code != 0
    return is_named or is_coded or bool(result.get("is_error") or result.get("isError"))


def _field(payload: dict[str, Any], field: str) -> Any:
    for name in NAMES[field]:
        if name in payload:
            return payload[name]
    return None


def text_of(payload: dict[str, Any], field: str) -> str:
    """Returns a field of a payload, by our name for it, if it is text or a list that begins with text, else ""."""
    return first_text(_field(payload, field))


def first_text(value: Any) -> str:
    """Returns a value that is text, or the first item of a list if that is text, else ""."""
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else ""


def _name(value: Any) -> str:
    """Returns a name or a number as text, "" for other values."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else first_text(value)


def _result(value: Any, max_chars: int) -> str:
    """Returns a tool's answer as text, or as JSON if it has no text, cut to size."""
    text = _answer_text(value)
    return clean(json.canonical(_screened(value, max_chars)) if text is None else text, max_chars)


def _answer_text(value: Any) -> str | None:
    """Returns the text in a tool's answer of any known shape; None for others."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        if "stdout" in value or "stderr" in value:
            streams = [value.get("stdout"), value.get("stderr")]
            return "\n".join([piece for piece in streams if isinstance(piece, str) and piece])
        for name in ("text_result_for_llm", "textResultForLlm", "llmContent", "content", "text", "message"):
            if isinstance(value.get(name), (str, list)):
                return _answer_text(value[name])
    if (
        isinstance(value, list)
        and value
        and all(isinstance(piece, dict) and isinstance(piece.get("text"), str) for piece in value)
    ):
        return "\n".join([piece["text"] for piece in value])
    return None


def _screened(value: Any, max_chars: int) -> Any:
    """Returns a copy of a JSON value, screened by its texts and field names, cut to _WORTH times `max_chars`."""
    return mask_payload(_screened_copy(value, max_chars, [_WORTH * max_chars], 0)).value


def _screened_copy(value: Any, max_chars: int, remaining: list[int], depth: int) -> Any:
    """Returns a copy of a JSON value, each string screened and cut. `remaining[0]`: characters that may still be kept."""
    remaining[0] -= 8  # what any value costs, so that a million empty ones end, too
    if isinstance(value, str):
        text = clean(value, max(0, min(max_chars, remaining[0])))
        remaining[0] -= len(text)
        return text
    if isinstance(value, (dict, list)) and (depth >= _DEEPEST or remaining[0] <= 0):
        return "…"
    if isinstance(value, list):
        items = []
        for item in value:
            if remaining[0] <= 0:
                break
            items.append(_screened_copy(item, max_chars, remaining, depth + 1))
        return items
    if isinstance(value, dict):
        result = {}
        for name, item in value.items():
            if remaining[0] <= 0:
                break
            remaining[0] -= len(name)
            result[clean(name, 200)] = _screened_copy(item, max_chars, remaining, depth + 1)
        return result
    return value if not isinstance(value, int) or abs(value) < 1 << 63 else str(value)[:20]


def clean(text: str, max_chars: int) -> str:
    """Returns a text without private spans, injected context and secrets, in at most `max_chars` characters and a note of a cut.

    Private spans are searched for in the whole, secrets only near what is kept. What is beside a cut is dropped: half a secret
    is not recognised.
    """
    text = public(text)
    if len(text) <= max_chars and len(text := storable(mask(text).text)) <= max_chars:
        return text
    from memcli.screening.ends import masked_end
    from memcli.text import cuts  # few texts are so long

    margin = _MARGIN
    if len(text) > max_chars and any(head in text for head in _KEYS):
        margin = _KEY_MARGIN
    if len(text) <= max_chars + 2 * margin:
        text = storable(mask(text).text)
        return text if len(text) <= max_chars else cuts.with_gap(text, text, len(text), max_chars)
    tail_size = cuts.tail_room(max_chars)
    head, tail = mask(text[: max_chars - tail_size + margin]).text, masked_end(text, tail_size, margin)
    return cuts.with_gap(storable(head[:-margin]), storable(tail), len(text), max_chars)


def captured(text: str) -> tuple[str, int]:
    """Returns what the queue stores of somebody's words, and the full size if that is more, else 0. A worker cuts it."""
    if len(text) <= MAX_TEXT:
        return clean(text, MAX_TEXT), 0
    from memcli.text import cuts

    whole = public(text)
    most, size = (cuts.LONGEST, 0) if len(whole) <= cuts.LONGEST else (cuts.LONGEST // 2, len(whole))
    return clean(whole, most), size


def _dedupe(harness: str, event: str, session: str, body: dict[str, Any]) -> str:
    """Returns what two reports of one event have in common: names, the harness's id, and a digest of what was said.

    A tool call is identified by its id alone. Elsewhere the words count, too: a turn may end twice with different words.
    """
    event_id = body.get("tool_id" if event == "post-tool-use" else "turn", "")
    if event == "post-tool-use" and event_id:
        return "|".join((harness, session, event, event_id))
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    content = {name: value for name, value in body.items() if name not in ALWAYS}
    digest = sha1(json.canonical(content).encode()).hexdigest()
    is_identified = event_id and not (event == "user-prompt" and harness == _RESTARTING)
    return "|".join((harness, session, event, event_id, digest)) + ("" if is_identified else "@")
