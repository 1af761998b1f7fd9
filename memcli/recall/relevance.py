"""What is relevant to a question, and how much: every weight and threshold for memories and passages.

`memories` decides what matches for `get`, `search`, turns, MCP and HTTP alike; `valid_at_head` takes out what does not hold. What
of it is told beside the best: selection.py. For chunks: chunk_relevance.py, for what people say to agents: prompts.py. Weights
that a person may change are the settings `rank.*` (settings.py), all others stand in the table below; docs/retrieval.md says what
each is worth.
"""

from __future__ import annotations

from math import exp

from memcli.recall import candidates
from memcli.recall.prompts import WORDS_NEAR, drop_incidental, of_subject
from memcli.records import Record, many, replace
from memcli.store import context, passages, search, word_vectors
from memcli.store.memories import OBSERVED
from memcli.store.passages import DROPPED, OPEN, owner_of
from memcli.store.search import Hit
from memcli.text import dates
from memcli.text.ids import PLACE
from memcli.validity import ORPHAN, REACHABLE, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.candidates import Matches, ParsedQuery, Scores
    from memcli.recall.moments import Moment
    from memcli.recall.semantic import QueryVector
    from memcli.store import Connection
    from memcli.store.memories import Memory
    from memcli.store.search import Filter

    LeftOut = tuple["Ranked", str]  # and why: orphan, superseded, duplicate, relevance, count or budget

MIN_COSINE = 0.2  # from which a meaning is near; unrelated sentences lie about 0 to 0.15

# How much, of a memory, beside the settings.
INJECTION_PENALTY = 2.0  # for a text that gives orders to a model: below every other match
MIN_COVERAGE = 0.05  # counted for a memory that none of the question's own words are in
NEIGHBOURS = 2  # memories written before and after another in its thread that lend it weight
TURN_MEANING = 5 / 3  # times as much does a passage of a turn gain by its meaning as a memory: it is of one subject
TURN = 0.15  # of the score of the best other passage of its turn that a passage is lent
LINKED = 8  # of the best matches whose links are followed
PASSAGE_RECENCY = 3.0  # times as much does a passage gain by its age as a memory, in proportion to how well it matches
ECHO = 3.0  # times as much again is taken from what hooks saw and matches best: it repeats what was asked then
ROLE = 0.4  # of what its words bring a passage is what it gains that states what is asked for: an instruction, a decision ...
REMARK = 0.2  # of it what it loses that an agent said while it worked, and not in its answer
BEHIND = 1e-6  # less is the score of what contests, or was overtaken by, a match
OVERTAKEN = 0.3  # of what its words bring a passage is what it loses when later work overtook it
ON_ANY_BRANCH = ("instruction", "preference")  # what is said so holds on every branch
OF_A_TIME = 10  # times as many matches are looked at of a question that mentions a time: the best of it may stand far behind
READ = 2_000  # matches behind the best, among which those are searched for that somebody wrote on purpose


class Scored(Record):
    """A memory that matches: the score of its words and what its neighbours lend it, in bm25. `matches` has the terms.

    `least`: the cosine that it must reach to be relevant.
    """

    hit: Hit
    from_user: bool
    text: float
    beside: float = 0.0
    linked: float = 0.0
    matches: Matches | None = None
    least: float = 0.0


class Ranked(Record):
    """A memory that matches, with its score, the features that make up the score, and whether it holds at HEAD.

    `text` is what its words bring as a share of the best match, whose `text` is 1; `shares`: what else adds to its score, by the
    name of the feature. `anchor` is the state of its anchor (memcli/validity).
    """

    hit: Hit
    from_user: bool
    text: float
    shares: dict[str, float]
    score: float
    anchor: str = REACHABLE
    superseded: bool = False
    matches: Matches | None = None
    unit: float = 1.0  # bm25 of the best match
    overtaken: tuple[str, ...] = ("",)  # of a passage: how (done, reverted, fixed, removed), the name removed if any, and the day

    @property
    def order(self) -> tuple[float, bool, int]:
        """The key by which matches are sorted, best first. Ties are broken by row: same input, same bytes."""
        return -self.score, self.from_user, self.hit.n

    def features(self) -> dict[str, float]:
        """Returns the parts of the score. `coverage` is what the text loses for words of the question that it lacks."""
        names = ("words", "spelling", "near", "pairs")
        in_bm25 = self.matches.features(self.hit.n) if self.matches else dict.fromkeys(names, 0.0)
        features = {name: score / self.unit for name, score in in_bm25.items()}
        features["coverage"] = self.text - sum(features.values())
        return features | self.shares

    def is_by_near_words(self) -> bool:
        """Tells whether it holds no word of the question, only words near one of them."""
        terms = self.matches.terms if self.matches else []
        return not self.words() and any(term.feature == "near" and self.hit.n in term.bm25 for term in terms)

    def words(self) -> list[str]:
        """Returns the words of the question that it matches, including by a correction."""
        terms = self.matches.terms if self.matches else []
        return list(dict.fromkeys([term.word for term in terms if term.word and self.hit.n in term.bm25]))


def memories(
    project: Project,
    query: ParsedQuery,
    limit: int,
    meaning: QueryVector | None = None,
    only: Filter | None = None,
    but: str = "",
) -> list[Ranked]:
    """Returns the relevant memories and passages of the repository and the person, best first; by words, up to `limit` of each.

    `meaning`: the question as a vector, if meanings are to be compared, too. `but`: a kind to exclude.
    """
    config = project.config
    limit *= OF_A_TIME if query.moment else 1
    scored: list[Scored] = []
    stores = [(project.db, project.is_user), *([(project.user_db, True)] if project.user_db else [])]
    for db, from_user, table in [(*store, table) for store in stores for table in ("memory", "passage")]:
        term_rows = query.term_rows if only is None and db is project.db and table == "memory" else None
        matches = candidates.find(db, table, query, config, only, term_rows)
        drop_incidental(matches, query, table)
        of_table = [match for match in _scored(db, table, matches, config, limit, from_user) if match.hit.kind != but]
        scored += of_subject(db, query, matches, of_table) if query.is_prompt else of_table
    vector = b"" if meaning or not scored else word_vectors.encode(query.corrected_text())
    ranked = _once(rank(scored, query, config, project.now, vector))
    if meaning is None:
        return ranked
    blended = _with_meaning(project, query, meaning, ranked, only)
    if not query.required:
        return blended
    matching = {match.hit.id for match in ranked}  # what must be in the text is not met by a meaning
    return [match for match in blended if match.hit.id in matching]


def _once(ranked: list[Ranked]) -> list[Ranked]:
    """Keeps either a memory or its parts: whichever matches better."""
    whole: dict[str, bool] = {}  # owner -> whether it is shown whole
    for match in ranked:
        whole.setdefault(owner_of(match.hit.id), not match.hit.is_passage)
    return [match for match in ranked if whole[owner_of(match.hit.id)] != match.hit.is_passage]


def _with_meaning(
    project: Project, query: ParsedQuery, meaning: QueryVector, ranked: Sequence[Ranked], only: Filter | None
) -> list[Ranked]:
    """Adds the weighted cosine to the score of each match, and what is nearest in meaning to the matches; best first.

    A match that is not encoded yet gets the mean of the others, which is neutral.
    """
    from memcli.recall.semantic import nearest_memories

    matched = {(match.from_user, match.hit.id) for match in ranked}
    cosines, hits = nearest_memories(project, meaning, matched, only, MIN_COSINE)
    matches = [*ranked]
    for of_user in (False, True):  # each store on a scale of its own
        scored = [Scored(hit, from_user, 0.0) for hit, from_user in hits if from_user is of_user]
        matches += rank(scored, query, project.config, project.now)
    encoded = [cosines[match.hit.id] for match in matches if match.hit.id in cosines]
    mean = sum(encoded) / len(encoded) if encoded else 0.0
    blended = []
    for match in matches:
        share = project.config["rank.semantic"] * cosines.get(match.hit.id, mean)
        blended.append(replace(match, shares=match.shares | {"semantic": share}, score=match.score + share))
    return sorted(blended, key=lambda match: match.order)


def valid_at_head(
    project: Project, ranked: Sequence[Ranked], include_orphans: bool = False, moment: Moment | None = None
) -> tuple[list[Ranked], list[LeftOut]]:
    """Splits matches into those that hold at HEAD and those that do not. Superseded ones never pass as facts.

    `moment`: the branch that the question names, whose memories are told on every other, too.
    """
    valid: list[Ranked] = []
    left_out: list[LeftOut] = []
    ranked = _anchored(project, ranked)
    has_states = any(match.hit.kind == passages.STATE for match in ranked)
    current = context.current_state_ids(project.db, project.user_db) if has_states else set()
    for match, (anchor, superseded) in zip(ranked, _standings(project, ranked)):
        superseded = superseded or (match.hit.kind == passages.STATE and owner_of(match.hit.id) not in current)
        if superseded or anchor != REACHABLE:
            match = replace(match, anchor=anchor, superseded=superseded)
        if superseded and match.hit.is_passage and match.hit.kind == passages.PROMPT and anchor == REACHABLE:
            valid.append(_overtaken(project, match))
        elif superseded:
            left_out.append((match, "superseded"))
        elif anchor == ORPHAN and not include_orphans and not (moment and moment.branch and moment.holds(match)):
            left_out.append((match, "orphan"))
        else:
            valid.append(match)
    return sorted(_behind_successors(valid), key=lambda match: match.order), left_out


def _behind_successors(valid: list[Ranked]) -> list[Ranked]:
    """Ranks what was overtaken behind what overtook it, if both match."""
    scores = {owner_of(it.hit.id): it.score - BEHIND for it in sorted(valid, key=lambda it: it.score) if not it.overtaken[0]}
    successors = [owner_of(it.hit.superseded_by or "") if it.overtaken[0] else "" for it in valid]
    return [replace(it, score=min(it.score, scores[by])) if by in scores else it for it, by in zip(valid, successors)]


def _anchored(project: Project, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Returns the matches, where a person's statement has the commit of its answer: it was about that branch.

    What is wanted from now on is left as it is: it holds on every branch.
    """
    prompts = [it for it in ranked if is_of_turn(it.hit) and it.hit.anchor is None and it.hit.role not in ON_ANY_BRANCH]
    owners = list({owner_of(match.hit.id) for match in prompts if not match.from_user or project.user_db is None})
    anchor_of = passages.anchors(project.db, owners)
    anchors = {match.hit.id: anchor for match in prompts if (anchor := anchor_of.get(owner_of(match.hit.id)))}
    return [replace(it, hit=replace(it.hit, anchor=anchors[it.hit.id])) if it.hit.id in anchors else it for it in ranked]


def _overtaken(project: Project, match: Ranked) -> Ranked:
    """Returns a passage that later work overtook, marked as such: the rest of it may still be an answer."""
    db = project.user_db if match.from_user and project.user_db is not None else project.db
    passage, since = passages.find(db, match.hit.id), passages.find(db, match.hit.superseded_by or "")
    how, *fields = (passage.overtaken if passage else "").split(" ")
    if not fields:  # what an older version decided does not say how and when
        how = "done" if passage and passage.role == OPEN else "reverted" if since and since.role == DROPPED else "fixed"
        fields = [dates.local_day(since.created_at if since else match.hit.created_at)]
    share = -OVERTAKEN * match.text
    shares = match.shares | {"overtaken": share}
    return replace(match, shares=shares, score=match.score + share, overtaken=(how, *fields))


def _standings(project: Project, ranked: Sequence[Ranked]) -> list[tuple[str, bool]]:
    """Returns for each match the state of its anchor and whether it is superseded, according to its own store."""
    user_db = project.user_db
    if user_db is None or not any(match.from_user for match in ranked):
        return standing(project, project.db, [match.hit for match in ranked])
    of_user = iter(standing(project, user_db, [match.hit for match in ranked if match.from_user]))
    of_repository = iter(standing(project, project.db, [match.hit for match in ranked if not match.from_user]))
    return [next(of_user if match.from_user else of_repository) for match in ranked]


def _scored(db: Connection, table: str, matches: Matches, config: Config, limit: int, from_user: bool) -> list[Scored]:
    """Returns the best matches of one table of a store, unordered."""
    scores = matches.scores
    hits = _best(db, table, scores, limit)
    power, whole = config["rank.coverage"], matches.idf or 1.0
    words = [(term.idf, term.bm25) for term in matches.terms if term.idf]
    texts = {}
    for hit in hits:
        coverage = sum([idf for idf, rows in words if hit.n in rows]) / whole
        texts[hit.n] = scores[hit.n] * max(coverage, MIN_COVERAGE) ** power
    if table == "passage":
        lent_by_turn = _of_turn(hits, texts)
        return many(Scored, [(hit, from_user, texts[hit.n], lent_by_turn[hit.n], 0.0, matches, 0.0) for hit in hits])
    threads = {hit.n: hit.thread for hit in hits}
    default_threads = (config["memory.thread"], config["capture.thread"])
    share, share_default = config["rank.beside"], config["rank.beside_default"]
    lent = _linked(db, hits, texts, config["rank.linked"])
    scored = []
    for hit in hits:
        lent_beside = _beside(hit.n, hit.thread, texts, threads) * (share_default if hit.thread in default_threads else share)
        scored.append((hit, from_user, texts[hit.n], lent_beside, lent.get(hit.id, 0.0), matches, 0.0))
    return many(Scored, scored)


def _best(db: Connection, table: str, scores: Scores, limit: int) -> list[Hit]:
    """Returns the `limit` best rows, and up to `limit` that somebody wrote on purpose, in the order of their numbers.

    What hooks saw repeats the words of questions, and there is ever more of it.
    """
    if len(scores) <= limit:
        return search.hits(db, table, scores)
    cut = sorted(scores.values())[-limit]
    best = search.hits(db, table, [n for n, score in scores.items() if score >= cut])
    quota = limit - len([hit for hit in best if hit.origin not in OBSERVED]) if table == "memory" else 0
    if quota <= 0:
        return best
    others = sorted([n for n, score in scores.items() if score < cut], key=lambda n: (-scores[n], n))[:READ]
    written = search.written_among(db, others)
    also = search.hits(db, table, [n for n in others if n in written][:quota])
    return sorted([*best, *also], key=lambda hit: hit.n)


def _beside(n: int, thread: str, texts: dict[int, float], threads: dict[int, str]) -> float:
    """Returns the score of the best match written shortly before or after a memory in its thread, reduced by the distance."""
    best = 0.0
    for distance in range(1, NEIGHBOURS + 1):
        for other in (n - distance, n + distance):
            if threads.get(other) == thread and texts[other] / distance > best:
                best = texts[other] / distance
    return best


def _of_turn(hits: Sequence[Hit], texts: dict[int, float]) -> dict[int, float]:
    """Returns what the best other passage of its turn or memory lends each passage: that text is about the subject at length."""
    best: dict[str, list[float]] = {}
    for hit in hits:
        owner = owner_of(hit.id)
        best[owner] = sorted([*best.get(owner, ()), texts[hit.n]])[-2:]
    return {hit.n: TURN * _other(best[owner_of(hit.id)], texts[hit.n]) for hit in hits}


def _other(best: Sequence[float], text: float) -> float:
    """Returns the best of the scores without this one; 0 if there is no other."""
    return 0.0 if len(best) < 2 else best[0] if text == best[1] else best[1]


def _linked(db: Connection, hits: Sequence[Hit], texts: dict[int, float], share: float) -> dict[str, float]:
    """Returns, by id, what the best matches lend to the matches that they link to or that link to them."""
    best = {hit.id: texts[hit.n] * share for hit in sorted(hits, key=lambda hit: -texts[hit.n])[:LINKED]}
    lent: dict[str, float] = {}
    for first, second in search.links_among(db, list(best)):
        for memory_id, other in ((first, second), (second, first)):
            lent[memory_id] = max(lent.get(memory_id, 0.0), best.get(other, 0.0))
    return lent


def rank(scored: Sequence[Scored], query: ParsedQuery, config: Config, now: int, vector: bytes = b"") -> list[Ranked]:
    """Ranks the memories that are near enough, best first. `vector`: of the question (store/word_vectors.py), empty for none."""
    captured, meaning = config["rank.captured"], config["rank.meaning"]
    pairs = zip(scored, _cosines(scored, vector))
    near = [(match, cosine) for match, cosine in pairs if match.least <= (cosine if vector and meaning else WORDS_NEAR)]
    if not near:
        return []
    unit = max([match.text for match, _ in near]) or 1.0
    threads = candidates.named_threads({match.hit.thread for match in scored}, query.terms)
    weight, decay, bonus = config["rank.recency"], config["rank.recency_days"] or 1.0, config["rank.thread"]
    ranked = []
    for match, cosine in near:
        hit = match.hit
        text = match.text / unit
        days = 0 if hit.pinned else max(0, now - hit.created_at) // dates.DAY
        shares = {
            "beside": match.beside / unit,
            "linked": match.linked / unit,
            "meaning": meaning * cosine * (TURN_MEANING if is_of_turn(hit) else 1.0),
            "semantic": 0.0,  # the same by a sentence model, with --semantic
            "recency": weight * exp(-days / decay) * (PASSAGE_RECENCY * text if hit.is_passage else 1.0),
            "thread": bonus if hit.thread in threads else 0.0,
            "penalty": -INJECTION_PENALTY if hit.suspicious else 0.0,
            "role": text * (ROLE * (hit.role in query.roles) - REMARK * (hit.is_passage and passages.REMARK in hit.id)),
            "overtaken": 0.0,  # what a passage loses by what was said since
            "captured": -captured * (1 + ECHO * text) if _repeats(hit) else 0.0,
        }
        score = text + sum(shares.values())
        ranked.append((hit, match.from_user, text, shares, score, REACHABLE, False, match.matches, unit, ("",)))
    return sorted(many(Ranked, ranked), key=lambda match: match.order)


def is_of_turn(hit: Hit) -> bool:
    """Tells whether a match is a passage of a prompt or its answer, not of a memory that somebody wrote."""
    return bool(hit.is_passage) and hit.kind == passages.PROMPT


def _repeats(hit: Hit) -> bool:
    """Tells whether a match was seen by a hook or is itself a question: both repeat the question's words and answer nothing."""
    if hit.is_passage:
        return is_of_turn(hit) and hit.thread == passages.PROMPT and hit.title.rstrip().endswith("?")
    return hit.origin in OBSERVED and not hit.pinned


def _cosines(scored: Sequence[Scored], vector: bytes) -> list[float]:
    """Returns how near in meaning each match is to a question, 0 to 1; 0 for what hooks saw, which repeats questions.

    One without a vector gets the mean of the others, which is neutral.
    """
    vectors = [match.hit.vector for match in scored] if vector else []
    measured = [max(0.0, cosine) for cosine in word_vectors.similarities(vector, [other for other in vectors if other])]
    mean = sum(measured) / len(measured) if measured else 0.0
    cosines = iter(measured)
    return [next(cosines) if vector and it.hit.vector else 0.0 if it.hit.origin in OBSERVED else mean for it in scored]


def match_of(memory: Memory, from_user: bool, anchor: str) -> Ranked:
    """Returns a memory that is shown without a question, in the shape of a match. `anchor` is the state of its anchor."""
    return Ranked(hit_of(memory), from_user, text=1.0, shares={}, score=1.0, anchor=anchor)


def hit_of(memory: Memory) -> Hit:
    """Returns a memory, or a passage in its shape, as a match."""
    return Hit(
        n=memory.n,
        id=memory.id,
        title=memory.title,
        thread=memory.thread,
        anchor=memory.anchor,
        created_at=memory.created_at,
        superseded_by=memory.superseded_by,
        pinned=memory.pinned,
        suspicious=memory.suspicious,
        is_passage=PLACE in memory.id,
    )
