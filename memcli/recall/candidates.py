"""What matches a question, word by word: its own words, corrected and near ones, pairs of neighbours.

Each part is SQLite's bm25 of one word, rescaled so that rare words count more. docs/retrieval.md tells what each part brings and
the command that measures it.
"""

from __future__ import annotations

from memcli.recall.near import near
from memcli.records import Record
from memcli.store import search
from memcli.text import analysis, dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.store.db import Connection
    from memcli.store.search import Filter

    Scores = dict[int, float]  # row number -> score

COLUMNS = {
    "memory": ("title", "summary", "tags", "entities", "words"),
    "chunk": ("locator", "text", "tags", "words"),
    "prompt": ("text", "words"),
}
IDF_POWER = 0.3  # beyond the 1 that is in bm25: "fix" and "add" stand in every other memory of a code base
IDF_MIDDLE = 5.0  # idf of a word that one memory in 150 holds: its score stays as it is
CLIPPED_IDF = 1e-6  # what FTS5 takes for the idf of a word that half of the rows hold (fts5_aux.c)
NEAR_WORDS = 4  # of each word of the question
MOST_TERMS = 10  # of a long text: each costs a thirtieth of an interpreter's start
DOUBTS = 2  # words of a long text that may be misspelt: where more are unknown, they are words of its own
LEAST = 2  # words of a long text that a row must hold: one alone, of "run the tests", stands in a tenth of all rows
RARE = 3  # rows that hold a word at most, for it to be enough
CORRECTABLE = 4  # letters of the shortest word whose spelling is doubted
# The common words of a question in a large store. To score every row that holds one would cost more than all else. So they are
# looked for in the text of a few rows: the best that rare words found, and the newest that hold several common ones. What they
# count for there is bm25, as if SQLite had scored them.
BEST = 96  # rows that rare words found, whose text is read
SEVERAL = 64  # newest rows with several common words, whose text is read, too
TOGETHER = 4  # common words that are looked for together, the rarest
K1, B = 1.2, 0.75  # as in SQLite's bm25 (fts5_aux.c)
COUNTED = 8  # common words that are counted, the rarest


# Words that people say to an agent in any project, whatever it is about: a prompt is not about them. Verbs of instruction, what
# is said of work as such, and what fills a sentence; none that names a subject somewhere, such as message, queue, retry.
CHATTER = frozenset(
    """
    please thanks thank ok okay yes yeah yep no nope sure great good nice fine right wrong correct perfect well hi hello hmm
    looks look looking works work working worked
    go going ahead continue proceed start begin finish finished done next step steps again back still now already first last
    same other another else instead way ways thing things something anything everything nothing bit lot part rest one ones
    run runs running rerun try tries trying do does doing did make makes making made write writes writing add adds adding
    create creates creating fix fixes fixing update updates updating change changes changing changed remove removes removing
    rename refactor clean cleanup undo redo implement finalize commit commits committing push
    show shows tell explain describe summarise summarize check checks see give let take get got put use uses using used
    need needs needed want wants think know mean ask say said
    code file files test tests testing function functions project repo repository diff
    simple simpler better shorter longer clearer easier quick quickly long short ready new old
    """.split()
)


class Known(Record):
    """What a store has of some words: the rows of rare ones, as store.search gives them; about how many have common ones."""

    rows: dict[str, list[tuple[int, float]]]
    common: dict[str, int]


class ParsedQuery(Record):
    """What is looked for: the words of a question, for unknown ones what they may stand for, and words near in meaning.

    `required`: an FTS5 expression that every row must match, empty for none; `least`: how many of the question's own words it
    must hold, one of `about` among them, what the question is about; a rare one of these is enough.
    """

    terms: tuple[str, ...]
    corrected: dict[str, tuple[str, ...]]
    near: tuple[str, ...] = ()
    required: str = ""
    least: int = 1
    about: frozenset[str] = frozenset()
    known: Known | None = None  # what the repository's memories have of the terms

    def all_terms(self) -> list[str]:
        """Returns every word that is looked for, those of the question first."""
        return [*self.terms, *[word for words in self.corrected.values() for word in words], *self.near]


class Part(Record):
    """What one expression brings: to which feature, its idf (0 where it is none of the question's words), each row's share.

    `word`: the question's word.
    """

    feature: str
    idf: float
    factor: float
    bm25: Scores
    word: str = ""


class Matches(Record):
    """Every row that matches with its score, and the parts that it is the sum of. `idf` is that of the whole question."""

    scores: Scores
    parts: list[Part]
    idf: float

    def features(self, n: int) -> dict[str, float]:
        """Returns what each feature brings to a row."""
        found = {"words": 0.0, "spelling": 0.0, "near": 0.0, "pairs": 0.0}
        for part in self.parts:
            found[part.feature] += part.factor * part.bm25.get(n, 0.0)
        return found


def ask(project: Project, text: str, is_long: bool = False) -> ParsedQuery:
    """Reads a question: its words, corrections of those that the store does not know, and words of about the same meaning.

    `is_long`: it may be a whole text, which asks for nothing in particular. Then the words that tell most stand for all,
    spelling is doubted only where next to nothing is unknown, and a row must hold several of the words.
    """
    terms, about = analysis.terms(text), frozenset[str]()
    if is_long:
        terms = [term for term in terms if term not in analysis.STOP_WORDS]
        about = frozenset(terms) - CHATTER
        terms = terms if about else []
    if is_long and len(terms) > MOST_TERMS:
        terms = search.telling(project.db, terms, MOST_TERMS)
    if dates.MENTIONED.intersection(terms) or analysis.MAY in text[: analysis.MAX_QUERY].lower():
        from memcli.recall import calendar

        terms = calendar.with_dates(text, terms, project.now)
    known = look_up(project.db, "memory", terms, project.config)
    held = {term for term, rows in known.rows.items() if rows}.union(known.common)
    plain = [term for term in terms if term not in dates.MENTIONED and term not in dates.MONTHS]  # no other time is meant
    doubted = [term for term in plain if term not in held and len(term) >= CORRECTABLE and term.isalpha()]
    corrected: dict[str, tuple[str, ...]] = {}
    is_pasted = known.common and len(terms) > search.COUNTED_TERMS  # then only the longest words were looked for
    if doubted and not is_pasted and not (is_long and len(doubted) > DOUBTS):
        from memcli.recall.spelling import corrections

        corrected = corrections(project, doubted)
    meant = [corrected[term][0] if term in corrected else term for term in plain]
    taken = {*terms, *meant, *dates.MONTHS}
    is_crowded = known.common and project.user_db is None  # no near word tells anything then
    near_words = {} if is_crowded else near(meant)
    beside = [word for words in near_words.values() for word, _ in words[:NEAR_WORDS] if word not in taken]
    least = LEAST if is_long else 1
    return ParsedQuery(tuple(terms), corrected, tuple(dict.fromkeys(beside)), least=least, about=about, known=known)


def look_up(db: Connection, table: str, terms: Sequence[str], config: Config, only: Filter | None = None) -> Known:
    """Returns what an index has of some words."""
    rare, common = search.rarest(db, table, terms, only)
    weights = weights_of(table, config)
    return Known({term: search.scores(db, table, search.quoted(term), weights, only) for term in rare}, common)


def weights_of(table: str, config: Config) -> list[float]:
    """Returns the bm25 weights of a table's columns."""
    prefix = "rank." if table == "memory" else f"rank.{table}_"
    return [config[prefix + column] for column in COLUMNS[table]]


def find(
    db: Connection, table: str, asked: ParsedQuery, config: Config, only: Filter | None = None, known: Known | None = None
) -> Matches:
    """Returns the rows of `memory`, `chunk` or `prompt` that match, with the parts of their scores. The work is bounded.

    `known`: what was looked up here before. Of chunks, only its rare words are counted, and `asked.least` is not heeded.
    """
    total = search.indexed(db, table)
    found = Matches({}, [], 0.0)
    if not total:
        return found
    known = known or look_up(db, table, asked.terms, config, only)
    weights = weights_of(table, config)

    def rows_of(expression: str) -> list[tuple[int, float]]:
        return search.scores(db, table, expression, weights, only)

    side_by_side: list[tuple[str, Scores]] = []
    missing = 0
    for term in asked.terms:
        if rows := known.rows.get(term):
            side_by_side.append((term, add(found, "words", rows, 1.0, total, term)))
        elif term in asked.corrected:
            meant = asked.corrected[term]
            weight = config["rank.spelling"] / len(meant) ** 0.5
            side_by_side.append((meant[0], add(found, "spelling", rows_of(search.any_of(meant)), weight, total, term)))
        else:
            missing += term not in known.common
    for (first, held), (second, also) in zip(side_by_side, side_by_side[1:]):
        if not held.keys().isdisjoint(also):
            add(found, "pairs", rows_of(search.quoted(first, second)), config["rank.pairs"], total)
    if asked.required:
        rows = rows_of(asked.required)
        sure = Part("words", idf_of(total, len(rows)), 1.0, dict(rows))
        keep(found, sure)
        for n in found.scores.keys() - sure.bm25.keys():
            del found.scores[n]
    if known.common and table != "chunk":
        read = rows_to_read(db, table, asked, known.common, only, found)
        for part in parts_of_common_words(db, table, asked, known.common, config, read):
            keep(found, part)
    if asked.near and table == "memory" and not known.common and (some := search.rarest(db, table, asked.near)[0]):
        keep(found, Part("near", 0.0, config["rank.near"], dict(rows_of(search.any_of(some)))))
    if table != "chunk":
        drop_chance(found, asked)
    return Matches(found.scores, found.parts, sum([part.idf for part in found.parts]) + missing * idf_of(total, 0))


def add(to: Matches, feature: str, rows: Sequence[tuple[int, float]], weight: float, total: int, word: str = "") -> Scores:
    """Adds what one word or pair brings, bm25 with idf to the power of 1 + IDF_POWER. Returns the rows that hold it."""
    count = len(rows)
    idf = idf_of(total, count)
    in_bm25 = max(_ln((total - count + 0.5) / (count + 0.5)), CLIPPED_IDF)
    factor = weight * sharpened(idf) / in_bm25
    return keep(to, Part(feature, 0.0 if feature == "pairs" else idf, factor, dict(rows), word))


def keep(to: Matches, part: Part) -> Scores:
    """Adds a part to all the rows that it has. Returns them."""
    scores, factor = to.scores, part.factor
    for n, bm25 in part.bm25.items():
        scores[n] = scores.get(n, 0.0) + factor * bm25
    to.parts.append(part)
    return part.bm25


def drop_chance(found: Matches, asked: ParsedQuery) -> None:
    """Drops the rows that share words with a question by chance."""
    if asked.least > 1:
        rare = {n for part in found.parts if part.word in asked.about and len(part.bm25) <= RARE for n in part.bm25}
        for n in found.scores.keys() - holding(found, asked, asked.least) - rare:
            del found.scores[n]


def holding(found: Matches, asked: ParsedQuery, least: int) -> set[int]:
    """Returns the rows that hold so many of the question's own words at least, one of what it is about among them."""
    levels: list[set[int]] = [set() for _ in range(least)]
    subject: set[int] = set()
    for part in found.parts:
        if part.idf:
            rows = part.bm25.keys()
            for number in range(least - 1, 0, -1):
                levels[number] |= levels[number - 1] & rows
            levels[0] |= rows
            if part.word in asked.about:
                subject |= rows
    return levels[-1] & subject


def rows_to_read(
    db: Connection, table: str, asked: ParsedQuery, counts: Mapping[str, int], only: Filter | None, found: Matches
) -> list[int]:
    """Returns the numbers of the rows whose text is read. `counts`: of common words, rarest first, how many rows hold each."""
    best = sorted(found.scores, key=lambda n: (-found.scores[n], n))[:BEST]
    return best if asked.required else best + rows_with_several(db, table, list(counts), only)


def parts_of_common_words(
    db: Connection, table: str, asked: ParsedQuery, counts: Mapping[str, int], config: Config, numbers: Sequence[int]
) -> Iterator[Part]:
    """Yields what common words, and pairs with one, bring to some rows."""
    words = list(counts)[:COUNTED]
    pairs = [pair for pair in zip(asked.terms, asked.terms[1:]) if not counts.keys().isdisjoint(pair)]
    wanted = list({*words, *[word for pair in pairs for word in pair]})
    stem_of = dict(zip(wanted, search.stems(db, wanted)))
    shares = shares_in(db, table, numbers, weights_of(table, config), set(stem_of.values()))
    total = search.indexed(db, table)
    for word in words:
        idf = idf_of(total, counts[word])
        yield Part("words", idf, sharpened(idf), shares.get((stem_of[word],), {}), word)
    for first, second in pairs:
        idf = idf_of(total, min([counts[word] for word in (first, second) if word in counts]))
        weight = config["rank.pairs"] * sharpened(idf)
        yield Part("pairs", 0.0, weight, shares.get((stem_of[first], stem_of[second]), {}))


def rows_with_several(db: Connection, table: str, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that hold as many of the first words as still stand together often enough, and those with fewer."""
    numbers: list[int] = []
    for many in range(min(2, len(words)), min(len(words), TOGETHER) + 1):
        found = search.rows_with(db, table, search.all_of(words[:many]), SEVERAL, only)
        numbers += found
        if len(found) < SEVERAL:
            break
    return numbers


def shares_in(
    db: Connection, table: str, numbers: Sequence[int], weights: Sequence[float], wanted: Container[str]
) -> dict[tuple[str, ...], Scores]:
    """Returns what each stem, and each two side by side, count for in the rows that hold them: their bm25 without idf."""
    stems = search.stemmer(db)
    average = search.average_length(db, table)
    shares: dict[tuple[str, ...], Scores] = {}
    for n, *columns in search.texts(db, table, numbers):
        often: dict[tuple[str, ...], float] = {}
        length = 0
        for weight, text in zip(weights, columns):
            said = stems(text) if text else []
            length += len(said)
            before = ""
            for stem in said:
                if stem not in wanted:
                    before = ""
                    continue
                often[stem,] = often.get((stem,), 0.0) + weight
                if before:
                    often[before, stem] = often.get((before, stem), 0.0) + weight
                before = stem
        least = K1 * (1 - B + B * length / average)
        for key, f in often.items():
            shares.setdefault(key, {})[n] = f * (K1 + 1) / (f + least)
    return shares


def idf_of(total: int, count: float) -> float:
    """Returns the weight of a word that `count` of `total` rows hold, never negative (BM25 as in Lucene)."""
    return _ln(1 + max(0.5, total - count + 0.5) / (count + 0.5))


def sharpened(idf: float) -> float:
    """Returns an idf to the power of 1 + IDF_POWER, so that IDF_MIDDLE stays as it is."""
    return idf * float((idf / IDF_MIDDLE) ** IDF_POWER)


def _ln(x: float) -> float:
    """Returns the natural logarithm to seven digits, without `math`, a shared library of its own: 0.2 ms for one function."""
    return float((x**1e-8 - 1) * 1e8) if x > 0 else 0.0
