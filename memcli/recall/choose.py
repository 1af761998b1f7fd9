"""Which memories a pack takes, and in what order: one order for every budget.

A pack takes memories in this order while they fit and skips none, so that a larger budget shows whatever a smaller one showed.
(Any family of packs with that property is such an order; taking what happens to fit behind something that does not breaks it.)
The best match is first, then always the memory of the greatest

    score * (TYPICAL / max(tokens, TYPICAL)) ** LENGTH - REPEATED * overlap with the most similar memory taken

Value over a power of the cost: Lin and Bilmes, Multi-document Summarization via Budgeted Maximization of Submodular Functions
(2010). Relevance less similarity to what was taken: Carbonell and Goldstein, The Use of MMR (1998). `scripts/ablate_packing.py`
measures the constants; neighbours of them do as well.
"""

from __future__ import annotations

from memcli.store import memories, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.project import Project
    from memcli.recall.rank import Ranked
    from memcli.store.memories import Memory

    Choice = tuple[int, Ranked, Memory, list[Ranked]]  # its rank, it, its text, those that say the same

TYPICAL = 60  # tokens of a memory up to which its length costs it nothing
LENGTH = 0.5  # 0: score alone decides; 1: score per token
REPEATED = 0.5  # what a memory loses that repeats another word for word; the best score is 1
OVERLAP = 0.3  # share of common words (Jaccard) up to which two memories merely have one subject
SAME = 0.8  # share of common words from which one may say the same as the other
COMPARED = 2_000  # characters of a memory's printed text whose words are compared

# As the index stems them. A text that has one of the first more than another does not say the same; the others say nothing.
TURNING = frozenset(
    """no not t never none nor neither cannot without except unless instead befor after until sinc off under over below abov up
    down least most more less few all onli""".split()
)
EMPTY = frozenset(
    """a an the i is ar are am wa were be been it thi that these those there ha have had do doe did we our my you your will
    would also just so then and""".split()
)
_ALIKE = OVERLAP / (1 + OVERLAP)  # the same as a share of the words of both counted separately
_SIGNS = "<>=+*/^%&|~→←≠≤≥"  # the tokenizer drops them, and x < y is not x > y


class Candidate:
    """A memory that may be taken: its value for its length, what it loses by repeating, its stems in order and as a set."""

    __slots__ = ("lost", "memory", "one", "rank", "said", "size", "text", "value", "words")

    def __init__(self, rank: int, one: Ranked, memory: Memory, value: float, stems: Callable[[str], list[str]]) -> None:
        title, brief = memory.title, memory.shown_summary or memory.summary
        self.text = (title if title == brief else f"{title}\n{brief}")[:COMPARED]
        self.rank = rank
        self.one = one
        self.memory = memory
        self.value = value
        self.lost = 0.0
        self.said = stems(self.text)
        self.words = frozenset(self.said) - EMPTY
        self.size = len(self.words)


def in_order(project: Project, ranked: Sequence[Ranked], form: str, page: int, same: list[Ranked]) -> Iterator[Choice]:
    """Yields memories in the order in which a pack takes them; reads no more of them than are asked for, a page at a time.

    `ranked`: best first. `form`: prompt or xml, whose tokens count. Of a later page, those that say the same as one that was
    yielded before go to `same`.
    """
    taken: list[Candidate] = []
    stems = search.stemmer(project.db) if len(ranked) > 1 else str.split
    for start in range(0, len(ranked), page):
        waiting = _candidates(project, ranked, start, page, form, stems)
        for earlier in taken:
            same += [double.one for double in _compare(waiting, earlier)]
        if taken:
            waiting.sort(key=_worth)
        while waiting:
            best = _summed_up(waiting.pop(0), waiting)
            doubled = _compare(waiting, best)
            if not taken:
                waiting.sort(key=_worth)  # the best match goes first whatever its length
            taken.append(best)
            yield best.rank, best.one, best.memory, [double.one for double in doubled]


def _summed_up(best: Candidate, waiting: list[Candidate]) -> Candidate:
    """Returns the summary of a session that waits, in place of what it tells of; else the candidate itself."""
    summary = next((one for one in waiting if one.memory.tells_of(best.memory)), None) if best.memory.session else None
    if summary is None:
        return best
    waiting[waiting.index(summary)] = best
    return summary


def _worth(one: Candidate) -> tuple[float, int]:
    return one.lost - one.value, one.rank


def _candidates(
    project: Project, ranked: Sequence[Ranked], start: int, page: int, form: str, stems: Callable[[str], list[str]]
) -> list[Candidate]:
    """Returns a page of the ranked memories with their texts, words and values, best first."""
    wanted = ranked[start : start + page]
    texts = fetched(project, wanted)
    unit = ranked[0].score if ranked[0].score > 0 else 1.0
    found = []
    for rank, one in enumerate(wanted, start):
        memory = texts[one.hit.id]
        tokens = memory.prompt_tokens if form == "prompt" else memory.xml_tokens
        value = one.score / unit
        if tokens > TYPICAL and value > 0:
            value *= (TYPICAL / tokens) ** LENGTH
        found.append(Candidate(rank, one, memory, value, stems))
    return found


def _compare(waiting: list[Candidate], best: Candidate) -> list[Candidate]:
    """Takes out of the candidates those that say the same as `best`, or are told by it, and returns them.

    What else repeats it is less worth.
    """
    words, size = best.words, best.size
    doubled = []
    moved = False
    told = [one for one in waiting if best.memory.tells_of(one.memory)] if best.memory.session else []
    for other in told + [one for one in waiting if one not in told and len(words & one.words) >= _ALIKE * (size + one.size)]:
        if other in told or says_the_same(best, other):
            doubled.append(other)
            waiting.remove(other)
        elif words:
            union = words | other.words
            lost = REPEATED * (len(words & other.words) / len(union) - OVERLAP) / (1 - OVERLAP)
            if lost > other.lost:
                other.lost = lost
                moved = True
    if moved:
        waiting.sort(key=_worth)
    return doubled


def says_the_same(one: Candidate, other: Candidate) -> bool:
    """True where one text has, in their order, all words of the other that carry meaning, and hardly more.

    A word that was replaced, a further number or a negation makes another statement of it: hiding one of two that contradict
    each other is worse than printing one twice.
    """
    if not one.words and not other.words:
        return folded(one.text) == folded(other.text)
    if len(one.words & other.words) < SAME * len(one.words | other.words) or _figures(one.text) != _figures(other.text):
        return False
    short, long = sorted(([word for word in text.said if word not in EMPTY] for text in (one, other)), key=len)
    more = []
    place = 0
    for word in long:
        if place < len(short) and word == short[place]:
            place += 1
        else:
            more.append(word)
    return place == len(short) and TURNING.isdisjoint(more)


def _figures(text: str) -> list[str]:
    """Returns the words of a text that hold a digit or a sign."""
    parts = [part.strip(".,;:!?()[]{}'\"`") for part in text.split() if not part.isalpha()]
    return [part for part in parts if any(char.isdigit() or char in _SIGNS for char in part)]


def folded(text: str) -> str:
    """Returns a text as it is compared: in lower case, spaces apart."""
    return " ".join(text.lower().split())


def fetched(project: Project, page: Sequence[Ranked]) -> dict[str, Memory]:
    """Returns the memories of both stores by their ids."""
    own = [one.hit.n for one in page if one.from_user and project.user_db is not None]
    rest = [one.hit.n for one in page if not (one.from_user and project.user_db is not None)]
    found = list(memories.by_numbers(project.db, rest).values()) if rest else []
    if own and project.user_db is not None:
        found += memories.by_numbers(project.user_db, own).values()
    return {memory.id: memory for memory in found}
