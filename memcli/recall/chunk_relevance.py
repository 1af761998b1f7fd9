"""Which chunks are relevant to a question, and how much. The settings `rank.chunk_*` are the weights that a person may change."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.recall.candidates import ONCE, TermScore, idf_of, sharpened
from memcli.recall.prompts import drop_incidental, rows_with_words
from memcli.recall.relevance import MIN_COSINE
from memcli.records import Record
from memcli.store import search
from memcli.text import analysis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.candidates import Matches, ParsedQuery
    from memcli.recall.semantic import QueryVector
    from memcli.store.search import Filter

PROMPT_WORDS = 3  # of a prompt that a chunk must hold, unless the prompt names its symbol or file
FLOOR = 0.45  # share of the weight of a question's words that a chunk must hold to be told, unless the question names it
FLOOR_NAMED = 0.3  # the same where the question has its name, or that of its file: many a name is a plain word
FLOOR_ONE_WORD = 0.75  # the same where it holds only one of them
FLOOR_BESIDE = 0.7  # the same beside memories that answer a question which is not about code
# Of its score, what a test, a change log, a manual or a generated file loses where a question asks for the source.
NOT_SOURCE = 0.3
MAX_CHUNKS = 16  # that are looked at; a pack prints a handful
LABELLED = 24  # chunks whose names are compared with the question
TOGETHER = 0.25  # of a common word's share of the matching chunks, what is taken for its share of all, fewer of which hold it
JOINED = 4  # common words of a question, the longest, that are searched for in the chunks that rare words matched
TOGETHER_AT_MOST = 4  # common words that are searched for at once where all are common
LOOKED_THROUGH = 2_000  # chunks with a common word that are searched for among those that matched


# Words of a question that is about code, or about how something works; and those that name what is not the source.
_OF_CODE = frozenset(
    """
    where how function functions method methods class classes module modules code implementation implemented implements defined
    definition called calls caller callers argument arguments parameter parameters variable constant import imported returns
    """.split()
)
_OF_THE_REST = frozenset(
    "test tests testing tested spec specs changelog changes changed release docs doc documentation manual".split()
)
_NOT_SOURCE_FOLDERS = frozenset(
    "test tests testing spec specs __tests__ doc docs vendor node_modules third_party dist build generated fixtures".split()
)
_NOT_SOURCE_ENDS = (
    ".md",
    ".rst",
    ".txt",
    ".adoc",
    ".lock",
    ".min.js",
    ".min.css",
    "_pb2.py",
    ".snap",
    "-lock.json",
    ".csv",
    ".svg",
)


class ChunkMatch(Record):
    """A relevant chunk. `score`: 1 for the best.

    `words`: how many of the question's words it holds; `coverage`: their share, by weight or by number. `is_named`: the question
    has every word of a name that it defines, or of its file.
    """

    n: int
    score: float
    words: int
    coverage: float
    is_named: bool

    def reaches(self, floor: float) -> bool:
        """Tells whether it is relevant enough to be told: a single word shared with a question may be chance."""
        least = floor if self.words > 1 else max(floor, FLOOR_ONE_WORD)
        return self.coverage >= (FLOOR_NAMED if self.is_named else least)


def matching(
    project: Project,
    query: ParsedQuery,
    meaning: QueryVector | None = None,
    only: Filter | None = None,
    most: int = MAX_CHUNKS,
) -> list[ChunkMatch]:
    """Returns up to `most` relevant chunks, best first; those that give orders to a model come last.

    `only`: the tree that must hold them. `meaning`: the question as a vector; what is near to it comes after what shares words.
    """
    matches = _chunk_matches(project, query, only)
    scores = matches.scores
    best = sorted(scores, key=lambda n: (-scores[n], n))[: max(LABELLED, most)]
    relevant = _by_name(project, query, matches, best)[:most] if best else []
    if meaning is None:
        return relevant
    from memcli.recall.semantic import nearest_chunks

    listed = {match.n for match in relevant}
    near = nearest_chunks(project, meaning, only, MIN_COSINE)
    return relevant + [ChunkMatch(n, 0.0, 0, 1.0, False) for n in near if n not in listed]


def is_about_code(text: str, terms: Sequence[str]) -> bool:
    """Tells whether a question asks for code: by its words, or because it has a name, a path or a call in it."""
    return not _OF_CODE.isdisjoint([*text.lower().split(), *terms]) or any(
        _is_name(word.strip("`'\"?!,;:.")) for word in text.split()
    )


def _is_name(word: str) -> bool:
    inner = word.strip("_./")
    joined = any(sign in inner for sign in ("_", "/", "::", "()")) or ("." in inner and not inner.replace(".", "").isdigit())
    return joined or analysis.has_inner_capital(inner)


def is_source(path: str) -> bool:
    """Tells whether a file is source: not a test, change log, manual or generated file."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    is_test = stem.startswith("test_") or stem.endswith(("_test", "_spec")) or ".test." in name or ".spec." in name
    is_log = stem.startswith(("change", "history", "news", "release"))
    return not (is_test or is_log or name.endswith(_NOT_SOURCE_ENDS) or not _NOT_SOURCE_FOLDERS.isdisjoint(folders))


def _chunk_matches(project: Project, query: ParsedQuery, only: Filter | None) -> Matches:
    """Returns the chunks that match by their words. The rare words of the question find them.

    A common word, for which too many chunks would have to be scored, counts in those that matched, as if it occurred once.
    If every word is common, the chunks that hold several of them match.
    """
    db = project.db
    term_rows = candidates.look_up(db, "chunk", query.terms, project.config, only)
    common = list(term_rows.common)
    matches = candidates.find(db, "chunk", query, project.config, only, term_rows)
    expression = search.any_of([*term_rows.rare, *[word for words in query.corrected.values() for word in words]])
    in_all: Sequence[str] = ()  # words that all of them hold
    if not matches.scores and common:
        in_all, rows = _with_several_words(project, common, only)
        matches.scores.update(dict.fromkeys(rows, 0.0))
        expression = search.all_of(in_all)
    numbers = list(matches.scores)
    total, least = search.indexed(db, "chunk"), search.MAX_POSTINGS["chunk"]
    for term in sorted(common, key=len)[-JOINED:] if numbers else ():
        both = f"({expression}) AND {search.quoted(term)}"
        with_term = numbers if term in in_all else search.rows_with(db, "chunk", both, LOOKED_THROUGH, oldest=min(numbers))
        rows = [n for n in with_term if n in matches.scores]
        idf = idf_of(total, max(least, TOGETHER * total * len(rows) / len(numbers)))
        matches.add(TermScore("words", idf, sharpened(idf), dict.fromkeys(rows, ONCE), term))
    drop_incidental(matches, query, "chunk")
    return matches


def _with_several_words(project: Project, common: Sequence[str], only: Filter | None) -> tuple[list[str], list[int]]:
    """Returns as many of some common words as occur together in several chunks, longest first, and those chunks."""
    most = search.MAX_POSTINGS["chunk"]
    words = sorted(common, key=lambda term: (-len(term), term))[:TOGETHER_AT_MOST]
    while len(rows := search.rows_with(project.db, "chunk", search.all_of(words), most, only)) < MAX_CHUNKS and len(words) > 1:
        words.pop()
    return words, rows


def _by_name(project: Project, query: ParsedQuery, matches: Matches, best: Sequence[int]) -> list[ChunkMatch]:
    """Reorders the best chunks: the question may name what one of them defines, or its file, or ask for source code."""
    scores = matches.scores
    of_symbol, of_file = (project.config[f"rank.chunk_{name}"] * scores[best[0]] for name in ("symbol", "file"))
    terms = set(query.terms)
    enough = rows_with_words(matches, query, PROMPT_WORDS) if query.is_prompt else set(best)
    wants_source = _OF_THE_REST.isdisjoint(terms)
    highest, order = scores[best[0]] or 1.0, []
    for n, path, symbol, suspicious in search.chunk_labels(project.db, best):
        stem = path.rpartition("/")[2].partition(".")[0]
        gain = of_symbol if any(is_named(name, terms) for name in symbol.split(", ")) else 0.0
        gain += of_file if is_named(stem, terms) else 0.0
        if gain or n in enough:
            lost = NOT_SOURCE * scores[n] if wants_source and not is_source(path) else 0.0
            match = ChunkMatch(n, (scores[n] + gain - lost) / highest, *_coverage(matches, n, len(terms)), gain > 0)
            order.append((suspicious, -match.score, n, match))
    return [match for *_, match in sorted(order)]


def _coverage(matches: Matches, n: int, terms: int) -> tuple[int, float]:
    """Returns how many of a question's `terms` a row holds, corrections included, and their share by weight or number."""
    words: dict[str, float] = {}
    for term in matches.terms:
        if term.idf and n in term.bm25:
            words[term.word] = max(words.get(term.word, 0.0), term.idf)
    weight = sum(words.values()) / matches.idf if matches.idf else 0.0
    # In a small store a word that all chunks have weighs nothing, and one that none has the more.
    return len(words), min(1.0, max(weight, len(words) / max(1, terms)))


def is_named(name: str, terms: set[str]) -> bool:
    """Tells whether the terms have every word of a name's last part: of `Parser.read_header`, or `Mail > Headers`."""
    folded = name.lower()
    if not any(term in folded for term in terms):  # most names: splitting them would cost more than the search did
        return False
    last = name.rpartition(" > ")[2]
    if last == name:
        last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
    words = [word.lower() for run in analysis.runs(last) for word in analysis.parts(run)]
    words = [word for word in words if word not in analysis.STOP_WORDS]
    return bool(words) and terms.issuperset(words)
