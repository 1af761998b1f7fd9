"""Which chunks are relevant to a question, and how much. Weights that a person may change are the settings `rank.chunk_*`."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.recall.candidates import TermScore, idf_of, sharpened
from memcli.recall.prompts import drop_incidental, rows_with_words
from memcli.recall.relevance import MIN_COSINE
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
MAX_CHUNKS = 16  # that are looked at; a pack prints a handful
LABELLED = 24  # chunks whose names are compared with the question
ONCE = 1.5  # what a word that stands once in a text of average length adds, in idf: its weight 2 in bm25 is 2 * 2.2 / (2 + 1.2)
TOGETHER = 0.25  # of the chunks with rare words of a question more have the common ones than of all: so much of that share
JOINED = 4  # common words of a question, the longest, that are looked for in the chunks that rare words matched
TOGETHER_AT_MOST = 4  # common words that are looked for at once where all are common
LOOKED_THROUGH = 2_000  # chunks with a common word that are looked for among those that matched


def matching(project: Project, query: ParsedQuery, meaning: QueryVector | None = None, only: Filter | None = None) -> list[int]:
    """Returns the row numbers of the relevant chunks, best first; those that give orders to a model come last.

    `only`: the tree that must hold them.
    """
    matches = _chunk_matches(project, query, only)
    scores = matches.scores
    best = sorted(scores, key=lambda n: (-scores[n], n))[:LABELLED]
    numbers = _by_name(project, query, matches, best)[:MAX_CHUNKS] if best else []
    if meaning is None:
        return numbers
    from memcli.recall.semantic import nearest_chunks

    return list(dict.fromkeys([*numbers, *nearest_chunks(project, meaning, only, MIN_COSINE)]))


def _chunk_matches(project: Project, query: ParsedQuery, only: Filter | None) -> Matches:
    """Returns the chunks that match by their words. The rare words of the question find them.

    A common word, of which too many chunks would have to be scored, counts in those that matched, as if it stood there once.
    Where every word is common, the chunks match that hold several of them.
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
    drop_incidental(matches, query)
    return matches


def _with_several_words(project: Project, common: Sequence[str], only: Filter | None) -> tuple[list[str], list[int]]:
    """Returns as many of some common words as stand together in several chunks, the longest first, and those chunks."""
    most = search.MAX_POSTINGS["chunk"]
    words = sorted(common, key=lambda term: (-len(term), term))[:TOGETHER_AT_MOST]
    while len(rows := search.rows_with(project.db, "chunk", search.all_of(words), most, only)) < MAX_CHUNKS and len(words) > 1:
        words.pop()
    return words, rows


def _by_name(project: Project, query: ParsedQuery, matches: Matches, best: Sequence[int]) -> list[int]:
    """Orders the best chunks anew: the question may name what one of them defines, or its file."""
    scores = matches.scores
    of_symbol, of_file = (project.config[f"rank.chunk_{name}"] * scores[best[0]] for name in ("symbol", "file"))
    terms = set(query.terms)
    enough = rows_with_words(matches, query, PROMPT_WORDS) if query.is_prompt else set(best)
    order = []
    for n, path, symbol, suspicious in search.chunk_labels(project.db, best):
        stem = path.rpartition("/")[2].partition(".")[0]
        gain = of_symbol if any(is_named(name, terms) for name in symbol.split(", ")) else 0.0
        gain += of_file if is_named(stem, terms) else 0.0
        if gain or n in enough:
            order.append((suspicious, -scores[n] - gain, n))
    return [n for _, _, n in sorted(order)]


def is_named(name: str, terms: set[str]) -> bool:
    """True where the terms have every word of a name's last part: of `Parser.read_header`, or `Mail > Headers`."""
    folded = name.lower()
    if not any(term in folded for term in terms):  # most names: splitting them would cost more than the search did
        return False
    last = name.rpartition(" > ")[2]
    if last == name:
        last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
    words = [word.lower() for run in analysis.runs(last) for word in analysis.parts(run)]
    words = [word for word in words if word not in analysis.STOP_WORDS]
    return bool(words) and terms.issuperset(words)
