"""Filling a budget: what goes into a pack, what stays out and why, and what the whole will cost when it is printed."""

from __future__ import annotations

from memcli.recall import render, truth
from memcli.recall.render import cost, marks_cost
from memcli.records import Record
from memcli.store import chunks, memories, states
from memcli.text import forms
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.holds import Told
    from memcli.recall.rank import Ranked
    from memcli.store.chunks import Chunk
    from memcli.store.memories import Memory
    from memcli.store.states import State

    Marks = dict[str, tuple[str, ...]]  # keys of render.MARKS, with what fills their texts
    LeftOut = tuple[Ranked, str]  # and why: orphan, superseded, duplicate, count or budget

_NAME = 60  # characters of a repository's or a branch's name that a heading prints
_PATH = 60  # characters of a path that a mark prints, its end
_SPARE = 2  # fetched beyond what a pack may hold, for those that are left out


class Item(Record):
    """A memory in a pack. `marks` is what is said of it beyond its text; `tokens` is what its lines cost."""

    memory: Memory
    ranked: Ranked
    marks: Marks
    tokens: int
    told: Told | None


class Evidence(Record):
    """A chunk in a pack, with the lines of it that are printed."""

    chunk: Chunk
    lines: tuple[str, ...]
    marks: Marks
    tokens: int


class Pack(Record):
    """What goes into a prompt, and whose memory it is.

    `tokens` is an upper bound, exact but for names and numbers, of the form it was packed for.
    """

    repo_id: str
    name: str
    root: str
    commit: str
    branch: str
    query: str
    terms: tuple[str, ...]
    corrected: dict[str, tuple[str, ...]]
    near: tuple[str, ...]
    form: str
    budget: int
    tokens: int
    state: State | None
    state_items: tuple[str, ...]
    state_more: int
    items: tuple[Item, ...]
    evidence: tuple[Evidence, ...]
    left_out: tuple[LeftOut, ...]
    with_rules: bool
    with_heading: bool
    with_footer: bool
    semantic: bool  # whether meanings were compared, too

    @property
    def orphans(self) -> int:
        """How many matches are hidden because HEAD cannot see their commit."""
        return len([one for one, why in self.left_out if why == "orphan"])

    @property
    def more(self) -> int:
        """How many matches had no room."""
        return len([one for one, why in self.left_out if why in ("count", "budget")])


class Purse:
    """Tokens that are left. `take` spends them only where they suffice."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens
        self.spent = 0

    def take(self, tokens: int) -> bool:
        """Spends `tokens` and returns True, or leaves the purse as it is."""
        if tokens > self.left:
            return False
        self.left -= tokens
        self.spent += tokens
        return True


def name_and_branch(project: Project) -> tuple[str, str]:
    """Returns the repository's name and the branch as a heading prints them; empty where there is no branch."""
    branch = project.checkout.branch if project.checkout else None
    return oneline(project.name)[:_NAME] or "this directory", oneline(branch or "")[:_NAME]


def pack_state(project: Project, purse: Purse, form: str) -> tuple[State | None, tuple[str, ...], int]:
    """Takes as many items of the current state as its share of the budget holds. Returns (state, items, how many did not fit)."""
    found = states.history(project.db, 1)
    items = found[0].items.split("\n") if found and found[0].items else []
    if not items:
        return (found[0] if found else None), (), 0
    prompt = form == "prompt"
    counts = [int(count) for count in (found[0].prompt_tokens if prompt else found[0].xml_tokens).split(",")]
    heading = cost(render.STATE, "") + 10 if prompt else cost(render.XML_STATE, "") + 10 + cost(render.XML_STATE_END)
    more = cost(render.MORE_STATE if prompt else render.XML_STATE_MORE, len(items))
    allowed = Purse(min(purse.left, project.config["budget.state"]))
    if not allowed.take(heading + (more if heading + sum(counts) > allowed.left else 0)):
        return found[0], (), len(items)
    taken = []
    for item, count in zip(items, counts, strict=True):
        if not allowed.take(count):
            break
        taken.append(item)
    if not taken:
        return found[0], (), len(items)
    purse.take(allowed.spent)
    return found[0], tuple(taken), len(items) - len(taken)


def marks_of(one: Ranked, told: Told | None = None) -> Marks:
    """Returns what a reader must be told about a memory beyond its text."""
    hit = one.hit
    carried = truth.carried(one.anchor)
    said = (
        (one.anchor, one.anchor in render.MARKS),
        (carried[0] if carried else "", carried is not None),
        ("superseded", one.superseded),
        ("pinned", hit.pinned),
        ("suspicious", hit.suspicious),
        ("user", one.from_user),
    )
    fields: Marks = {carried[0]: ((hit.anchor or "")[:7],)} if carried else {}
    marks: Marks = {mark: fields.get(mark, ()) for mark, is_said in said if is_said}
    return marks if told is None else {**marks, **_marks_told(told)}


def _marks_told(told: Told) -> Marks:
    """Returns the marks for files that are not as they were, the first of each sort by name, and for a contested memory."""
    marks: Marks = {}
    for mark, paths in (("changed", told.changed), ("gone", told.gone)):
        if paths:
            name = oneline(paths[0])
            name = name if len(name) <= _PATH else "…" + name[1 - _PATH :]
            marks[mark if len(paths) == 1 else f"{mark}_more"] = (name, str(len(paths) - 1))[: len(paths)]
    if told.rivals:
        marks["contested"] = (str(len(told.rivals) + 1), told.replaces)
    return marks


def pack_memories(
    project: Project,
    ranked: Sequence[Ranked],
    purse: Purse,
    form: str,
    items: list[Item],
    told: Callable[[str], Told | None],
) -> list[LeftOut]:
    """Adds memories to `items`, best first, as far as count and budget go; a text that is already there is left out.

    `told` is asked what is known of a memory's files and rivals.

    Returns those left out, with the reason.
    """
    out: list[LeftOut] = []
    opening = cost(render.KNOWN) if form == "prompt" else cost(render.XML_KNOWN) + cost(render.XML_KNOWN_END)
    most = project.config["budget.memories"]
    size = most + _SPARE
    for start in range(0, len(ranked), size):
        page = ranked[start : start + size]
        if len(items) >= most:
            out += [(one, "count") for one in page]
            continue
        texts = _fetch(project, page)
        for one in page:
            memory = texts[one.hit.id]
            known = told(memory.id)
            shown = marks_of(one, known)
            tokens = (memory.prompt_tokens if form == "prompt" else memory.xml_tokens) + marks_cost(shown, form)
            same = (folded(memory.title), folded(memory.summary))
            if any(same == (folded(item.memory.title), folded(item.memory.summary)) for item in items):
                out.append((one, "duplicate"))
            elif len(items) >= most:
                out.append((one, "count"))
            elif purse.take(tokens + (0 if items else opening)):
                items.append(Item(memory, one, shown, tokens, known))
            else:
                out.append((one, "budget"))
    return out


def _fetch(project: Project, page: Sequence[Ranked]) -> dict[str, Memory]:
    own = [one.hit.n for one in page if one.from_user and project.user_db is not None]
    rest = [one.hit.n for one in page if not (one.from_user and project.user_db is not None)]
    found = list(memories.by_numbers(project.db, rest).values()) if rest else []
    if own and project.user_db is not None:
        found += memories.by_numbers(project.user_db, own).values()
    return {memory.id: memory for memory in found}


def folded(text: str) -> str:
    """Returns a text as it is compared: in lower case, spaces apart."""
    return " ".join(text.lower().split())


def pack_evidence(project: Project, hits: Sequence[int], purse: Purse, form: str) -> list[Evidence]:
    """Takes chunks, best first, as far as count and budget go; a text that is already there is passed over."""
    most = project.config["budget.chunks"]
    wanted = hits[: most + _SPARE]
    texts = chunks.by_numbers(project.db, wanted) if wanted else {}
    opening = cost(render.EVIDENCE) if form == "prompt" else cost(render.XML_EVIDENCE) + cost(render.XML_EVIDENCE_END)
    taken: list[Evidence] = []
    seen: set[str] = set()
    for n in wanted:
        chunk = texts[n]
        marks: Marks = {"suspicious": ()} if chunk.suspicious else {}
        tokens = chunk.prompt_tokens if form == "prompt" else chunk.xml_tokens
        tokens += marks_cost(marks, form)
        if len(taken) >= most or chunk.text in seen or not purse.take(tokens + (0 if taken else opening)):
            continue
        seen.add(chunk.text)
        lines = forms.chunk_lines(chunk.text)[: chunk.shown_lines]
        taken.append(Evidence(chunk, tuple(lines), marks, tokens))
    return taken
