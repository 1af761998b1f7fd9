"""What matches a question, word by word: its own words, corrected and near ones, and pairs of neighbours.

The score of a word is SQLite's bm25, rescaled so that rare words count more. docs/retrieval.md tells what each feature brings and
the command that measures it.
"""

from __future__ import annotations

from math import log

from memcli.recall import languages
from memcli.recall.near import near, weights
from memcli.recall.prompts import asks, is_small_talk, subject_of, wanted_kinds, wanted_roles
from memcli.records import Record
from memcli.settings import SETTINGS
from memcli.store import memories, search
from memcli.text import analysis, dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.moments import Moment
    from memcli.store import Connection
    from memcli.store.search import Filter

    Scores = dict[int, float]  # row number -> score

COLUMNS = {
    "memory": ("title", "summary", "tags", "entities", "words"),
    "passage": ("heading", "text", "question", "words"),
    "chunk": ("locator", "text", "tags", "words"),
}
IDF_POWER = 0.3  # beyond the 1 that is in bm25: "fix" and "add" stand in every other memory of a code base
IDF_MIDDLE = 5.0  # idf of a word that one memory in 150 holds: its score stays as it is
CLIPPED_IDF = 1e-6  # what FTS5 takes for the idf of a word that half of the rows hold (fts5_aux.c)
NEAR_WORDS = 4  # of each word of the question
MAX_PROMPT_TERMS = 10  # of a prompt: each costs a thirtieth of an interpreter's start
MAX_DOUBTED = 2  # words of a prompt that may be misspelt: where more are unknown, they are words of its own
CORRECTABLE = 4  # letters of the shortest word whose spelling is doubted
ONCE = 1.5  # what a word that stands once in a text of average length adds, in idf: its weight 2 in bm25 is 2 * 2.2 / (2 + 1.2)

_NAMING = frozenset("-_/.#")  # signs that stand in ids, paths and names of files
# Words without which a question mentions no time, but for names of months, years and dates, and names no tag or branch.
_OF_MOMENTS = dates.MENTIONED.union(
    dates.MONTHS,
    ["may"],
    "before until till after since branch last past ago tonight morning afternoon evening night".split(),
)
_NAMES = dates.OF_TIME.union("branch tag release version".split())  # one of these, or a sign that stands in names, is beside it
_IN_NAMES = frozenset("-_/")
_AROUND = "`'\"?!,;:()[]."
_YEAR = 4  # digits of a year, with which a date begins
_ALL_OF_TIME = "time"  # stands for the words of a question that asks for all of a time


_NO_WEIGHTS: Mapping[str, float] = {}


class TermRows(Record):
    """The rows of an index that hold some words: for a rare word each row with its bm25, for a common one about how many rows."""

    rare: dict[str, list[tuple[int, float]]]
    common: dict[str, int]


class ParsedQuery(Record):
    """A question as it is searched for: its words, what unknown ones may stand for, and words near in meaning.

    `required`: an FTS5 expression that every row must match, empty for none. `is_prompt`: it asks for nothing in particular;
    `subject`: the words that say what a prompt is about. `term_rows`: those of the repository's memories. `text`: as typed;
    `moment`: the time, tag or branch that it names; `roles`: of the statements that it asks for; `kinds`: those of which it
    wants all; `weights`: what part of its weight a word keeps that is common in English.
    """

    terms: tuple[str, ...]
    corrected: dict[str, tuple[str, ...]]
    near: tuple[str, ...] = ()
    required: str = ""
    is_prompt: bool = False
    subject: frozenset[str] = frozenset()
    term_rows: TermRows | None = None
    text: str = ""
    moment: Moment | None = None
    roles: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = ()
    weights: Mapping[str, float] = _NO_WEIGHTS

    def kept(self, word: str) -> float:
        """Returns the share of its weight that a word keeps."""
        return self.weights.get(word, 1.0)

    def corrected_text(self) -> str:
        """Returns the words of the question with their spelling corrected, as its meaning is compared."""
        return " ".join([self.corrected.get(term, (term,))[0] for term in self.terms])

    def all_terms(self) -> list[str]:
        """Returns every word to search for, those of the question first."""
        return [*self.terms, *[word for words in self.corrected.values() for word in words], *self.near]


class TermScore(Record):
    """What one expression adds to a feature. `idf`: 0 for what is no word of the question; `word`: the question's word.

    A row's share of the score is its bm25 times `factor`.
    """

    feature: str
    idf: float
    factor: float
    bm25: Scores
    word: str = ""


class Matches(Record):
    """Every matching row with its score, and the terms that make up the score. `idf` is that of the whole question."""

    scores: Scores
    terms: list[TermScore]
    idf: float

    def add(self, term: TermScore) -> Scores:
        """Adds a term's score to all rows that hold it. Returns their bm25."""
        scores, factor = self.scores, term.factor
        for n, bm25 in term.bm25.items():
            scores[n] = scores.get(n, 0.0) + factor * bm25
        self.terms.append(term)
        return term.bm25

    def keep_only(self, numbers: Container[int]) -> None:
        """Drops all rows but these."""
        for n in [n for n in self.scores if n not in numbers]:
            del self.scores[n]

    def features(self, n: int) -> dict[str, float]:
        """Returns what each feature adds to the score of a row."""
        features = {"words": 0.0, "spelling": 0.0, "near": 0.0, "pairs": 0.0}
        for term in self.terms:
            features[term.feature] += term.factor * term.bm25.get(n, 0.0)
        return features


def parse(project: Project, text: str, is_prompt: bool = False) -> ParsedQuery:
    """Reads a question: its words, corrections of those that the store does not know, and words of about the same meaning.

    `is_prompt`: it is what a person said to an agent, perhaps long. Then the words that tell most stand for all, and spelling is
    doubted only where next to nothing is unknown.
    """
    typed = text[: analysis.MAX_QUERY]
    moment, text = _moment(project, typed, is_prompt)
    terms = _terms(text, moment)
    terms = languages.telling(terms) if languages.is_foreign(terms, typed) else terms
    telling = [term for term in terms if term not in analysis.STOP_WORDS]
    kinds = wanted_kinds(
        [term for term in telling if moment is None or term not in moment.names], typed, is_prompt, moment is not None
    )
    moment = moment and moment.on(() if kinds else terms)
    is_prompt = is_prompt and not kinds and (moment is None or bool(moment.about))  # all of a kind, or of a time, is asked for
    subject = subject_of(text, telling) if is_prompt else frozenset[str]()
    is_name = not is_prompt and moment is None and " " not in typed.strip() and not _NAMING.isdisjoint(typed)
    if is_name:
        terms = _terms_of_name(project, typed.strip(_AROUND + " "), terms)
    if is_prompt:
        terms = telling if subject else []
    elif is_small_talk(telling):
        terms = []
    if is_prompt and len(terms) > MAX_PROMPT_TERMS:
        terms = search.distinctive(project.db, terms, MAX_PROMPT_TERMS)
    term_rows = look_up(project.db, "memory", terms, project.config)
    plain = [term for term in terms if term not in dates.MENTIONED and term not in dates.MONTHS]  # no other time is meant
    near_of = near(plain)
    doubted = [term for term in plain if term not in near_of]
    corrected = _corrections(project, doubted, term_rows, terms, typed, is_prompt)
    near_of |= near([words[0] for words in corrected.values()]) if corrected else {}
    is_crowded = is_name or (term_rows.common and project.user_db is None)  # no near word tells anything then
    own_words = {*terms, *[words[0] for words in corrected.values()], *dates.MONTHS}
    near_words = [] if is_crowded else [pair for pairs in near_of.values() for pair in pairs[:NEAR_WORDS]]
    beside = tuple(dict.fromkeys([word for word, _ in near_words if word not in own_words]))
    roles = wanted_roles(typed)
    kept = weights(own_words, typed)
    return ParsedQuery(tuple(terms), corrected, beside, "", is_prompt, subject, term_rows, typed, moment, roles, kinds, kept)


def _terms(text: str, moment: Moment | None) -> list[str]:
    """Returns the terms of a question. If it mentions a time: no stop words, and months by their full names."""
    terms = analysis.terms(text)
    if moment is None:
        return terms
    telling = [term for term in terms if term not in analysis.STOP_WORDS]
    return list(dict.fromkeys([*telling, *sorted(moment.names)]))


def _terms_of_name(project: Project, name: str, terms: list[str]) -> list[str]:
    """Returns the terms of a one-word question: none for an id, which finds what it names; for a path those of the file."""
    from memcli.recall import named

    if named.is_stored_id([db for db in (project.db, project.user_db) if db is not None], name):
        return []
    return analysis.terms(named.file_of(name)) or terms


def _moment(project: Project, text: str, is_prompt: bool) -> tuple[Moment | None, str]:
    """Returns the time or branch that a question mentions, or None, and the question without the words that only say when."""
    pieces = text.lower().split()
    words = [piece.strip(_AROUND).removesuffix("'s") for piece in pieces]
    is_timed = not _OF_MOMENTS.isdisjoint(words) or any(word[:_YEAR].isdecimal() and len(word) >= _YEAR for word in words)
    if not (_may_be_branch(pieces) or (is_timed and may_name(text, pieces))) or (is_prompt and not asks(pieces)):
        return None, text
    from memcli.recall import moments

    return moments.read(project, text)


def may_name(text: str, words: Sequence[str]) -> bool:
    """Tells whether anything in a question, beside a word such as `since`, may name a time, a tag or a branch.

    `words`: those of the text in lower case. Most questions with such a word name none of that, and need no reader of times.
    """
    plain = [word.strip(_AROUND).replace("’", "'").removesuffix("'s") for word in words]
    return not _NAMES.isdisjoint(plain) or not _IN_NAMES.isdisjoint(text) or any(map(str.isdigit, text))


def _may_be_branch(words: Sequence[str]) -> bool:
    """Tells whether a question is nothing but what may be the name of a branch: not that of a file."""
    return len(words) == 1 and not {"/", "-"}.isdisjoint(words[0]) and "." not in words[0]


def _corrections(
    project: Project, words: Sequence[str], term_rows: TermRows, terms: Sequence[str], text: str, is_prompt: bool
) -> dict[str, tuple[str, ...]]:
    """Returns what unknown words may stand for. `words`: those that are no English ones; `terms`: all that were looked up."""
    stored = {term for term, rows in term_rows.rare.items() if rows}.union(term_rows.common)
    unknown = [word for word in words if word not in stored and word not in analysis.STOP_WORDS]
    doubted = [word for word in unknown if len(word) >= CORRECTABLE and word.isalpha()]
    is_pasted = term_rows.common and len(terms) > search.COUNTED_TERMS  # then only the longest words were searched for
    if not doubted or is_pasted or (is_prompt and len(doubted) > MAX_DOUBTED):
        return {}
    from memcli.recall.spelling import corrections

    return corrections(project, doubted, terms, text)


def look_up(db: Connection, table: str, terms: Sequence[str], config: Config, only: Filter | None = None) -> TermRows:
    """Returns the rows of an index that hold some words."""
    rare, common = search.rarest(db, table, terms, only)
    weights = weights_of(table, config)
    return TermRows({term: search.scores(db, table, search.quoted(term), weights, only) for term in rare}, common)


def weights_of(table: str, config: Config) -> list[float]:
    """Returns the bm25 weights of a table's columns. A column without a setting weighs nothing: no chunk has tags."""
    prefix = "rank." if table == "memory" else f"rank.{table}_"
    return [config[prefix + column] if prefix + column in SETTINGS else 0.0 for column in COLUMNS[table]]


def find(
    db: Connection, table: str, query: ParsedQuery, config: Config, only: Filter | None = None, term_rows: TermRows | None = None
) -> Matches:
    """Returns the rows of `memory`, `passage` or `chunk` that match, with the terms of their scores. The work is bounded.

    `term_rows`: the rows of the question's words, where they were looked up before. Of chunks, only rare words are counted.
    """
    total = search.indexed(db, table)
    matches = Matches({}, [], 0.0)
    if not total:
        return matches
    term_rows = term_rows or look_up(db, table, query.terms, config, only)
    weights = weights_of(table, config)

    def rows_of(expression: str) -> list[tuple[int, float]]:
        return search.scores(db, table, expression, weights, only)

    side_by_side: list[tuple[str, Scores]] = []
    missing = 0.0
    for term in query.terms:
        if rows := term_rows.rare.get(term):
            side_by_side.append((term, matches.add(_term_score("words", rows, 1.0, total, term, query.kept(term)))))
        elif term in query.corrected:
            corrections = query.corrected[term]
            weight = config["rank.spelling"] / len(corrections) ** 0.5
            rows = rows_of(search.any_of(corrections))
            corrected = _term_score("spelling", rows, weight, total, term, query.kept(corrections[0]))
            side_by_side.append((corrections[0], matches.add(corrected)))
        else:
            missing += query.kept(term) * (term not in term_rows.common)
    for (first, rows_of_first), (second, rows_of_second) in zip(side_by_side, side_by_side[1:]):
        if not rows_of_first.keys().isdisjoint(rows_of_second):
            matches.add(_term_score("pairs", rows_of(search.quoted(first, second)), config["rank.pairs"], total))
    if query.required:
        rows = rows_of(query.required)
        matches.add(TermScore("words", idf_of(total, len(rows)), 1.0, dict(rows)))
        matches.keep_only(dict(rows))
    for word, numbers in _named_rows(db, table, query, only).items():
        scored = {n for term in matches.terms if term.word == word for n in term.bm25}
        matches.add(_naming_score(word, [n for n in numbers if n not in scored], total))
    common = term_rows.common
    if common and table != "chunk":
        from memcli.recall import common_words

        numbers = common_words.rows_to_read(db, table, query, common, only, matches)
        for term_score in _of_common_words(db, table, query, common, config, numbers):
            matches.add(term_score)
    if query.near and table in ("memory", "passage") and not common and (near_words := search.rarest(db, table, query.near)[0]):
        matches.add(TermScore("near", 0.0, config["rank.near"], dict(rows_of(search.any_of(near_words)))))
    return Matches(matches.scores, matches.terms, sum([term.idf for term in matches.terms]) + missing * idf_of(total, 0))


def _of_common_words(
    db: Connection, table: str, query: ParsedQuery, common: Mapping[str, int], config: Config, numbers: Sequence[int]
) -> Iterator[TermScore]:
    """Yields what common words, and pairs that contain one, add to the scores of some rows."""
    from memcli.recall import common_words

    total = search.indexed(db, table)
    for feature, count, bm25, word in common_words.scores(db, table, query, common, weights_of(table, config), numbers):
        idf = idf_of(total, count)
        is_pair = feature == "pairs"
        factor = (config["rank.pairs"] if is_pair else 1.0) * sharpened(idf)
        kept = query.kept(word)
        yield TermScore(feature, 0.0 if is_pair else kept * idf, kept * factor, bm25, word)


def _term_score(
    feature: str, rows: Sequence[tuple[int, float]], weight: float, total: int, word: str = "", kept: float = 1.0
) -> TermScore:
    """Returns what one word or pair adds: bm25 with idf to the power of 1 + IDF_POWER. `kept`: of the weight of a word."""
    count = len(rows)
    idf = idf_of(total, count)
    idf_in_bm25 = max(log((total - count + 0.5) / (count + 0.5)), CLIPPED_IDF) if total >= count else CLIPPED_IDF
    factor = kept * weight * sharpened(idf) / idf_in_bm25
    return TermScore(feature, 0.0 if feature == "pairs" else kept * idf, factor, dict(rows), word)


def idf_of(total: int, count: float) -> float:
    """Returns the weight of a word that `count` of `total` rows hold, never negative (BM25 as in Lucene)."""
    return log(1 + max(0.5, total - count + 0.5) / (count + 0.5))


def sharpened(idf: float) -> float:
    """Returns an idf to the power of 1 + IDF_POWER, so that IDF_MIDDLE stays as it is."""
    return idf * float((idf / IDF_MIDDLE) ** IDF_POWER)


def _named_rows(db: Connection, table: str, query: ParsedQuery, only: Filter | None) -> dict[str, list[int]]:
    """Returns the rows that a question names, by the naming word. Most questions name none."""
    if query.is_prompt or query.required:
        return {}
    if table == "chunk":
        return {} if query.terms else _chunk_of_id(db, query)
    of_moment = _rows_of_moment(db, table, query, only)
    threads = named_threads(memories.threads(db), query.terms) if table == "memory" else set()
    text = query.text.strip(" ?!.")
    if not threads and _NAMING.isdisjoint(text) and " " in text and not text.istitle():  # nor a person's name
        return of_moment
    from memcli.recall import named

    return of_moment | named.rows(db, table, query.text, {words_of(thread)[0]: thread for thread in threads}, only)


def _chunk_of_id(db: Connection, query: ParsedQuery) -> dict[str, list[int]]:
    """Returns the chunk whose id is the whole question."""
    from memcli.recall import named

    return named.rows(db, "chunk", query.text, {}, None)


def _rows_of_moment(db: Connection, table: str, query: ParsedQuery, only: Filter | None) -> dict[str, list[int]]:
    """Returns the rows of a time or branch, if the question asks for nothing else."""
    moment = query.moment
    if moment is None or moment.about:
        return {}
    from memcli.store import named

    if moment.branch:
        return {moment.branch: named.anchored(db, table, moment.commits, moment.branch, only)}
    return {min(moment.names, default=_ALL_OF_TIME): named.of_time(db, table, moment.since, moment.until, only)}


def named_threads(threads: Iterable[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    words = set(terms)
    return {thread for thread in threads if (name_words := words_of(thread)) and words.issuperset(name_words)}


def words_of(thread: str) -> list[str]:
    """Returns the words of a thread's name; none for a name such as `-`."""
    return thread.lower().replace("-", " ").replace("_", " ").split()


def _naming_score(word: str, numbers: Sequence[int], total: int) -> TermScore:
    """Returns what it adds to be named by a question: as if the word stood once in a row of average length."""
    idf = idf_of(total, len(numbers))
    return TermScore("words", idf, sharpened(idf), dict.fromkeys(numbers, ONCE), word)
