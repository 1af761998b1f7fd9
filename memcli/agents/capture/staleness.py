"""What later work has overtaken: an open point that was closed, an attempt that was dropped, a fault that was fixed.

Each answer is weighed against the passages before it. What it overtakes is superseded by it: kept, shown as such, and no longer
told as if it held. Words decide, and what hooks saw of the turn: without an edit or a commit nothing is closed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.agents.capture import contradictions, discarded, undone
from memcli.agents.capture.closing import WorkedTurn, closing, is_filed_elsewhere, is_message_about, is_settled_by, still_open
from memcli.agents.capture.findings import EDIT_TITLE
from memcli.agents.capture.observations import ACTOR, EDITED
from memcli.agents.capture.revival import working
from memcli.agents.capture.shell_commands import COMMITTED, WORK_TITLES
from memcli.agents.capture.taken_back import DECISION, SAYS_SO, Reverters, restore, reverse, telling
from memcli.agents.capture.weights import Stems, Weights, weigh_words
from memcli.memory.commit import commit
from memcli.memory.passages import CLAUSE
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import replace
from memcli.repo.changes import takes_back
from memcli.store import graph, memories, meta, oplog, passages, sessions, set_meta
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.store.passages import OVERTAKEN, Passage
from memcli.store.sessions import Prompt
from memcli.text import dates, quotations, remainders, statements, tickets
from memcli.text.analysis import has_inner_capital
from memcli.text.ids import anchor_commit
from memcli.text.passages import digest
from memcli.text.terminal import oneline
from memcli.validity import AUTHOR_ACTOR, QUOTATION_ACTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.agents.capture.undone import Overtaken, RevertedTurn
    from memcli.repo.changes import MadeCommit
    from memcli.store import Connection

_PROGRESS = "weighed passages"  # key in meta: the last passage whose turn was weighed
_AT_ONCE = 20  # turns
_LOOKED_AT = 800  # passages before a turn
_STANDING = 200  # statements of a sort that nothing has overtaken yet, however long ago they were made
_OBSERVED = 2_000  # observations of a session
_SHARED = 2  # rare words, or more, that say it is about the same
_MENDED = 0.2  # share of the weight of a statement's words that its successor has at least

_WANTED = (statements.INSTRUCTION, statements.PREFERENCE)
_LASTING = (statements.OPEN, *_WANTED)
_MENDS = re.compile(r"\b(fixed|resolved|solved|removed|no longer|replaced|renamed|closed|deleted|gone|works now|mended)\b", re.I)
_FOR_NOW = re.compile(r"\b(known|still|currently|at the moment|for now|so far|temporar(y|ily)|workaround|as of now)\b", re.I)
_HANDED = re.compile(r"\b(push|merg|publish|deploy|releas)ed\b", re.I)
_ACHIEVED = re.compile(
    r"\b(added|adds|created|consolidat(ed|es)|introduced|implement(ed|s)|extract(ed|s)|encapsulat(ed|es)|now uses?|replac(ed|es)|"
    r"moved|improved|refactor(ed|ing)?|enhanced|uses?|wraps?|patch(es|ed)?)\b",
    re.I,
)


def weigh(project: Project) -> list[str]:
    """Weighs a batch of the answers since the last time. Returns the sessions some of whose work was reverted."""
    db = project.db
    last = int(meta(db, _PROGRESS) or 0)
    turns = passages.answered_since(db, last, _AT_ONCE)
    if not turns:
        return []
    # Before the lock is taken: weighing takes a while, and hooks want to write. Nobody else writes what it decides.
    overtaken: Overtaken = {}
    stems, reverters = Stems(db), Reverters(project)
    changes = [change for name, _ in turns for change in _weigh_turn(project, name, overtaken, stems, reverters)]
    changes = [*reverters.puts, *changes, *_replaced_decisions(db, overtaken)]
    changes += _marked(db, {name: (successor, _dated(db, how, successor)) for name, (successor, how) in overtaken.items()})

    def decide() -> list[Change]:
        set_meta(db, _PROGRESS, str(max(n for _, n in turns)))
        return changes

    commit(project, decide, ACTOR, oplog.NO_COMMAND)
    taken_back = [memory.session for it in changes if it.kind == "supersede" and (memory := memories.find(db, it.object))]
    return [name for n in dict.fromkeys(taken_back) if (name := sessions.id_of(db, n))]


def _replaced_decisions(db: Connection, overtaken: Overtaken) -> list[Change]:
    """Returns the changes that supersede memories of an answer's decisions together with the passages they were made from."""
    changes = []
    for name, (successor, how) in overtaken.items():
        passage = passages.find(db, name) if how == contradictions.REPLACED else None
        if passage is None or passage.role != statements.DECISION or passage.thread not in passages.OF_AGENT:
            continue
        for memory in memories.of_session(db, passage.session, _OBSERVED):
            is_same = memory.prompt == passage.prompt and memory.kind == DECISION
            if is_same and memory.title.rstrip("… ") in oneline(passage.text) and memory.superseded_by is None:
                changes.append(Change("supersede", memory.id, {"by": successor, "on": True, "how": how}))
    return changes


def is_behind(db: Connection) -> bool:
    """Tells whether answers wait to be weighed."""
    return bool(passages.answered_since(db, int(meta(db, _PROGRESS) or 0), 1))


def go_back(db: Connection, moment: int) -> None:
    """Makes the answers since a moment be weighed again, because something said before it has only become known now."""
    later = passages.first_since(db, moment)
    if later is not None and later <= int(meta(db, _PROGRESS) or 0):
        set_meta(db, _PROGRESS, str(later - 1))


def _dated(db: Connection, how: str, successor: str) -> str:
    """Returns how something was overtaken, with the day of its successor, which may be forgotten later."""
    passage = passages.find(db, successor) if successor else None
    return f"{how} {dates.local_day(passage.created_at)}" if passage else how


def _marked(db: Connection, overtaken: Overtaken) -> list[Change]:
    """Returns the changes by which prompts record which of their passages or statements are superseded."""
    changes = []
    for owner in dict.fromkeys([passages.owner_of(name) for name in overtaken]):
        own = passages.of(db, owner)
        standing = {it: overtaken.get(it.id, (it.superseded_by or "", it.overtaken)) for it in own}
        successors = {digest(it.text): f"{successor} {how}".rstrip() for it, (successor, how) in standing.items() if successor}
        stored = fold(oplog.of_object(db, owner)).fields.get(OVERTAKEN) or {}
        successors |= {key: successor for key, successor in stored.items() if key.startswith(CLAUSE)}
        ids = {it.id for it in own}
        successors |= {
            f"{CLAUSE}{name.partition(CLAUSE)[2]}": f"{successor} {how}"
            for name, (successor, how) in overtaken.items()
            if CLAUSE in name and name.partition(CLAUSE)[0] in ids
        }
        changes.append(Change("prompt", owner, {OVERTAKEN: successors}))
    return changes


def _weigh_turn(project: Project, prompt_id: str, overtaken: Overtaken, stems: Stems, reverters: Reverters) -> list[Change]:
    """Adds to `overtaken` what an answer overtook. Returns the changes that supersede dropped work."""
    db = project.db
    prompt, own = sessions.find_prompt(db, prompt_id), passages.of(db, prompt_id)
    if prompt is None or not own:
        return []
    answers = _answers_in(own)
    last = [passage for passage in passages.before(db, (answers or own)[0], _LOOKED_AT) if passage.owner != prompt_id]
    earlier = passages.reopened(db, last) + _waiting(db, own[0], last)
    words = {passage.id: stems(f"{passage.heading} {passage.text}") for passage in earlier}
    weights = weigh_words(list(words.values()))
    contradictions.note(prompt, own, earlier, overtaken, stems, weights)
    if not answers:
        _close_settled(prompt, own, earlier, words, overtaken, stems)
        return undone.edits(project, prompt, own[-1]) if prompt.reply else []
    turn = _turn(db, prompt, _answers_of(db, prompt_id), stems)
    taken_back = undone.by_commits(project, last, anchor_commit(answers[-1].anchor))
    reverted = [it for it in (*taken_back.reverted, *discarded.turns_before(project, prompt)) if it.prompt.id != prompt_id]
    turn = replace(turn, takes_back=_takes_back(own, turn, bool(reverted)))
    _overtake(turn, earlier, words, weights, stems, overtaken)
    contradictions.dropped_choices(own, answers, overtaken, stems)
    for passage_id in taken_back.returned:  # holds again
        overtaken[passage_id] = ("", "")
    for passage_id, name in taken_back.removed.items():
        tells = next((it for it in answers if name in it.text), answers[-1])
        overtaken.setdefault(passage_id, (tells.id, undone.REMOVED + name))
    changes = [change for it in reverted for change in reverse(db, it, *reverters.of(it, answers), overtaken, stems)]
    for again in taken_back.again:
        changes += restore(db, again, overtaken)
        before = [it for it in earlier if it.owner != again.prompt.id]
        _overtake(_turn(db, again.prompt, _answers_of(db, again.prompt.id), stems), before, words, weights, stems, overtaken)
    return changes + _dropped_work(db, turn, stems, weights) + undone.edits(project, prompt, telling(answers))


def _close_settled(
    prompt: Prompt,
    own: list[Passage],
    earlier: list[Passage],
    words: dict[str, frozenset[str]],
    overtaken: Overtaken,
    stems: Stems,
) -> None:
    """Records the open points that the person's words settle in a turn that the agent only took note of."""
    typed = [passage for passage in own if passage.thread == passages.PROMPT]
    points = [it for it in earlier if it.role == statements.OPEN and it.created_at <= prompt.created_at]
    for passage in [it for it in points if typed and not overtaken.get(it.id, (it.superseded_by, ""))[0]]:
        is_elsewhere = is_filed_elsewhere(passage, tickets.names(prompt.text))
        if not is_elsewhere and is_settled_by(prompt, passage, words[passage.id], stems):
            overtaken[passage.id] = (typed[0].id, "done")


def _answers_of(db: Connection, prompt_id: str) -> list[Passage]:
    """Returns the passages of the answer to a prompt, their text marked."""
    return [replace(it, text=quotations.marked(it.text, is_answer=True)) for it in _answers_in(passages.of(db, prompt_id))]


def _answers_in(own: list[Passage]) -> list[Passage]:
    """Returns the passages of a turn's answer without quotations; if it says nothing, those of its commits."""
    answers = [it for it in own if it.thread == passages.ANSWER and it.origin != QUOTATION_ACTOR]
    return answers or [it for it in own if it.thread == passages.COMMIT and it.origin != AUTHOR_ACTOR]


def _overtake(
    turn: WorkedTurn,
    earlier: list[Passage],
    words: dict[str, frozenset[str]],
    weights: Weights,
    stems: Stems,
    overtaken: Overtaken,
) -> None:
    """Records which of the earlier passages a turn overtook."""
    standing = [it for it in earlier if not overtaken.get(it.id, (it.superseded_by, ""))[0]]
    points = [it.owner for it in standing if it.role == statements.OPEN]
    for passage in standing:
        is_alone = points.count(passage.owner) == 1
        if (successor := _successor(turn, passage, words[passage.id], weights, stems, is_alone))[0]:
            overtaken[passage.id] = successor


def _takes_back(own: list[Passage], turn: WorkedTurn, reverts: bool) -> bool:
    """Tells whether a turn only reverted earlier work. `reverts`: it reverted something."""
    messages = [(undone.subject_of(it), it.text) for it in own if it.thread == passages.COMMIT]
    return all(takes_back(*message) for message in messages) if messages else reverts and not turn.committed


def _waiting(db: Connection, first: Passage, last: list[Passage]) -> list[Passage]:
    """Returns what is open or wanted from before the first passage of a turn, however long ago, and the last passages."""
    ids = {passage.id for passage in last}
    waiting = [it for role in _LASTING for it in passages.standing(db, role, first.created_at, _STANDING)]
    return [passage for passage in waiting if passage.id not in ids and passage.owner != first.owner]


def closed_by(db: Connection, commits: list[MadeCommit]) -> dict[str, MadeCommit]:
    """Returns, by passage, the commit of somebody else that did what the passage says is left to do."""
    waiting = passages.reopened(db, passages.stating(db, statements.OPEN, _LOOKED_AT, 0)) if commits else []
    waiting = [passage for passage in waiting if passage.superseded_by is None]
    stems = Stems(db)
    words = {passage.id: stems(f"{passage.heading} {passage.text}") for passage in waiting}
    weights = weigh_words(list(words.values()))
    commits = [it for it in commits if not takes_back(it.subject, it.body)]
    closed = {}
    for passage in waiting:
        for later in [it for it in commits if it.at * 1000 > passage.created_at]:
            lines = [later.subject, *statements.sentences(later.body)]
            stated = _with_files(lines, later.files, stems)
            if any(is_message_about(passage, words[passage.id], line, weights, stems) for line in stated):
                closed[passage.id] = later
    return closed


def _with_files(lines: list[str], files: Sequence[str], stems: Stems) -> list[frozenset[str]]:
    """Returns the stems of each sentence of a message with those of the files. Words spread over several sentences are chance."""
    paths = stems(" ".join(files))
    return [stems(line) | paths for line in lines]


def closings(
    db: Connection,
    closed: dict[str, MadeCommit],
    taken_back: list[tuple[RevertedTurn, str, int]],
    memory_of: Callable[[MadeCommit], str],
) -> list[Change]:
    """Returns the changes for open points that somebody else's commits closed, and for turns whose work they reverted.

    `memory_of`: the memory that keeps a commit; `taken_back`: each turn with the memory that tells so, and when that was, in ms.
    """
    overtaken: Overtaken = {}
    stems = Stems(db)
    changes = []
    for turn, memory_id, at in taken_back:
        changes += reverse(db, turn, memory_id, dates.day(at), overtaken, stems)
    overtaken |= {name: (memory_of(commit), f"done {dates.day(commit.at * 1000)}") for name, commit in closed.items()}
    return [*changes, *_marked(db, overtaken)]


def _dropped_work(db: Connection, turn: WorkedTurn, stems: Stems, weights: Weights) -> list[Change]:
    """Returns the changes by which the statement that work was dropped supersedes what hooks saw of it in the same session."""
    changes = []
    for answer in [answer for answer in turn.answers if answer.role == statements.DROPPED]:
        words, names = stems(answer.text), _names(answer.text)
        for memory in memories.of_session(db, turn.prompt.session, _OBSERVED):
            text = f"{memory.title} {memory.summary}"
            is_about_it = names & _names(text) and len(weights.rare_of(words & stems(text))) >= _SHARED
            if memory.superseded_by is None and memory.title.startswith((*WORK_TITLES, "Ran ")) and is_about_it:
                changes.append(Change("supersede", memory.id, {"by": answer.id, "on": True, "how": undone.REVERTED}))
    return changes


def _turn(db: Connection, prompt: Prompt, answers: list[Passage], stems: Stems) -> WorkedTurn:
    observed = [memory for memory in memories.of_session(db, prompt.session, _OBSERVED) if memory.prompt == prompt.number]
    work = [memory for memory in observed if memory.title.startswith(WORK_TITLES)]
    # Of an edit its file alone: what the change is quoted with may have stood there before.
    titles = [memory.title.partition(": ")[0] if memory.title.startswith(EDIT_TITLE) else memory.title for memory in work]
    listed = [answer for answer in answers if statements.is_listed_open(answer.heading, answer.text)]
    unlisted = [answer for answer in answers if answer not in listed]
    remaining = [stems(point) for answer in unlisted for point in remainders.left(answer.text)]
    remaining += [stems(answer.text) for answer in listed]
    texts = [prompt.text, *[f"{answer.heading} {remainders.without(answer.text)}" for answer in unlisted], *titles]
    named = tickets.names(" ".join(texts))
    files = [path for memory in work for path in _edited(db, memory)]
    acts = frozenset([act.lower() for text in texts for act in _HANDED.findall(text)])
    edited, committed = [any(memory.title.startswith(begin) for memory in work) for begin in WORK_TITLES]
    lines = tuple([line for text in texts for line in statements.sentences(text)])
    done = tuple([f"{line} {' '.join(files)}" for line in (*statements.sentences(prompt.text), *titles)])
    words = stems(" ".join([*texts, *files]))
    previous = sessions.prompt(db, prompt.session, prompt.number - 1)
    before = previous.reply if previous else ""
    subjects = tuple([memory.title.removeprefix(COMMITTED) for memory in work if memory.title.startswith(COMMITTED)])
    return WorkedTurn(
        prompt,
        answers,
        bool(work),
        edited,
        committed,
        acts,
        named,
        words,
        remaining,
        lines,
        done,
        tuple(files),
        subjects,
        before,
    )


def _edited(db: Connection, memory: Memory) -> list[str]:
    return [link.to_id for link in graph.links_from(db, memory.id) if link.rel in ("file", EDITED)]


def _successor(
    turn: WorkedTurn, passage: Passage, words: frozenset[str], weights: Weights, stems: Stems, is_alone: bool
) -> tuple[str, str]:
    """Returns (the id of the answer that overtook a passage, how) or empty texts. `is_alone`: its turn left nothing else open."""
    if passage.role == statements.OPEN:
        if again := still_open(turn, passage, words, weights, stems):
            return again, "replaced"
        return closing(turn, passage, words, weights, stems, is_alone), "done"
    if passage.role == statements.DROPPED and turn.worked and passage.session != turn.prompt.session:
        return working(turn, passage, words, weights, stems), "fixed"
    if passage.thread not in passages.OF_AGENT or passage.role == statements.DROPPED or SAYS_SO.search(passage.text):
        return "", ""
    for answer in turn.answers:
        shared = words & stems(f"{answer.heading} {answer.text}")
        is_about_it = len(weights.rare_of(shared)) >= _SHARED
        if not is_about_it:
            continue
        if answer.role == statements.DROPPED and _ACHIEVED.search(passage.text) and _names(answer.text) & _names(passage.text):
            return answer.id, "reverted"
        if turn.worked and _mends(answer.text, passage, weights, stems):
            return answer.id, "fixed"
    return "", ""


def _mends(text: str, passage: Passage, weights: Weights, stems: Stems) -> bool:
    """Tells whether a sentence says that a fault described by a sentence of a passage is fixed."""
    mended = [stems(sentence) for sentence in statements.sentences(text) if _MENDS.search(sentence)]
    stated = statements.sentences(quotations.marked(passage.text, is_answer=True))
    faults = [stems(line) for line in stated if _FOR_NOW.search(line) and not _MENDS.search(line)]
    for fault in faults:
        for words in mended:
            shared = fault & words
            if len(weights.rare_of(shared)) >= _SHARED and weights.of(shared) >= _MENDED * weights.of(fault):
                return True
    return False


def _names(text: str) -> set[str]:
    """Returns the words of a text that are names in code."""
    words = re.findall(r"[A-Za-z_][\w.]{3,}", text)
    return {word for word in words if "_" in word or has_inner_capital(word)}
