"""Which matches are relevant enough to be told, and in what order a pack takes them: one order for every budget.

A pack takes memories in this order while they fit and skips none, so that a larger budget shows whatever a smaller one showed.
(Any family of packs with that property is such an order; taking what happens to fit behind something that does not breaks it.)
The best match is first, then always the memory of the greatest

    score * (TYPICAL / max(tokens, TYPICAL)) ** LENGTH - REPEATED * overlap with the most similar memory taken

Value over a power of the cost: Lin and Bilmes, Multi-document Summarization via Budgeted Maximization of Submodular Functions
(2010). Relevance less similarity to what was taken: Carbonell and Goldstein, The Use of MMR (1998). `scripts/ablate_packing.py`
measures the constants; neighbours of them do as well.
"""

from __future__ import annotations

from memcli.recall.prompts import asks_for_work
from memcli.recall.relevance import TURN_MEANING, is_of_turn
from memcli.records import Record
from memcli.store import memories, passages, search
from memcli.store.memories import OBSERVED, WELCOME
from memcli.store.passages import owner_of
from memcli.text.ids import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.relevance import LeftOut, Ranked
    from memcli.store.memories import Memory

FLOOR_OBSERVED = 0.5  # of the best score that what hooks saw must have at least: it repeats what was asked
MOST_WORDS = 0.6  # of a question's words that are enough whatever they weigh
NEAR = 0.33  # cosine of word vectors, of the nearest match, without which a prompt is told only the best one
SINGLE_NEAR = 0.5  # cosine of a turn that holds a single word of several of a question, without which it is not told
SEVERAL = 3  # words of a question that are several
PART = 0.3  # of the weight of a prompt's words, without which a turn is told beside the best only if it is ...
PART_BEHIND = 0.5  # ... and of any question's, behind the third turn ...
PART_NEAR = 0.65  # ... as near as this
REMARK_NEAR = 0.55  # cosine of a remark of an agent at work, else told only as the best, or as the second by several passages
ALONE_NEAR = 0.5  # cosine of a match that holds no word of a question, and only words near those, else not told ...
ALONE_NEAR_WORD = 0.38  # ... of a question of a single word
BEHIND = 3  # turns behind which the next are told only where they are ...
BEHIND_NEAR = 0.55  # ... as near as this, by their cosine and half of the share of the question's words that they hold
BY_PLACE = (0.75, 0.75, 1, 1.5)  # of `rank.floor`, for passages of the best turn, the second ..., each after these
OF_REMARK = 1.5  # of `rank.floor`, at least, for what an agent said while it worked, if it states nothing

# Of a turn, for a question, and for a prompt that asks for work, which says more words than what is known can answer: the share
# of its words that the turn holds, as they weigh, and the cosine.
FOR_QUESTION, FOR_WORK = (0.25, 0.2), (0.4, 0.5)

TYPICAL = 60  # tokens of a memory up to which its length costs it nothing
LENGTH = 0.5  # 0: score alone decides; 1: score per token
REPEATED = 0.25  # what a memory loses that repeats another word for word; the best score is 1
OVERLAP = 0.3  # share of common words (Jaccard) up to which two memories merely have one subject
SAME = 0.8  # share of common words from which one may say the same as the other
COMPARED = 2_000  # characters of a memory's printed text whose words are compared

# Words as the index stems them. Where one text has a word of TURNING that the other has not, they do not say the same; EMPTY ones
# make no difference.
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


class Selection(Record):
    """A memory that a pack takes next. `rank`: its place among the matches; `duplicates` say the same."""

    rank: int
    ranked: Ranked
    memory: Memory
    duplicates: list[Ranked]


class Candidate:
    """A memory that may be taken. `value`: its score for its length; `penalty`: what it loses by repeating another.

    `words` has a bit for each of its words, so that comparing two is one operation on numbers.
    """

    __slots__ = ("memory", "penalty", "rank", "ranked", "size", "stems", "text", "value", "words")

    def __init__(
        self, rank: int, ranked: Ranked, memory: Memory, value: float, stems: Callable[[str], list[str]], bits: dict[str, int]
    ) -> None:
        title, brief = memory.title, memory.shown_summary or memory.summary
        self.text = (title if title == brief else f"{title}\n{brief}")[:COMPARED]
        self.rank = rank
        self.ranked = ranked
        self.memory = memory
        self.value = value
        self.penalty = 0.0
        self.stems = stems(self.text)
        words = set(self.stems) - EMPTY
        self.words = 0
        for word in words:
            self.words |= bits.setdefault(word, 1 << len(bits))
        self.size = len(words)


def enough(ranked: Sequence[Ranked], query: ParsedQuery, config: Config) -> tuple[list[Ranked], list[LeftOut]]:
    """Splits matches, best first, into those relevant enough to be told beside the best one, and the others.

    A match is relevant by its score, or because it holds most of the question's words: in a small store a word that all rows have
    weighs nothing. Beyond the best three turns, only matches nearly as good are told.
    """
    strangers = [] if query.is_prompt else _strangers(ranked, query, config)
    ranked = [match for match in ranked if match not in strangers] if strangers else ranked
    best = max([_merit(match) for match in ranked], default=0.0)
    floor, many_words = config["rank.floor"], max(2, MOST_WORDS * len(query.terms))
    relevant: list[Ranked] = []
    left_out: list[LeftOut] = []
    ranks: dict[str, int] = {}  # of each memory or turn among all, by its best match
    for match in ranked:
        rank = ranks.setdefault(owner_of(match.hit.id), len(ranks))
        least = _share(match, rank, floor) * best if best > 0 else best
        is_enough = _merit(match) >= least or (_may_hold_words(match, rank) and _word_count(match) >= many_words)
        if is_enough:
            relevant.append(match)
        else:
            left_out.append((match, "relevance"))
    near = _near_turns(relevant, query, config)
    near = _of_prompt(near, query, config) if query.is_prompt else near
    selected = relevant[:1] if query.is_prompt and not _is_near(ranked, config) else _without_welcome(near)
    return selected, left_out + [(match, "relevance") for match in [*relevant, *strangers] if match not in selected]


def _strangers(ranked: Sequence[Ranked], query: ParsedQuery, config: Config) -> list[Ranked]:
    """Returns the matches that hold only near words of a question, none of its own, and are not near to it in meaning.

    None, if meanings are not compared, or are compared by a sentence model (`--semantic`).
    """
    weight = config["rank.meaning"]
    if not weight or any(match.shares.get("semantic") for match in ranked):
        return []
    least = ALONE_NEAR if len(query.terms) > 1 else ALONE_NEAR_WORD
    cosines = [match.shares.get("meaning", 0.0) / (weight * (TURN_MEANING if is_of_turn(match.hit) else 1.0)) for match in ranked]
    return [match for match, cosine in zip(ranked, cosines) if match.is_by_near_words() and cosine < least]


def _near_turns(relevant: list[Ranked], query: ParsedQuery, config: Config) -> list[Ranked]:
    """Returns the matches without those of turns that have too little to do with the question to be told.

    Most irrelevant matches are turns that hold a common word of the question, or rank far behind. What states what is asked
    for stays. If meanings are not compared, all stay.
    """
    weight = config["rank.meaning"]
    if not weight or not any(match.shares.get("meaning") for match in relevant):
        return relevant
    idf = {term.word: term.idf for match in relevant for term in (match.matches.terms if match.matches else []) if term.idf}
    held = _held(relevant, query)
    far = set()
    for rank, (owner, matches) in enumerate(by_owner(relevant).items()):
        best = matches[0]
        if not is_of_turn(best.hit) or best.shares["role"] > 0:
            continue
        cosine = best.shares["meaning"] / (weight * TURN_MEANING)
        words = {word for match in matches for word in _matching_words(match)}
        is_single = len(words) == 1 and len(idf if rank else query.terms) >= SEVERAL and cosine < SINGLE_NEAR
        least = PART_BEHIND if rank >= BEHIND else PART if rank and query.is_prompt else 0.0
        is_slight = held[owner] < least and cosine < PART_NEAR
        share = sum([idf.get(word, 0.0) for word in words]) / (sum(idf.values()) or 1.0)
        is_aside = passages.REMARK in best.hit.id and cosine < REMARK_NEAR and (rank > 1 or (rank > 0 and len(matches) == 1))
        if is_single or is_slight or is_aside or (rank >= BEHIND and cosine + share / 2 < BEHIND_NEAR):
            far.add(owner)
    return [match for match in relevant if owner_of(match.hit.id) not in far]


def _of_prompt(relevant: list[Ranked], query: ParsedQuery, config: Config) -> list[Ranked]:
    """Returns the matches without those of turns that hold too little of a prompt, or are not near enough to it in meaning.

    What states what is asked for stays.
    """
    least_share, least_cosine = FOR_WORK if asks_for_work(query.text) else FOR_QUESTION
    least = least_cosine * config["rank.meaning"] * TURN_MEANING
    has_meanings = any(match.shares.get("meaning") for match in relevant)
    held = _held(relevant, query)
    far = set()
    for owner, matches in by_owner(relevant).items():
        is_near = not has_meanings or max([match.shares["meaning"] for match in matches]) >= least
        is_stated = matches[0].shares["role"] > 0
        if is_of_turn(matches[0].hit) and not is_stated and (held[owner] < least_share or not is_near):
            far.add(owner)
    return [match for match in relevant if owner_of(match.hit.id) not in far]


def _held(relevant: Sequence[Ranked], query: ParsedQuery) -> dict[str, float]:
    """Returns, by memory or turn, the share of a question's words that it holds, as they weigh.

    A word that nothing holds weighs as much as the rarest.
    """
    idf = {term.word: term.idf for match in relevant for term in (match.matches.terms if match.matches else []) if term.idf}
    rarest = max(idf.values(), default=1.0)
    whole = sum([idf.get(word, rarest) for word in query.terms]) or 1.0
    words = {owner: {word for it in matches for word in _matching_words(it)} for owner, matches in by_owner(relevant).items()}
    return {owner: sum([idf.get(word, 0.0) for word in held.intersection(query.terms)]) / whole for owner, held in words.items()}


def by_owner(ranked: Sequence[Ranked]) -> dict[str, list[Ranked]]:
    """Returns the matches of each memory or turn, in the order of the best of them."""
    matches: dict[str, list[Ranked]] = {}
    for match in ranked:
        matches.setdefault(owner_of(match.hit.id), []).append(match)
    return matches


def _share(match: Ranked, rank: int, floor: float) -> float:
    """Returns the share of the best score that a match must reach. `rank`: of its memory or turn among all."""
    if _is_observed(match):
        return max(floor, FLOOR_OBSERVED)
    if not is_of_turn(match.hit):
        return floor
    is_aside = passages.REMARK in match.hit.id and not match.hit.role
    return floor * max(BY_PLACE[min(rank, len(BY_PLACE) - 1)], OF_REMARK if is_aside else 0.0)


def _may_hold_words(match: Ranked, rank: int) -> bool:
    """Tells whether the number of words that a match holds may count: many long texts hold the words of a short question."""
    return not _is_observed(match) and not (is_of_turn(match.hit) and rank >= len(BY_PLACE) - 1)


def _is_observed(match: Ranked) -> bool:
    return match.hit.origin in OBSERVED and not match.hit.pinned


def _without_welcome(relevant: list[Ranked]) -> list[Ranked]:
    """Returns the matches without the welcome note of a new store, if there is anything else."""
    return [match for match in relevant if match.hit.origin != WELCOME] or relevant


def _is_near(ranked: Sequence[Ranked], config: Config) -> bool:
    """Tells whether some match is near to the question in meaning; True if meanings are not compared."""
    weight = config["rank.meaning"]
    shares = [match.shares["meaning"] / (TURN_MEANING if is_of_turn(match.hit) else 1.0) for match in ranked]
    return not weight or max(shares, default=0.0) >= NEAR * weight


def _matching_words(match: Ranked) -> set[str]:
    """Returns the words of a question that a match holds."""
    return {term.word for term in (match.matches.terms if match.matches else []) if match.hit.n in term.bm25}


def _word_count(match: Ranked) -> int:
    """Returns how many words of the question a match holds."""
    return len({term.word for term in (match.matches.terms if match.matches else []) if term.idf and match.hit.n in term.bm25})


def _merit(match: Ranked) -> float:
    """Returns the score of a match before the penalty for orders to a model, which are shown as such."""
    return match.score - match.shares.get("penalty", 0.0)


def in_order(project: Project, ranked: Sequence[Ranked], form: str) -> Iterator[Selection]:
    """Yields memories as a pack takes them. `ranked`: best first; `form`: prompt or xml, whose tokens count."""
    waiting = _candidates(project, ranked, form)
    is_first = True
    while waiting:
        best = _summary_or_itself(waiting.pop(0), waiting)
        same = _compare(waiting, best)
        if is_first:
            waiting.sort(key=_worth)  # the best match goes first whatever its length
        is_first = False
        yield Selection(best.rank, best.ranked, best.memory, [duplicate.ranked for duplicate in same])


def _summary_or_itself(best: Candidate, waiting: list[Candidate]) -> Candidate:
    """Returns the waiting summary that covers a candidate, else the candidate itself."""
    if not best.memory.session:
        return best
    summary = next((candidate for candidate in waiting if candidate.memory.summarizes(best.memory)), None)
    if summary is None:
        return best
    waiting[waiting.index(summary)] = best
    return summary


def _worth(candidate: Candidate) -> tuple[float, int]:
    return candidate.penalty - candidate.value, candidate.rank


def _candidates(project: Project, ranked: Sequence[Ranked], form: str) -> list[Candidate]:
    """Returns the ranked memories with their texts, words and values, best first."""
    if not ranked:
        return []
    memory_of = fetched(project, ranked)
    stems = search.stemmer(project.db) if len(ranked) > 1 else str.split
    unit = ranked[0].score if ranked[0].score > 0 else 1.0
    candidates = []
    bits: dict[str, int] = {}  # of the words of all
    for rank, match in enumerate(ranked):
        memory = memory_of[match.from_user, match.hit.id]
        tokens = memory.prompt_tokens if form == "prompt" else memory.xml_tokens
        value = match.score / unit
        if tokens > TYPICAL and value > 0 and not match.hit.is_passage:  # a passage is never long, and the text around it is
            value *= (TYPICAL / tokens) ** LENGTH
        candidates.append(Candidate(rank, match, memory, value, stems, bits))
    return candidates


def _compare(waiting: list[Candidate], best: Candidate) -> list[Candidate]:
    """Removes from the candidates those that say the same as `best`, or are covered by it, and returns them.

    Others that repeat part of it lose value.
    """
    words, size = best.words, best.size
    duplicates = []
    is_changed = False
    summarized = [other for other in waiting if _covers(best.memory, other.memory)] if best.memory.session else []
    alike = [other for other in waiting if (words & other.words).bit_count() >= _ALIKE * (size + other.size)]
    for other in summarized + [other for other in alike if other not in summarized]:
        if other in summarized or _is_fact_of(best, other) or says_the_same(best, other):
            duplicates.append(other)
            waiting.remove(other)
        elif words:
            common = (words & other.words).bit_count()
            penalty = REPEATED * (common / (size + other.size - common) - OVERLAP) / (1 - OVERLAP)
            if penalty > other.penalty:
                other.penalty = penalty
                is_changed = True
    if is_changed:
        waiting.sort(key=_worth)
    return duplicates


def _covers(memory: Memory, other: Memory) -> bool:
    """Tells whether one covers the other: a summary what it lists, and a passage the summary of its session, which says less."""
    is_summed_up = other.kind == "summary" and memory.session == other.session and PLACE in memory.id
    return is_summed_up or memory.summarizes(other)


def _is_fact_of(first: Candidate, second: Candidate) -> bool:
    """Tells whether one is a fact that a model distilled from a turn, and the other is the passage that it comes from."""
    if passages.FACT not in (first.memory.thread, second.memory.thread) or first.memory.kind != passages.PROMPT:
        return False
    is_of_turn = owner_of(first.memory.id) == owner_of(second.memory.id)
    return is_of_turn and (first.words & second.words).bit_count() >= SAME * min(first.size, second.size)


def says_the_same(first: Candidate, second: Candidate) -> bool:
    """Tells whether one text has all meaningful words of the other, in the same order, and hardly any more.

    A word that was replaced, a further number or a negation makes another statement of it: hiding one of two that contradict
    each other is worse than printing one twice.
    """
    if not first.words and not second.words:
        return folded(first.text) == folded(second.text)
    is_alike = (first.words & second.words).bit_count() >= SAME * (first.words | second.words).bit_count()
    if not is_alike or _figures(first.text) != _figures(second.text):
        return False
    short, long = sorted(([stem for stem in text.stems if stem not in EMPTY] for text in (first, second)), key=len)
    extra = []
    matched = 0
    for stem in long:
        if matched < len(short) and stem == short[matched]:
            matched += 1
        else:
            extra.append(stem)
    return matched == len(short) and TURNING.isdisjoint(extra)


def _figures(text: str) -> list[str]:
    """Returns the words of a text that hold a digit or a sign."""
    words = [word.strip(".,;:!?()[]{}'\"`") for word in text.split() if not word.isalpha()]
    return [word for word in words if any(char.isdigit() or char in _SIGNS for char in word)]


def folded(text: str) -> str:
    """Returns a text as it is compared: in lower case, with single spaces."""
    return " ".join(text.lower().split())


def fetched(project: Project, ranked: Sequence[Ranked]) -> dict[tuple[bool, str], Memory]:
    """Returns the memories and passages of both stores by (whether it is the person's own, id)."""
    memory_of: dict[tuple[bool, str], Memory] = {}
    for from_user in (False, True):
        hits = [match.hit for match in ranked if match.from_user is from_user]
        db = project.user_db if from_user and project.user_db is not None else project.db
        whole, parts = [hit.n for hit in hits if not hit.is_passage], [hit.n for hit in hits if hit.is_passage]
        rows = list(memories.by_numbers(db, whole).values()) if whole else []
        rows += [passage.as_memory() for passage in passages.by_numbers(db, parts)] if parts else []
        memory_of |= {(from_user, memory.id): memory for memory in rows}
    return memory_of
