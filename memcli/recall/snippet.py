"""The part of a text that shows why it matched, and its best line."""

from __future__ import annotations

from memcli.store import search
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.store import Connection

WORDS = 24


def snippets(db: Connection, query: ParsedQuery) -> Callable[[str], str]:
    """Returns a function from a text to its best WORDS words for the query, on one line; the first ones if none match.

    FTS5's snippet() chooses alike, but looks up all words of the question again for every row: ten times the work.
    """
    tokenized = search.placer(db)
    words, prefixes = _required_words(query.required)
    stems = {stem for _, _, stem in tokenized(" ".join([*query.all_terms(), *words]))}

    def snippet(text: str) -> str:
        tokens = tokenized(text)
        start = _start([(n, stem) for n, (_, _, stem) in enumerate(tokens) if stem in stems or stem.startswith(prefixes)])
        end = start + WORDS
        content = text.encode()
        if end < len(tokens):
            content = content[: tokens[end - 1][1]] + "…".encode()
        if start > 0:
            content = "…".encode() + content[tokens[start][0] :]
        return oneline(content.decode())

    return snippet


def matching(project: Project, prompt: str) -> Callable[[str], list[str]]:
    """Returns a function from a text to the words of a prompt that it holds, spelled and ordered as in the prompt."""
    from memcli.recall.candidates import parse

    query, tokenized = parse(project, prompt, is_prompt=True), search.placer(project.db)
    words: dict[str, str] = {}
    for word in query.terms:
        for spelling in (word, *query.corrected.get(word, ())):
            for _, _, stem in tokenized(spelling):
                words.setdefault(stem, word)

    def words_in(text: str) -> list[str]:
        stems = {stem for _, _, stem in tokenized(text)}
        return list(dict.fromkeys([word for stem, word in words.items() if stem in stems]))

    return words_in


def absent(db: Connection, words: Sequence[str], text: str) -> list[str]:
    """Returns those of some words that a text does not have in any form."""
    tokenized = search.placer(db)
    stems = {stem for _, _, stem in tokenized(text)}
    return [word for word in words if stems.isdisjoint([stem for _, _, stem in tokenized(word)])]


def best_line(query: ParsedQuery, text: str) -> tuple[int, str]:
    """Returns the first line of a text that has the most words of a question, with its number from 0.

    A word is compared by its beginning: this serves a reader, and takes no index.
    """
    stems = [term.lower()[: max(3, len(term) - 2)] for term in query.terms]
    corrected = [word.lower() for words in query.corrected.values() for word in words]
    near = [word.lower() for word in query.near]

    def worth(line: str) -> tuple[int, int, bool]:
        folded = line.lower()
        matching = sum([stem in folded for stem in stems]) + sum([word in folded for word in corrected])
        return matching, sum([word in folded for word in near]), not folded.isspace() and folded != ""

    lines = text.split("\n")
    number = max(range(len(lines)), key=lambda index: worth(lines[index]))
    return number, oneline(lines[number])


def _start(matches: Sequence[tuple[int, str]]) -> int:
    """Returns the word to begin at to show the most different stems, then the most words of `matches`, in the middle."""
    best, start = (0, 0), 0
    for index, (first, _) in enumerate(matches):
        inside = [(n, stem) for n, stem in matches[index : index + WORDS] if n < first + WORDS]
        worth = len({stem for _, stem in inside}), len(inside)
        if worth > best:
            best, start = worth, max(0, first - (WORDS - (inside[-1][0] - first + 1)) // 2)
    return start


def _required_words(expression: str) -> tuple[list[str], tuple[str, ...]]:
    """Returns the words and prefixes of an FTS5 expression, in which all of them are quoted."""
    outside, inside = expression.split('"')[::2], expression.split('"')[1::2]
    pairs = list(zip(inside, outside[1:]))
    prefixes = [words.split()[-1].lower() for words, after in pairs if after.startswith("*")]
    return [words for words, after in pairs if not after.startswith("*")], tuple(prefixes)
