"""mem search with quotes, operators, prefixes and parentheses: what is found. Nothing typed reaches FTS5 as its syntax."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli import store
from memcli.project import Location, project_of
from memcli.recall import syntax
from memcli.recall.search import search as find
from memcli.records import replace
from memcli.store import memories, opening, search, transaction
from memcli.text.analysis import extra_words
from tests.cli.test_search import answers, hits
from tests.conftest import Terminal
from tests.models.servers import Dictionary
from tests.properties import examples
from tests.recall.test_semantic import dictionary as dictionary
from tests.store.conftest import BLANK

TEXTS = {
    "popup": "The session expired popup is shown twice",
    "moved": "Expired rows of a session move to Redis",
    "redis": "Redis evicts the session cache",
    "postgres": "Postgres keeps sessions and a keyboard layout",
    "deploy": "Deployment needs a keystore; users usually wait",
    "camel": "getUserId fails in parseHTTPHeader",
    "snake": "get_user_id returns none",
    "cjk": "会话令牌存储在数据库 Redis 中",
}


@pytest.fixture(scope="module")
def library() -> Iterator[store.Connection]:
    """A store with a memory for each of TEXTS, whose title is its name."""
    db = opening.empty_store()
    with transaction(db):
        for number, (name, text) in enumerate(TEXTS.items()):
            words = extra_words(text)
            memories.save(db, replace(BLANK, id=f"M-{number:010d}", title=name * 2, summary=text, words=words, tags=f"q{name}"))
    yield db
    db.close()


def matching(db: store.Connection, query: str) -> set[str]:
    """The names of the memories that a query's demands match."""
    found = syntax.parse(query)
    assert found is not None, query
    expression = syntax.fts5(db, found.required, {})
    names = list(TEXTS)
    return {names[n - 1] for n, _ in search.scores(db, "memory", expression, [1.0] * 5)}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ('"session expired"', "popup"),
        ('"expired session"', ""),
        ('"SESSION, expired"', "popup"),
        ('"session expired" "shown twice"', "popup"),
        ('"session expired" "session cache"', ""),
        ('"session expired" OR "session cache"', "popup redis"),
        ("session AND redis", "moved redis"),
        ("session AND redis NOT cache", "moved"),
        ("session NOT redis", "popup postgres"),
        ("session NOT (redis OR postgres)", "popup"),
        ("twice OR session AND cache", "popup redis"),
        ("(twice OR session) AND cache", "redis"),
        ("session redis NOT cache", "moved"),
        ("what is the session cache OR twice", "popup redis"),
        ('session NOT "session expired" NOT postgres', "moved redis"),
        ("evict*", "redis"),
        ("evict* OR keyb*", "redis postgres"),
        ("key*", "postgres deploy"),
        ("use*", "deploy camel snake"),
        ("deploy*", "deploy"),
        ("usua*", "deploy"),
        ("Sess* NOT red*", "popup postgres"),
        ("get_us*", "camel snake"),
        ("getUser*", "camel snake"),
        ("getUserId AND fails", "camel"),
        ("getUserId OR nothing", "camel snake"),
        ("get_user_id NOT none", "camel"),
        ('"getUserId fails"', "camel"),
        ('"http header"', "camel"),
        ('"令牌存储"', "cjk"),
        ('"会话令牌" NOT postgres', "cjk"),
        ('"数据库 Redis"', "cjk"),
        ('"令牌令牌存"', ""),
        ("令牌存*", "cjk"),
        ("令牌 AND redis", "cjk"),
        ("title:redisredis OR nothing", ""),
        ('"title: session expired"', ""),
        ("^session OR nothing", "popup moved redis postgres"),
        ("{title}:evicts AND -title", ""),
    ],
)
def test_what_a_query_demands_is_found(library: store.Connection, query: str, names: str) -> None:
    assert matching(library, query) == set(names.split())


@pytest.fixture
def shelf(terminal: Terminal) -> Terminal:
    """A terminal in a repository that remembers TEXTS."""
    rows = [json.dumps({"title": f"About {name}", "summary": text}) for name, text in TEXTS.items()]
    terminal.mem("import", "-", stdin="\n".join(rows))
    return terminal


def names(terminal: Terminal, *words: str) -> list[str]:
    """The names of what a search finds, in order."""
    return [title.removeprefix("About ") for title in hits(terminal, *words)]


def test_a_phrase_must_be_there_and_the_other_words_rank(shelf: Terminal) -> None:
    assert names(shelf, 'why is "session expired" shown') == ["popup"]
    assert set(names(shelf, "why is session expired shown")) >= {"popup", "moved", "redis", "postgres"}
    assert names(shelf, '"session" cache')[0] == "redis"
    assert names(shelf, '"session" keyboard')[0] == "postgres"
    assert set(names(shelf, '"session" cache')) == {"popup", "moved", "redis", "postgres"}
    assert names(shelf, '"no such words" session') == []


@pytest.mark.parametrize("half", ["what AND", "what OR NOT", "NOT what", "(what AND", "what AND OR"])
def test_an_operator_without_an_operand_is_no_word(shelf: Terminal, half: str) -> None:
    shelf.add("Salt and pepper", "Salt or pepper, not both.")
    assert names(shelf, half) == names(shelf, "what")
    assert names(shelf, "session AND") == names(shelf, "session")
    assert "Salt and pepper" in names(shelf, "AND"), "alone it is one"


def test_a_prefix_is_found_and_shown(shelf: Terminal) -> None:
    (hit,) = shelf.mem("search", "evic*", "--json").json
    assert (hit["title"], hit["score"] > 0, "evicts" in hit["snippet"]) == ("About redis", True, True)
    assert names(shelf, "evic* keyboard") == ["redis"]
    assert names(shelf, "evic*", "--kind", "decision") == []


def test_what_not_excludes_does_not_come_back(shelf: Terminal) -> None:
    assert set(names(shelf, "session NOT redis")) == {"popup", "postgres"}
    assert set(names(shelf, "session NOT redis", "--limit", "1")) < {"popup", "postgres"}
    assert names(shelf, "session NOT redis", "--kind", "bugfix") == []


def test_spelling_is_doubted_outside_quotes_only(shelf: Terminal) -> None:
    assert names(shelf, "postgers") == names(shelf, "postgers AND session") == ["postgres"]
    assert names(shelf, '"postgers"') == names(shelf, '"postgers" OR "redsi"') == []


def test_meaning_changes_the_order_and_never_what_is_found(terminal: Terminal, dictionary: Dictionary) -> None:
    for title in ("Cats rest", "The harbour freezes", "A hammer in the harbour"):
        terminal.add(title)
    terminal.mem("embed")

    assert set(hits(terminal, "hammer quxmarine", "--semantic")) == {"The harbour freezes", "A hammer in the harbour"}
    assert hits(terminal, '"hammer" quxmarine', "--semantic") == ["A hammer in the harbour"]
    assert hits(terminal, "harbour NOT hammer", "--semantic") == ["The harbour freezes"]
    assert hits(terminal, '"zebra" quxmarine', "--semantic") == []


def test_a_batch_asks_questions_and_the_own_store_obeys_syntax_too(shelf: Terminal) -> None:
    shelf.add("My session expired", "Mine.", "--user")
    shelf.add("My session in redis", "Mine.", "--user")
    (batch,) = answers(shelf, "--batch", "-", stdin=json.dumps({"id": 1, "text": '"session expired"'}))

    assert set(names(shelf, '"session expired"')) == {"popup", "My session expired"}
    assert set(names(shelf, "session NOT redis")) == {"popup", "postgres", "My session expired"}
    assert [hit["id"] for hit in batch["hits"]] == [hit["id"] for hit in shelf.mem("search", "session expired", "--json").json]
    assert hits(shelf, "session NOT redis", "--user") == ["My session expired"]


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ('"session expired', "session expired"),
        ("(session AND redis", "session redis"),
        ("session AND", "session"),
        ("session AND OR redis", "session redis"),
        ('session ""', "session"),
        ("NOT redis", "redis"),
        ("session OR NOT redis", "session redis"),
        ("session and redis", "session redis"),
        ("src/** session", "src session"),
        ("redis (session)", "redis session"),
    ],
)
def test_what_is_not_well_formed_is_plain_words(shelf: Terminal, query: str, plain: str) -> None:
    assert shelf.mem("search", query, "--json").out == shelf.mem("search", plain, "--json").out
    assert names(shelf, query) != []


def test_get_takes_any_text_as_a_question(shelf: Terminal) -> None:
    assert len(shelf.titles('"session expired" NOT redis')) > 1
    assert shelf.titles('"session expired" NOT redis') == shelf.titles("session expired redis")


PIECES = [
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    '"',
    "session",
    "key*",
    '"a b"',
    "*",
    "NEAR(",
    "title:",
    "^",
    "会话*",
    "e\u0301*",
    "\x00",
    "\ud800",
]
MARKED = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12).map(" ".join)


@settings(max_examples=examples(100), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(MARKED)
@example('"\u0301" OR \u0301* OR ½*')
@example("(" * 8 + "a AND b OR (c NOT (d OR e))" + ")" * 8)
@example("(a OR (b AND (c OR (d AND (e OR (f AND (g OR (h AND (getUserId OR x_y NOT (key* OR z)))))))))")
def test_no_query_raises(library: store.Connection, query: str) -> None:
    project: Any = project_of(Location("test", None, "test", ""), "default", "", library)
    assert len(find(project, query, None, 5)) <= 5
