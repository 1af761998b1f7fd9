"""What matches a question, word by word: its own words, corrected and near ones, pairs of neighbours.

The score of a word is SQLite's bm25, rescaled so that rare words count more. docs/retrieval.md tells what each feature brings and
the command that measures it.
"""

from __future__ import annotations

from math import log

from memcli.recall.near import near
from memcli.recall.prompts import CHATTER, is_small_talk, kinds_asked, subject_of, wanted_roles
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
# The common words of a question in a large store. To score every row that holds one would cost more than all else. So they are
# looked for in the text of a few rows: the best that rare words found, and the newest that hold several common ones. What they
# count for there is bm25, as if SQLite had scored them.
BEST = 96  # rows that rare words found, whose text is read
SEVERAL = 64  # newest rows with several common words, whose text is read, too
TOGETHER = 4  # common words that are looked for together, the rarest
K1, B = 1.2, 0.75  # as in SQLite's bm25 (fts5_aux.c)
ONCE = 1.5  # what a word that stands once in a text of average length adds, in idf: its weight 2 in bm25 is 2 * 2.2 / (2 + 1.2)
COUNTED = 8  # common words that are counted, the rarest


_NAMING = frozenset("-_/.#")  # signs that stand in ids, paths and names of files
_OF_MOMENTS = frozenset("before until till after since branch".split())  # words without which a question names no tag or branch


class TermRows(Record):
    """The rows of an index that hold some words: of a rare word each row with its bm25, of a common one about how many."""

    rare: dict[str, list[tuple[int, float]]]
    common: dict[str, int]


class ParsedQuery(Record):
    """What is looked for: the words of a question, for unknown ones what they may stand for, and words near in meaning.

    `required`: an FTS5 expression that every row must match, empty for none. `is_prompt`: it asks for nothing in particular;
    `subject`: the words that say what a prompt is about. `term_rows`: those of the repository's memories. `text`: as typed;
    `moment`: the tag or branch that it names; `roles`: of the statements that it asks for; `kinds`: roles of which it wants all.
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

    def corrected_text(self) -> str:
        """Returns the words of the question as they are spelt, by which its meaning is compared."""
        return " ".join([self.corrected.get(term, (term,))[0] for term in self.terms])

    def all_terms(self) -> list[str]:
        """Returns every word that is looked for, those of the question first."""
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
    """Every row that matches with its score, and the terms that it is the sum of. `idf` is that of the whole question."""

    scores: Scores
    terms: list[TermScore]
    idf: float

    def add(self, term: TermScore) -> Scores:
        """Adds what a term brings to all rows that hold it. Returns their bm25."""
        scores, factor = self.scores, term.factor
        for n, bm25 in term.bm25.items():
            scores[n] = scores.get(n, 0.0) + factor * bm25
        self.terms.append(term)
        return term.bm25

    def keep_only(self, numbers: Container[int]) -> None:
        """Drops all rows but some."""
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
    terms, subject = analysis.terms(text), frozenset[str]()
    telling = [term for term in terms if term not in analysis.STOP_WORDS]
    if not is_prompt and is_small_talk(telling):
        terms = []
    if is_prompt:
        terms = telling
        subject = subject_of(text, terms)
        terms = terms if subject else []
    if is_prompt and len(terms) > MAX_PROMPT_TERMS:
        terms = search.telling(project.db, terms, MAX_PROMPT_TERMS)
    if dates.MENTIONED.intersection(terms) or analysis.MAY in text[: analysis.MAX_QUERY].lower():
        from memcli.recall import calendar

        terms = calendar.with_dates(text, terms, project.now)
    term_rows = look_up(project.db, "memory", terms, project.config)
    plain = [term for term in terms if term not in dates.MENTIONED and term not in dates.MONTHS]  # no other time is meant
    near_of = near(plain)
    corrected = _corrections(project, [term for term in plain if term not in near_of], term_rows, len(terms), is_prompt)
    near_of |= near([words[0] for words in corrected.values()]) if corrected else {}
    is_crowded = term_rows.common and project.user_db is None  # no near word tells anything then
    own_words = {*terms, *[words[0] for words in corrected.values()], *dates.MONTHS}
    near_words = [] if is_crowded else [pair for pairs in near_of.values() for pair in pairs[:NEAR_WORDS]]
    beside = tuple(dict.fromkeys([word for word, _ in near_words if word not in own_words]))
    moment = None
    words = text[: analysis.MAX_QUERY].lower().split()
    if terms and (not _OF_MOMENTS.isdisjoint(words) or _may_be_branch(words)):
        from memcli.recall import moments

        moment = moments.named(project, text[: analysis.MAX_QUERY])
    typed = text[: analysis.MAX_QUERY]
    roles, kinds = wanted_roles(typed), () if is_prompt else kinds_asked(telling)
    return ParsedQuery(tuple(terms), corrected, beside, "", is_prompt, subject, term_rows, typed, moment, roles, kinds)


def _may_be_branch(words: Sequence[str]) -> bool:
    """Tells whether a question is nothing but what may be the name of a branch: not that of a file."""
    return len(words) == 1 and not {"/", "-"}.isdisjoint(words[0]) and "." not in words[0]


def _corrections(
    project: Project, words: Sequence[str], term_rows: TermRows, terms: int, is_prompt: bool
) -> dict[str, tuple[str, ...]]:
    """Returns what unknown words may stand for. `words`: those that are no English ones; `terms`: how many were looked up."""
    stored = {term for term, rows in term_rows.rare.items() if rows}.union(term_rows.common)
    doubted = [word for word in words if word not in stored and len(word) >= CORRECTABLE and word.isalpha()]
    is_pasted = term_rows.common and terms > search.COUNTED_TERMS  # then only the longest words were looked for
    if not doubted or is_pasted or (is_prompt and len(doubted) > MAX_DOUBTED):
        return {}
    from memcli.recall.spelling import corrections

    return corrections(project, doubted, terms)


def look_up(db: Connection, table: str, terms: Sequence[str], config: Config, only: Filter | None = None) -> TermRows:
    """Returns which rows of an index hold some words."""
    rare, common = search.rarest(db, table, terms, only)
    weights = weights_of(table, config)
    return TermRows({term: search.scores(db, table, search.quoted(term), weights, only) for term in rare}, common)


def weights_of(table: str, config: Config) -> list[float]:
    """Returns the bm25 weights of a table's columns. What has no setting counts for nothing: no chunk has tags."""
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
    missing = 0
    for term in query.terms:
        if rows := term_rows.rare.get(term):
            side_by_side.append((term, matches.add(_term_score("words", rows, 1.0, total, term))))
        elif term in query.corrected:
            corrections = query.corrected[term]
            weight = config["rank.spelling"] / len(corrections) ** 0.5
            corrected = _term_score("spelling", rows_of(search.any_of(corrections)), weight, total, term)
            side_by_side.append((corrections[0], matches.add(corrected)))
        else:
            missing += term not in term_rows.common
    for (first, rows_of_first), (second, rows_of_second) in zip(side_by_side, side_by_side[1:]):
        if not rows_of_first.keys().isdisjoint(rows_of_second):
            matches.add(_term_score("pairs", rows_of(search.quoted(first, second)), config["rank.pairs"], total))
    if query.required:
        rows = rows_of(query.required)
        matches.add(TermScore("words", idf_of(total, len(rows)), 1.0, dict(rows)))
        matches.keep_only(dict(rows))
    for word, numbers in _named_rows(db, table, query, only).items():
        scored = {n for term in matches.terms if term.word == word for n in term.bm25}
        matches.add(_named(word, [n for n in numbers if n not in scored], total))
    common = term_rows.common
    if common and table != "chunk":
        numbers = _rows_to_read(db, table, query, common, only, matches)
        for term_score in _scores_of_common_words(db, table, query, common, config, numbers):
            matches.add(term_score)
    if query.near and table in ("memory", "passage") and not common and (near_words := search.rarest(db, table, query.near)[0]):
        matches.add(TermScore("near", 0.0, config["rank.near"], dict(rows_of(search.any_of(near_words)))))
    return Matches(matches.scores, matches.terms, sum([term.idf for term in matches.terms]) + missing * idf_of(total, 0))


def _term_score(feature: str, rows: Sequence[tuple[int, float]], weight: float, total: int, word: str = "") -> TermScore:
    """Returns what one word or pair adds: bm25 with idf to the power of 1 + IDF_POWER."""
    count = len(rows)
    idf = idf_of(total, count)
    idf_in_bm25 = max(log((total - count + 0.5) / (count + 0.5)), CLIPPED_IDF) if total >= count else CLIPPED_IDF
    return TermScore(feature, 0.0 if feature == "pairs" else idf, weight * sharpened(idf) / idf_in_bm25, dict(rows), word)


def idf_of(total: int, count: float) -> float:
    """Returns the weight of a word that `count` of `total` rows hold, never negative (BM25 as in Lucene)."""
    return log(1 + max(0.5, total - count + 0.5) / (count + 0.5))


def sharpened(idf: float) -> float:
    """Returns an idf to the power of 1 + IDF_POWER, so that IDF_MIDDLE stays as it is."""
    return idf * float((idf / IDF_MIDDLE) ** IDF_POWER)


def _named_rows(db: Connection, table: str, query: ParsedQuery, only: Filter | None) -> dict[str, list[int]]:
    """Returns the rows that a question names, by a word of it: most questions name none."""
    if table == "chunk" or query.is_prompt or query.required:
        return {}
    of_branch = _rows_of_branch(db, table, query, only)
    threads = named_threads(memories.threads(db), query.terms) if table == "memory" else set()
    text = query.text.strip(" ?!.")
    if not threads and _NAMING.isdisjoint(text) and " " in text and not text.istitle():  # nor a person's name
        return of_branch
    from memcli.recall import named

    return of_branch | named.rows(db, table, query.text, {words_of(thread)[0]: thread for thread in threads}, only)


def _rows_of_branch(db: Connection, table: str, query: ParsedQuery, only: Filter | None) -> dict[str, list[int]]:
    """Returns the rows of a branch, by its name, where a question asks for nothing else."""
    branch = query.moment.branch if query.moment else ""
    if not branch or not {*analysis.terms(branch), "branch", *CHATTER}.issuperset(query.terms):
        return {}
    from memcli.store import named

    return {branch: named.anchored(db, table, query.moment.commits if query.moment else (), branch, only)}


def named_threads(threads: Iterable[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    words = set(terms)
    return {thread for thread in threads if (name_words := words_of(thread)) and words.issuperset(name_words)}


def words_of(thread: str) -> list[str]:
    """Returns the words of a thread's name; none of one such as `-`."""
    return thread.lower().replace("-", " ").replace("_", " ").split()


def _named(word: str, numbers: Sequence[int], total: int) -> TermScore:
    """Returns what it adds to be named by a question: as if the word stood once in a row of average length."""
    idf = idf_of(total, len(numbers))
    return TermScore("words", idf, sharpened(idf), dict.fromkeys(numbers, ONCE), word)


def _rows_to_read(
    db: Connection, table: str, query: ParsedQuery, counts: Mapping[str, int], only: Filter | None, matches: Matches
) -> list[int]:
    """Returns the numbers of the rows whose text is read. `counts`: of common words, rarest first, how many rows hold each."""
    best = sorted(matches.scores, key=lambda n: (-matches.scores[n], n))[:BEST]
    if query.required:
        return best
    words = list(counts)
    written = _written_with_several(db, words, only) if table == "memory" and not best else []
    return best + _rows_with_several(db, table, words, only) + written


def _rows_with_several(db: Connection, table: str, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that hold as many of the first words as still stand together often enough, and those with fewer."""
    numbers: list[int] = []
    for count in range(min(2, len(words)), min(len(words), TOGETHER) + 1):
        rows = search.rows_with(db, table, search.all_of(words[:count]), SEVERAL, only)
        numbers += rows
        if len(rows) < SEVERAL:
            break
    return numbers


def _written_with_several(db: Connection, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that somebody wrote on purpose and that hold as many of the words as still stand together.

    Of the newest rows alone, what hooks saw would soon be all.
    """
    for count in range(min(len(words), TOGETHER), min(2, len(words)) - 1, -1):
        if numbers := search.written_rows_with(db, search.all_of(words[:count]), SEVERAL, only):
            return numbers
    return []


def _scores_of_common_words(
    db: Connection, table: str, query: ParsedQuery, counts: Mapping[str, int], config: Config, numbers: Sequence[int]
) -> Iterator[TermScore]:
    """Yields what common words, and pairs with one, add to some rows."""
    words = list(counts)[:COUNTED]
    pairs = [pair for pair in zip(query.terms, query.terms[1:]) if not counts.keys().isdisjoint(pair)]
    all_words = list({*words, *[word for pair in pairs for word in pair]})
    stem_of = dict(zip(all_words, search.stems(db, all_words)))
    bm25 = bm25_without_idf(db, table, numbers, weights_of(table, config), set(stem_of.values()))
    total = search.indexed(db, table)
    for word in words:
        idf = idf_of(total, counts[word])
        yield TermScore("words", idf, sharpened(idf), bm25.get((stem_of[word],), {}), word)
    for first, second in pairs:
        idf = idf_of(total, min([counts[word] for word in (first, second) if word in counts]))
        yield TermScore("pairs", 0.0, config["rank.pairs"] * sharpened(idf), bm25.get((stem_of[first], stem_of[second]), {}))


def bm25_without_idf(
    db: Connection, table: str, numbers: Sequence[int], weights: Sequence[float], stems: Container[str]
) -> dict[tuple[str, ...], Scores]:
    """Returns for each stem, and each two side by side, the rows that hold them with their bm25, but for the idf in it."""
    stemmed = search.stemmer(db)
    average = search.average_length(db, table)
    bm25: dict[tuple[str, ...], Scores] = {}
    for n, *columns in search.texts(db, table, numbers):
        frequencies: dict[tuple[str, ...], float] = {}
        length = 0
        for weight, text in zip(weights, columns):
            words = stemmed(text) if text else []
            length += len(words)
            previous = ""
            for stem in words:
                if stem not in stems:
                    previous = ""
                    continue
                frequencies[stem,] = frequencies.get((stem,), 0.0) + weight
                if previous:
                    frequencies[previous, stem] = frequencies.get((previous, stem), 0.0) + weight
                previous = stem
        saturation = K1 * (1 - B + B * length / average)
        for key, frequency in frequencies.items():
            bm25.setdefault(key, {})[n] = frequency * (K1 + 1) / (frequency + saturation)
    return bm25
