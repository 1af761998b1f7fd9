"""What is stored is found by everything that it says, and by what it is called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Terminal


@pytest.fixture
def stored(terminal: Terminal) -> dict[str, str]:
    """Things of every kind, by what they are: their ids."""
    terminal.commit("Gears", gearbox_py="x = 1\n")
    fact = terminal.add(
        "Shifts need oil", "They stick", "--thread", "drive-train", "--tags", "lubrication", "--file", "gearbox.py"
    )
    terminal.add("The sky is blue", "Seen from here")
    note = terminal.mem("note", "add", "Called the supplier about bearings").id
    terminal.mem("profile", "set", "editor", "vim-tiny")
    entry = terminal.mem("profile", "list", "--json").json[0]["id"]
    state = terminal.mem("checkpoint", "--reason", "Halfway", "--state-json", '{"next": "weld the crossmember"}').id
    return {"memory": fact, "note": note, "profile": entry, "state": state}


def hits(terminal: Terminal, *query: str) -> list[str]:
    return [hit["id"] for hit in terminal.mem("search", *query, "--json").json]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        *[(query, "memory") for query in ("drive-train", "drive train", "lubrication", "gearbox", "gearbox.py", "GEARBOX.py")],
        *[(query, "memory") for query in ("what do we know about gearbox.py?", "shifts", "they stick")],
        *[(query, "note") for query in ("supplier", "who was called about bearings")],
        *[(query, "profile") for query in ("vim-tiny", "editor")],
        *[(query, "state") for query in ("crossmember", "what is next for the crossmember?")],
    ],
)
def test_search_finds_what_says_or_is_called_so(terminal: Terminal, stored: dict[str, str], query: str, kind: str) -> None:
    assert hits(terminal, query)[0] == stored[kind]


@pytest.mark.parametrize("kind", ["memory", "note", "profile", "state"])
def test_search_finds_an_id_and_the_beginning_of_one(terminal: Terminal, stored: dict[str, str], kind: str) -> None:
    name = stored[kind]
    for query in (name, name.lower(), name[:8], f"what is {name}?"):
        assert hits(terminal, query)[0] == name


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("drive-train", "Shifts need oil"),
        ("gearbox.py", "Shifts need oil"),
        ("bearings", "Called the supplier"),
        ("vim-tiny", "editor"),
        ("crossmember", "next: weld the crossmember"),
    ],
)
def test_get_tells_it(terminal: Terminal, stored: dict[str, str], query: str, text: str) -> None:
    pack = terminal.mem("get", query, "--format", "prompt").out
    assert text in pack
    assert "The sky is blue" not in pack
    assert pack.count("crossmember") == 1


def test_a_thread_is_found_beside_other_words_only_where_all_of_its_words_are_named(terminal: Terminal) -> None:
    terminal.add("Shifts need oil", "They stick", "--thread", "drive-train")
    assert hits(terminal, "what was learned about the drive train") != []
    assert hits(terminal, "what was learned about the train") == []


def test_a_thread_without_a_word_is_named_by_no_question(terminal: Terminal) -> None:
    terminal.add("Shifts need oil", "They stick", "--thread", "-_-")
    assert hits(terminal, "the sky") == []
    assert len(hits(terminal, "oil")) == 1


def test_what_names_nothing_finds_nothing(terminal: Terminal, stored: dict[str, str]) -> None:
    for query in ("M-0000000000", "N-ZZZZZZZZZZ", "other.py", "%", "M-", "M-1", "P-0#a1", "A-0000000000", "_____"):
        assert hits(terminal, query) == []
    assert hits(terminal, "gearbox.py", "--thread", "other") == []


def test_what_changed_is_found_by_what_it_says_now(terminal: Terminal, stored: dict[str, str]) -> None:
    terminal.mem("profile", "set", "editor", "emacs")
    terminal.mem("checkpoint", "--reason", "Later", "--state-json", '{"next": "paint the fender"}')
    terminal.mem("forget", stored["note"])
    assert hits(terminal, "emacs") == [stored["profile"]]
    for query in ("vim-tiny", "crossmember", "bearings", stored["note"]):
        assert hits(terminal, query) == []
    terminal.mem("restore", stored["note"])
    assert hits(terminal, "bearings") == [stored["note"]]


def test_a_place_that_a_pack_names_can_be_shown(terminal: Terminal, stored: dict[str, str]) -> None:
    assert "Called the supplier" in terminal.mem("show", f"{stored['note']}#1").out
    assert terminal.mem("doctor", "--json").json["ok"]


@pytest.fixture
def branched(terminal: Terminal, later: Callable[[str], None]) -> Terminal:
    """Facts from before and after a tag, and of a branch."""
    later("2026-03-01T12:00:00Z")
    terminal.add("The nuts were imperial", "all of them")
    terminal.git("-c", "user.name=a", "-c", "user.email=a@b", "tag", "-m", "one", "v1.2")
    later("2027-03-03T12:00:00Z")
    terminal.add("The nuts are metric", "all of them")
    main = terminal.git("branch", "--show-current").strip()
    terminal.git("checkout", "-q", "-b", "feature/torque")
    terminal.commit("Torque")
    terminal.add("The nuts are made of brass", "all of them")
    terminal.git("checkout", "-q", main)
    return terminal


def titles(terminal: Terminal, question: str) -> list[str]:
    return [memory["title"] for memory in terminal.mem("get", question, "--json").json["top_memories"]]


def test_a_tag_is_a_time(branched: Terminal) -> None:
    tagged = branched.git("log", "-1", "--format=%cI", "v1.2").strip()
    assert tagged
    assert titles(branched, "which nuts were used after v1.2?") == ["The nuts are metric"]
    assert len(titles(branched, "which nuts are used?")) == 2


def test_where_nothing_is_of_a_time_the_rest_is_told_and_that_it_is(branched: Terminal) -> None:
    branched.mem("forget", *[hit["id"] for hit in branched.mem("search", "metric", "--json").json][:1])
    text = branched.mem("get", "which nuts since the release of v1.2", "--format", "prompt").out
    assert "imperial" in text
    assert "Nothing of that time is about this" in text


def test_a_branch_that_is_named_is_told_on_every_other(branched: Terminal) -> None:
    text = branched.mem("get", "which nuts on branch feature/torque?", "--format", "prompt").out
    assert "brass" in text
    assert "not on this branch" in text
    assert "metric" not in text
    assert "brass" not in branched.mem("get", "which nuts are used?", "--format", "prompt").out


@pytest.mark.parametrize("question", ["feature/torque", "branch feature/torque", "What was done on branch feature/torque?"])
def test_a_branch_alone_is_enough_to_find_what_was_written_on_it(branched: Terminal, question: str) -> None:
    assert [hit["title"] for hit in branched.mem("search", question, "--json").json] == ["The nuts are made of brass"]
    branched.git("checkout", "-q", "-b", "spare/lathe")
    branched.add("Threads are cut left-handed here")
    branched.git("checkout", "-q", "-")
    assert [hit["title"] for hit in branched.mem("search", "branch spare/lathe", "--json").json] == [
        "Threads are cut left-handed here"
    ]


def test_a_name_that_git_does_not_know_is_a_word(branched: Terminal) -> None:
    for question in (
        "which nuts before v9.9?",
        "which nuts on branch nowhere?",
        "which nuts before --all?",
        "which nuts since -n1?",
    ):
        assert len(titles(branched, question)) == 2


IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b")
BRASS = "The nuts are made of brass"
MERGES = {
    "by a merge": ("merge", "-q", "--no-ff", "--no-edit", "feature/torque"),
    "by a host": ("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from ann/feature/torque", "feature/torque"),
    "fast-forward": ("merge", "-q", "--ff-only", "feature/torque"),
}


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_branch_that_was_merged_is_known_by_what_it_brought(branched: Terminal, merge: str, is_deleted: bool) -> None:
    branched.git(*IDENTITY, *MERGES[merge])
    if is_deleted:
        branched.git("branch", "-q", "-d", "feature/torque")
    branched.commit("Something else")
    branched.add("The nuts are of titanium", "all of them")
    text = branched.mem("get", "which nuts on branch feature/torque?", "--format", "prompt").out
    assert "brass" in text
    assert "titanium" not in text
    assert "metric" not in text
    assert [hit["title"] for hit in branched.mem("search", "branch feature/torque", "--json").json] == [BRASS]


def test_a_branch_is_known_in_a_clone_that_has_only_its_merge(branched: Terminal) -> None:
    branched.git(*IDENTITY, *MERGES["by a merge"])
    branched.git("branch", "-q", "-d", "feature/torque")
    branched.git("reflog", "expire", "--expire=all", "--all")
    assert [hit["title"] for hit in branched.mem("search", "branch feature/torque", "--json").json] == [BRASS]


def test_a_merge_that_only_speaks_of_a_name_is_none_of_that_branch(branched: Terminal) -> None:
    branched.git(*IDENTITY, "merge", "-q", "--no-ff", "-m", "Merge branch 'feature/torque-more'", "feature/torque")
    branched.git("branch", "-q", "-D", "feature/torque")
    branched.git("reflog", "expire", "--expire=all", "--all")
    text = branched.mem("get", "which nuts on branch feature/torque?", "--format", "prompt").out
    assert "metric" in text


def test_the_last_release_is_the_newest_tag_and_a_number_the_tag_of_a_version(branched: Terminal) -> None:
    for question in ("which nuts since the last release?", "which nuts after the latest version", "which nuts since release 1.2"):
        assert titles(branched, question) == ["The nuts are metric"]
    assert titles(branched, "which nuts before the last release?") == ["The nuts were imperial"]


@pytest.mark.parametrize(
    ("question", "is_before"),
    [
        ("what did we do before v1.2?", True),
        ("before the release of v1.2", True),
        ("before the last release", True),
        ("since v1.2", False),
        ("since the last release", False),
        ("what did we do since the v1.2 release?", False),
    ],
)
def test_all_of_a_time_that_a_tag_bounds_is_told(branched: Terminal, question: str, is_before: bool) -> None:
    branched.add("1, 2 and v1.2", "the release is a version: 1.2")
    told = set(titles(branched, question))
    assert ("The nuts were imperial" in told) is is_before
    assert ("The nuts are metric" in told, "1, 2 and v1.2" in told) == (not is_before, not is_before)


@pytest.mark.parametrize("words", ["v1.2", "before v1.2", "the release of v1.2", "v1.2 release", "the last release", "since 1.2"])
def test_options_take_the_words_for_a_time_that_questions_take(branched: Terminal, words: str) -> None:
    since = {hit["title"] for hit in branched.mem("search", "nuts", "--since", words, "--json").json}
    assert "The nuts are metric" in since
    assert "The nuts were imperial" not in since
    until = [memory["title"] for memory in branched.mem("get", "nuts", "--until", words, "--json").json["top_memories"]]
    assert until == ["The nuts were imperial"]
    assert "not a date" in branched.mem("get", "nuts", "--since", "before the flood", fails=2).err


def test_a_time_and_a_branch_are_one_condition(branched: Terminal) -> None:
    assert titles(branched, "which nuts on branch feature/torque this year") == ["The nuts are made of brass"]
    text = branched.mem("get", "which nuts on branch feature/torque last year", "--format", "prompt").out
    assert "Nothing of that time is about this" in text


def test_a_path_asked_for_alone_brings_what_is_linked_to_the_file_and_not_what_shares_its_folders(terminal: Terminal) -> None:
    (terminal.folder / "src" / "shop").mkdir(parents=True)
    terminal.commit("Shop", **{"src/shop/payments.py": "x = 1\n", "src/shop/limits.py": "y = 1\n"})
    terminal.add("Money is stored in cents", "Floats lost a cent.", "--file", "src/shop/payments.py")
    terminal.add("Limits", "The limits of src/shop in limits.py are loose; src, shop, py")
    for question in ("src/shop/payments.py", "payments.py", "`src/shop/payments.py`?"):
        pack = terminal.mem("get", question, "--no-evidence").out
        assert "Money is stored in cents" in pack
        assert "Limits" not in pack


def test_a_file_named_as_many_are_is_told_from_them_by_its_folder(terminal: Terminal) -> None:
    terminal.add("The page begins in viewer/index.ts")
    terminal.add("The service begins in server/index.ts")
    assert hits(terminal, "viewer/index.ts")[0] == hits(terminal, "page")[0]


def test_an_id_asked_for_alone_brings_what_it_names_and_nothing_else(terminal: Terminal, stored: dict[str, str]) -> None:
    terminal.add("1 2 3 4 5 6 7 8 9 0 a b c d e m p k n s", "every sign that an id may have")
    for name in stored.values():
        assert set(hits(terminal, name)) == {name}


def test_the_id_of_a_chunk_brings_the_chunk(terminal: Terminal) -> None:
    terminal.commit("Gears", gearbox_py="def shift():\n    return 1\n", clutch_py="def press():\n    return 2\n")
    terminal.mem("ingest")
    chunk = terminal.mem("search", "shift", "--kind", "chunk", "--json").json[0]["id"]
    pack = terminal.mem("get", chunk).out
    assert "shift" in pack
    assert "press" not in pack
    assert terminal.mem("get", "C-ZZZZZZZZZZ").out.startswith("Nothing stored matches")
