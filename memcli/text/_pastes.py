"""What is pasted as a whole: a mail, a chat, a ticket, code with its comments, a page with headings of its own."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, takewhile

from memcli.text import _quotation_cues as cues

_TURNS = 40  # lines in which a conversation, or the settings of a page, show what they are
_SAYING = 3  # words of what somebody says in one

_HEADER = re.compile(r"(From|Sent|To|Cc|Subject|Date|Reply-To|Von|An|Betreff|Gesendet|De|À|Objet|Asunto|Para): \S")  # of a mail
_FORWARDED = re.compile(r"\s*-{3,}\s*(forwarded|original|weitergeleitete|ursprüngliche|mensaje|message)\b.*-{3,}\s*$", re.I)
# Before a mail that is answered, a message of a chat, a file in what `head` and `tail` print: what follows is of others.
_WROTE = re.compile(
    r"\s*(?:On|Am|Le|El|Il|Op|Em|Den|Dnia|W dniu|On:)\s[^\n]{0,80}\d[^\n]{0,200}"
    r"\b(?:wrote|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisała?)\b[^\n]{0,200}[:：]\s*$",
    re.I,
)
_DAY = r"(?:\w{4,9}|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?(?: at)?"
_SENDER = re.compile(
    rf"\s*(?:@?[^\W\d_a-z][\w.'’-]{{0,30}}(?: [^\W\d_a-z][\w.'’-]{{0,30}}){{0,3}}(?:\s+(?:APP|BOT|\(.{{1,20}}\)))?\s*[,—–-]?"
    rf"|@?[\w.'’-]{{1,30}}\s*[—–])\s+[\[(]?(?:{_DAY}\s)?\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[APap]\.?[Mm]\.?)?[\])]?\s*$"
)
_OF_FILE = re.compile(r"\s*={2,}> \S.{0,200} <={2,}\s*$")
_PASTE_OF = re.compile(  # as a client, or a person, stands in for a paste
    r"\s*\[(?:Pasted text #\d+(?: \+(\d{1,6}) lines?)?|(?:pasted|copied|forwarded|quoted)(?: [^\]\n]{1,40})?)\]:?\s*$", re.I
)
# Above what somebody wrote in a tracker: who did, or the number of the ticket.
_POSTED = re.compile(
    r"\s*(?:\S[^\n]{0,60} (?:added|left|posted|wrote|made) a comment\b[^.!?\n]{0,60}"
    r"|\S[^\n]{0,40} commented(?: on [^.!?\n]{1,40}| [^.!?\n]{1,30} ago)?"
    r"|(?:Created|Opened|Reported|Posted|Submitted|Updated|Assigned|Edited) (?:by|to) [^.!?\n]{1,60}"
    r"|(?-i:[A-Z][A-Z0-9]+-\d+) [·|—–] \S[^\n]{0,120})\s*$",
    re.I,
)
# A mail without its head: who is greeted, and how it ends.
_GREETING = re.compile(
    r"\s*(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|cher|chère|hola|ciao|olá)"
    r"(?! (?:there|claude|codex|gemini|copilot|chatgpt|gpt|cursor|assistant|ai|bot|agent)\b) \w[^.!?:\n]{0,40},\s*$",
    re.I,
)
_FAREWELL = re.compile(
    r"\s*(?:(?:best|kind|warm|many)(?: regards| wishes| thanks)?|regards|cheers|thanks|thank you|sincerely|yours(?: \w+)?"
    r"|(?:viele|beste|liebe|mit freundlichen|freundliche) grü(?:ß|ss)en?|cordialement|bien à vous|saludos|un saludo"
    r"|saluti|abraços?|lg|vg|mfg)[,.!]?\s*$",
    re.I,
)
_NAMES = re.compile(r"[A-Za-z_][\w ]{0,30}(?:([,;\t])[A-Za-z_][\w ]{0,30})(?:\1[A-Za-z_][\w ]{0,30}){0,20}\s*$")  # of columns
# What is said in turns: each line with the name of who says it.
_TURN = re.compile(r"\s*[*_]{0,2}(@?[^\W\d][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,2})[*_]{0,2}:[*_]{0,2}(?:\s+(\S.*))?$")
_ROLES = frozenset("user assistant human ai system bot chatgpt gpt claude copilot gemini".split())
_TALK = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|thx|lol|(?:good )?morning)\b"
    r"|(?:ok|okay|yes|yeah|yep|no|nope|sure|hmm+|oh|cool)\b[,.!]?\s+\S",
    re.I,
)
_LABELS = frozenset(
    "task tasks goal goals context background note notes rule rules constraint constraints fix feat chore docs doc test tests bug"
    " todo important requirement requirements scope style input output expected actual step steps"
    " question answer problem solution"
    " example examples title description summary priority please also warning hint ps edit update url file files format"
    " convention conventions guideline guidelines instruction instructions acceptance criteria deliverable deliverables changes"
    " aufgabe aufgaben ziel ziele kontext anforderung anforderungen regel regeln hinweis hinweise vorgabe vorgaben schritte"
    " tâche tâches objectif contexte règle règles consigne consignes contrainte contraintes exigences étapes"
    " tarea tareas objetivo contexto regla reglas requisitos instrucciones pasos"
    " compito obiettivo contesto regole requisiti".split()
)
_REPORTERS = frozenset("reporter|reported by|opened by|author|created by|submitted by|assignee|requester|raised by".split("|"))
_ACCOUNTS = frozenset("description|summary|steps to reproduce|expected|actual|comment|subject|details".split("|"))  # of a ticket
_KEY_FIRST = re.compile(r"[a-z][\w-]*:(\s|$)")
_KEY = re.compile(r"[a-z][\w-]*:(\s|$)|\s+\S|\s*-\s|\s*$")  # a line of the settings that a page begins with
_FIELDS = frozenset(
    "title priority status type severity labels label component sprint milestone resolution".split()
)  # of a tracker
# Code, and comments in it.
_COMMENT = re.compile(r"\s*#(?!#)\s?\S")
_CODE = re.compile(
    r"\s*(?:#!/|import \w|from [\w.]+ import\b|(?:async )?def \w+\(|class \w+[(:]"
    r"|return(?: \S+)?;?$|echo\b|export \w+=|set -\w|sudo |fi$|done$"
    r"|esac$|if \[|(?:if|while) .*[(=._<>].*:$|for \w+ in .*(?::|do)$|@\w+(?:\(.*\))?$|elif |else:$|try:$|except\b.*:$"
    r"|#include\b|fn \w+|func \w+|(?:const|let|var) \w+|[\w.\[\]\"']+\s?(?:=|\+=|:=)\s?\S|[\w.]+\(.*\)[;:{]?$|.*[{}]$|.*\);$"
    r"|(?:cd|git|npm|pip|make|docker|curl|mkdir|rm|cp|mv|chmod|python3?|node) \S+$)"
)
# A document with headings of its own.
_TITLE = re.compile(r"# \S")
_SHORT_TITLE = re.compile(
    r"# (?!(?:tasks?|goals?|context|instructions?|rules?|background|todo|plan|notes?|requirements?)\b)\S+(?: \S+)?\s*$", re.I
)
_TITLE_WITH_BADGE = re.compile(r"# [^\n]{0,80}\[?!\[[^\]\n]*\]\(|[A-Za-z][^\n]{0,60}\[?!\[[^\]\n]*\]\(")
_HEADING = re.compile(r"#{1,4}\s+(\S.*)$")
_FEWEST_HEADINGS, _FEWEST_WORDS = 3, 120  # of what nobody types as a request
_NO_WORD = "*_`:()[]"
_ROW = re.compile(r"\s*\|.*\|\s*$")
_DELIMITER = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_UNDERLINE = re.compile(r"={3,}\s*$")
_BADGE = re.compile(r"\s*\[?!\[[^\]\n]*\]\(")
_SECTION = re.compile(
    r"#{1,4}\s+\W*(?:install(?:ation|ing)?|usage|licen[sc]e|contribut(?:ing|ors)|getting started|quick ?-?start|change ?log"
    r"|table of contents|authors|acknowledge?ments|support|faq|installieren|lizenz|utilisation|licence|instalación|licencia)\W*$",
    re.I,
)


class Pastes:
    """Finds in the lines of a text where what others wrote begins, and where it ends; in an answer less is taken for it."""

    def __init__(self, lines: list[str], is_answer: bool) -> None:
        self.lines = lines
        self.is_answer = is_answer
        self._sections: list[int] | None = None  # lines with headings as a page about a project has them
        self._headings: list[int] | None = None  # lines with any heading
        self._last_label = -1  # the last line with a heading of a request
        self._first = 0  # the first line with words
        self._words: list[int] = []  # from each line on

    def end(self, number: int) -> int | None:
        """Returns the last line of what begins in a line, None where nothing does. What shows no end runs to that of the text."""
        line, last = self.lines[number], len(self.lines) - 1
        if self._is_mail(number) or _OF_FILE.match(line) or self._is_in_roles(number):
            return last
        if self.is_answer:
            return None
        if match := _PASTE_OF.match(line):
            return min(last, number + int(match.group(1) or last))
        if self._is_message(number) or self._is_ticket(number) or self._is_page(number) or _POSTED.match(line):
            return last
        if _GREETING.match(line):
            return self._end_of_letter(number)
        if _ROW.match(line):
            return self._end_of_table(number)
        if (head := _NAMES.match(line)) and self._is_row(number + 1, head.group(1)):
            return next((at - 1 for at in range(number + 1, last + 1) if not self.lines[at].strip()), last)
        if _TURN.match(line):
            return self._end_of_chat(number)
        if line.startswith("#!/") or (_COMMENT.match(line) and not (number and _COMMENT.match(self.lines[number - 1]))):
            return self._end_of_code(number)
        return None

    def _is_mail(self, number: int) -> bool:
        """Tells whether a mail begins in a line: with two lines of its head, or as a program says that forwards or answers it."""
        line, following = self.lines[number], "".join(self.lines[number + 1 : number + 2])
        if (_HEADER.match(line) and _HEADER.match(following)) or _FORWARDED.match(line):
            return True
        if _WROTE.match(line) or (line.rstrip().endswith("<") and _WROTE.match(line + following)):
            below = next((line for line in self.lines[number + 1 :] if line.strip()), "")
            return not cues.QUOTE_LINE.match(below)  # each line of it is marked
        return False

    def _end_of_letter(self, number: int) -> int | None:
        """Returns the last line of a letter whose greeting stands in a line: the name below its farewell."""
        for at in range(number + 1, min(number + _TURNS, len(self.lines))):
            if _FAREWELL.match(self.lines[at]):
                return min(at + 1, len(self.lines) - 1)
        return None

    def _is_row(self, number: int, sign: str) -> bool:
        """Tells whether a line has columns with no blank behind their sign, as programs write them."""
        line = "".join(self.lines[number : number + 1])
        return sign in line and (sign == "\t" or not line.partition(sign)[2].startswith(" "))

    def _is_message(self, number: int) -> bool:
        """Tells whether a line names who sent what stands below it, and when."""
        return "".join(self.lines[number + 1 : number + 2]).strip() != "" and bool(_SENDER.match(self.lines[number]))

    def _is_in_roles(self, number: int) -> bool:
        """Tells whether a conversation with a model begins in a line."""
        first = _TURN.match(self.lines[number])
        if first is None or first.group(1).lower() not in _ROLES:
            return False
        turns = [turn for line in self.lines[number : number + _TURNS] if (turn := _TURN.match(line))]
        others = [turn for turn in turns[1:] if turn.group(1).lower() in _ROLES]
        return bool(others) and any(len((turn.group(2) or "").split()) >= _SAYING for turn in (turns[0], *others))

    def _is_ticket(self, number: int) -> bool:
        """Tells whether the form of a ticket begins in a line: it says who reported what."""
        if not _TURN.match(self.lines[number]):
            return False
        lines = takewhile(str.strip, self.lines[number : number + _TURNS])
        names = [turn.group(1).lower() for line in lines if (turn := _TURN.match(line))]
        return not (_REPORTERS.isdisjoint(names) or (_ACCOUNTS | _FIELDS).isdisjoint(names))

    def _is_page(self, number: int) -> bool:
        """Tells whether a page begins in a line: with its settings, a badge, or as one of a project with its usual headings."""
        line = self.lines[number]
        if line.rstrip() == "---":
            following = self.lines[number + 1 : number + _TURNS]
            keys = list(takewhile(lambda line: line.rstrip() != "---", following))
            return len(keys) < len(following) and bool(keys and _KEY_FIRST.match(keys[0])) and all(map(_KEY.match, keys))
        below = "".join(self.lines[number + 1 : number + 2])
        if _BADGE.match(line) or _TITLE_WITH_BADGE.match(line) or (line.strip(" =") and _UNDERLINE.match(below)):
            return True
        if self._is_document(number):
            return True
        if not _TITLE.match(line):
            return False
        if self._sections is None:
            self._sections = [at for at, line in enumerate(self.lines) if _SECTION.match(line)]
        fewest = 1 if _SHORT_TITLE.match(line) else 2
        return len(self._sections) - bisect_left(self._sections, number) >= fewest

    def _is_document(self, number: int) -> bool:
        """Tells whether a document begins in a line, below what somebody says of it: by its headings.

        None of them is one that people put over a request.
        """
        if not (number and _HEADING.match(self.lines[number])):
            return False
        if self._headings is None:
            headings = [
                (at, _words_of(heading.group(1))) for at, line in enumerate(self.lines) if (heading := _HEADING.match(line))
            ]
            self._headings = [at for at, _ in headings]
            self._last_label = max([at for at, words in headings if not _LABELS.isdisjoint(words)], default=-1)
            self._first = next((at for at, line in enumerate(self.lines) if line.strip()), 0)
            self._words = [*accumulate([len(line.split()) for line in reversed(self.lines)])][::-1]
        below = len(self._headings) - bisect_left(self._headings, number)
        is_long = below >= _FEWEST_HEADINGS and self._words[number] >= _FEWEST_WORDS
        return is_long and number > max(self._last_label, self._first)

    def _end_of_table(self, number: int) -> int | None:
        """Returns the last line of a table of Markdown that begins in a line, None where none does."""
        if not _DELIMITER.match("".join(self.lines[number + 1 : number + 2])):
            return None
        rows = takewhile(_ROW.match, self.lines[number:])
        return number + sum(1 for _ in rows) - 1

    def _end_of_chat(self, number: int) -> int | None:
        """Returns the last line of what people said in turns, which begins in a line; None where none does."""
        turns, last = [], number
        for at in range(number, min(number + _TURNS, len(self.lines))):
            turn = _TURN.match(self.lines[at])
            if turn is None and not self.lines[at - 1].strip() and self.lines[at].strip():
                break
            turns += [turn] if turn else []
            last = at
        names = [turn.group(1).lower() for turn in turns]
        is_talk = any(_TALK.match(turn.group(2) or "") for turn in turns) or len(set(names)) < len(names)
        return last if is_talk and len(set(names)) > 1 and _LABELS.isdisjoint(names) else None

    def _end_of_code(self, number: int) -> int | None:
        """Returns the last line of code that begins in a line and goes on behind blank lines; None where it is no code."""
        last = None
        while number < len(self.lines):
            lines = takewhile(str.strip, self.lines[number : number + _TURNS])
            if not any(_CODE.match(line) for line in lines):
                return last
            last = number
            while last + 1 < len(self.lines) and self.lines[last + 1].strip():
                last += 1
            number = next((at for at in range(last + 1, len(self.lines)) if self.lines[at].strip()), len(self.lines))
        return last

    # In an answer

    def end_of_section(self, number: int) -> int | None:
        """Returns the last line of what stands under a heading that names others as who says it, None where a line is none."""
        heading = cues.HEADING.match(self.lines[number])
        if heading is None or not cues.SPEAKER.search(self.lines[number]):
            return None
        for at in range(number + 1, len(self.lines)):
            other = cues.HEADING.match(self.lines[at])
            if other and _level(other) <= _level(heading):
                return at - 1
        return len(self.lines) - 1

    def end_of_document(self, first: int, kinds: list[str]) -> int:
        """Returns the last line of what others wrote from a line on: a heading ends it, a rule, or what its writer says."""
        for at in range(first, len(self.lines)):
            line, is_apart = self.lines[at], at > first and not self.lines[at - 1].strip() and not kinds[at]
            if cues.HEADING.match(line) or (is_apart and (cues.RULE.match(line) or cues.OWN.match(line))):
                return at - 1
        return len(self.lines) - 1


def _words_of(heading: str) -> list[str]:
    """Returns the words of a heading without the signs around them."""
    return [word.strip(_NO_WORD) for word in heading.lower().split()]


def _level(heading: re.Match[str]) -> int:
    return len(heading.group(1) or "######")
