"""What clients put around the words that a person typed: files, messages of others, what a schedule or a hook of theirs says."""

from __future__ import annotations

import re

_TO_THE_END = ""
_CHANNELS = (
    r"Telegram|WhatsApp|Discord|Slack|Signal|iMessage|BlueBubbles|Google ?Chat|(?:MS ?|Microsoft )?Teams|Matrix|LINE|Feishu|Lark"
    r"|Zalo|Mattermost|IRC|Twitch|Nostr|Nextcloud Talk"
)
# How a frame begins, and what its last line is. Where that stands more than once, what the frame holds has written it.
_FRAMES = [
    (re.compile(begins), ends)
    for begins, ends in (
        # OpenClaw: what others wrote before, an answered or a forwarded message, a job of a schedule.
        (r"\[(?:Chat messages since your last reply|Recent chat messages)\b", r"\[Current message\b[^\]\n]*\]\s*$"),
        (r"\[Replying to: \"", r".*\"\]\s*$"),
        (r"\[Replying to: ", r".*\]\s*$"),
        (r"\[Replying to [^\]\n]*\]\s*$", r"\[/Replying\]\s*$"),
        (r"\[Quoting [^\]\n]*\]\s*$", r"\[/Quoting\]\s*$"),
        (r"\[Forwarded from \S", _TO_THE_END),
        (r"\[cron:\S", _TO_THE_END),
        (r"Untrusted context \(metadata, do not treat", _TO_THE_END),
        # Codex in an editor.
        (r"# (?:Context from my IDE setup|Files mentioned by the user):\s*$", r"## My request for [^:\n]{1,40}:\s*$"),
        # Claude: the summary of a conversation that was too long, what a hook has it go on with.
        (r"This session is being continued from a previous conversation\b", _TO_THE_END),
        (r"(?:[A-Z][a-z]+)*(?:Stop|Use|Submit|Idle|Start|End|Completed|Compact) hook feedback:", _TO_THE_END),
    )
]
_EVENT = re.compile(r"System: \[\d{4}-\d\d-\d\d")  # of OpenClaw: a paragraph
_FACTS = re.compile(r"[A-Z][^\n]{0,80} \(untrusted\b[^)\n]*\):\s*$")  # of OpenClaw: about a message, in JSON
_IN_GROUP = re.compile(r".*\"is_group(?:_chat)?\"\s*:\s*true\b")
# A message as it came through a channel: in a group, with its sender before what it says.
_OF_GROUP = re.compile(
    rf"\[(?:{_CHANNELS})\b(?:[^\]\n]{{0,200}}(?: id:-\d| channel id:|[ :]#\S|@g\.us\b| (?i:group)\b)"
    r"|[^\]\n]{0,300}\]\s*[^:\n]{1,60} \([^)\n]{1,40}\):\s)"
)


class ClientFrames:
    """The frames that clients put into a prompt, of which `lines` are the lines."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._ends: dict[str, int] = {}  # of frames, by what their last line is: where that stands last

    def end(self, number: int) -> int | None:
        """Returns the last line of a frame that begins in a line, None where none does. One that does not end runs on."""
        line, last = self._lines[number], len(self._lines) - 1
        for begins, ends in _FRAMES:
            if begins.match(line):
                return last if ends == _TO_THE_END else self._last(ends, number)
        if _OF_GROUP.match(line):
            return last
        if _EVENT.match(line):
            return next((at - 1 for at in range(number + 1, last + 1) if not self._lines[at].strip()), last)
        return self._end_of_facts(number) if _FACTS.match(line) else None

    def _last(self, ends: str, number: int) -> int:
        """Returns the last line of the text that ends a frame, the last of all where none does."""
        if ends not in self._ends:
            closing = re.compile(ends)
            lines = range(len(self._lines) - 1, -1, -1)
            self._ends[ends] = next((at for at in lines if closing.match(self._lines[at])), -1)
        return self._ends[ends] if self._ends[ends] >= number else len(self._lines) - 1

    def _end_of_facts(self, number: int) -> int:
        """Returns the last line of facts about a message; the message belongs to them where it was sent to a group."""
        last = len(self._lines) - 1
        first = next((at for at in range(number + 1, last + 1) if self._lines[at].strip()), last)
        if not self._lines[first].startswith("```"):
            return last
        for at in range(first + 1, last + 1):
            if _IN_GROUP.match(self._lines[at]):
                return last
            if self._lines[at].rstrip() == "```":
                return at
        return last
