"""What a pack is filled with: the best for the budget, nothing twice, evidence too, and never less for a larger budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import commit, entries
from memcli.memory.entries import NewMemory
from memcli.project import Project
from memcli.recall import pack, render, report, selection
from memcli.recall.get import Query, get
from memcli.recall.pack import Pack
from memcli.store import memories
from memcli.store.oplog import Change
from memcli.text import ids
from tests.conftest import Terminal
from tests.properties import EXAMPLES
from tests.recall.stores import Content, Kept, Piece, contents, here, kept, stored
from tests.recall.test_pack import QUESTION, RANDOMLY, packed, real

FORMS = tuple(render.FORMS)
caps = st.lists(st.one_of(st.integers(1, 4000), st.integers(1, 900)), min_size=8, max_size=14)
full = contents(memories=st.lists(kept, min_size=3, max_size=14).map(tuple))


@pytest.fixture(autouse=True)
def _in_the_repository(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    here(terminal, monkeypatch)


def fact(title: str, summary: str = "token", age: int = 0) -> Kept:
    return Kept(title, summary, "general", "note", (), age, "live", None)


def shown(found: Pack) -> list[str]:
    return [item.memory.id for item in found.items]


def lost(packs: list[Pack]) -> list[tuple[int, int | None, str]]:
    """What a larger cap no longer shows, of packs in the order of their caps."""
    return [
        (more.budget, more.max_bytes, memory)
        for less, more in zip(packs, packs[1:], strict=False)
        for memory in {*shown(less)} - {*shown(more)}
    ]


@RANDOMLY
@given(full, caps, st.booleans())
def test_a_larger_budget_shows_every_memory_that_a_smaller_one_showed(content: Content, sizes: list[int], orphans: bool) -> None:
    with stored(content) as project:
        for form in FORMS:
            assert lost([packed(project, size, form, include_orphans=orphans) for size in sorted(sizes)]) == []


@RANDOMLY
@given(full, caps, st.integers(1, 4000))
def test_more_bytes_show_every_memory_that_fewer_showed(content: Content, sizes: list[int], budget: int) -> None:
    with stored(content) as project:
        for form in FORMS:
            assert lost([packed(project, budget, form, max_bytes=3 * size) for size in sorted(sizes)]) == []
            assert lost([packed(project, size, form, max_bytes=2 * budget) for size in sorted(sizes)]) == []


@RANDOMLY
@given(full, caps, st.integers(1, 4000))
def test_what_is_printed_has_never_more_bytes_than_allowed_nor_more_tokens(
    content: Content, sizes: list[int], budget: int
) -> None:
    with stored(content) as project:
        for form in FORMS:
            for size in sizes:
                found = packed(project, budget, form, max_bytes=2 * size, include_orphans=True)
                assert len(found.text.encode()) <= 2 * size
                assert real(found.text) <= found.tokens <= budget


@RANDOMLY
@given(full, caps)
def test_where_evidence_matches_it_comes_before_memories_take_its_room(content: Content, sizes: list[int]) -> None:
    with stored(content) as project:
        for form in FORMS:
            all_of_it = packed(project, 100_000, form).evidence
            for size in sizes:
                found = packed(project, size, form)
                if all_of_it and not found.evidence and (form == "prompt" or found.sections["heading"]):
                    assert size - found.tokens < min(one.line.tokens for one in all_of_it) + render.XML.evidence[1] + 4
                    assert len(found.items) < 2 or sum(item.line.tokens for item in found.items) <= pack.EVIDENCE_AFTER


@RANDOMLY
@given(full, st.integers(1, 4000))
def test_every_match_is_shown_or_counted_and_the_best_is_printed_first(content: Content, budget: int) -> None:
    with stored(content) as project:
        found = packed(project, budget)
        listed = [item.ranked for item in found.items]
        everything = [one.hit.id for one in [*listed, *[one for one, _ in found.left_out]]]
        assert len(everything) == len(set(everything))
        assert listed == sorted(listed, key=lambda one: (-one.score, one.from_user, one.hit.id))
        also = [memory for item in found.items for memory in item.also]
        assert {*also} <= {one.hit.id for one, why in found.left_out if why == "duplicate"}
        assert report.as_json(found)["left_out"]["more"] == found.more


SERVICES = "billing checkout delivery inventory invoicing payments pricing search shipping support".split()


def test_a_budget_that_grows_token_by_token_loses_nothing_and_uses_what_it_has() -> None:
    facts = [
        fact(f"The token budget of {name} is enforced", f"{name} prints too much otherwise. " * (n + 1))
        for n, name in enumerate(SERVICES)
    ]
    evidence = (Piece("a.py", "", "token budget\n" * 20), Piece("b.py", "", "token"))
    state = {f"step {number}": "every line of the token budget is counted" for number in range(12)}
    with stored(Content("repo", tuple(facts), evidence, state)) as project:
        for form in FORMS:
            packs = [packed(project, budget, form) for budget in range(1, 2500, 1 if EXAMPLES else 7)]
            assert lost(packs) == []
            assert [len(packs[-1].items), len(packs[-1].evidence)] == [len(SERVICES), 2]


def test_five_memories_that_say_one_thing_do_not_crowd_out_the_others() -> None:
    one_thing = [
        "The token budget is enforced when a pack is filled",
        "The token budget is enforced whenever packs are filled today",
        "When a pack is filled the token budget is enforced",
        "Enforced is the token budget when a pack is filled by line",
        "The token budget when a pack is filled is enforced per line",
    ]
    another = fact("The token budget is enforced for XML", "Elements that stay open are paid for first.")
    with stored(Content("repo", (*map(fact, one_thing), another), (), None)) as project:
        assert len(packed(project).items) == 6
        two = next(found for budget in range(1, 900, 5) if len((found := packed(project, budget)).items) == 2)
        assert another.title in [item.memory.title for item in two.items]


def test_a_long_memory_gives_way_to_short_ones_of_about_its_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")  # of one worth by their words
    best = fact("The token budget is enforced", "enforced")
    long = fact(
        "Everything that was ever said about the token budget, told at length",
        "It was said in many words, one after the other, line by line. " * 4,
    )
    short = [
        fact("Token budget of hooks", "Prompts are cut at a thousand.", age=2),
        fact("Evidence shares the token budget", "Four chunks at most.", age=2),
        fact("Where a token budget comes from", "Settings, then options.", age=2),
    ]
    with stored(Content("repo", (best, *short[:2], long, short[2]), (), None)) as project:
        packs = [[item.memory.title for item in packed(project, budget).items] for budget in range(1, 900, 5)]
        ranked = [item.memory.title for item in packed(project).items]
        assert ranked.index(long.title) < 4
        assert all(long.title not in titles for titles in packs if len(titles) < 5)
        assert len(packs[-1]) == 5


def alike(project: Project, first: tuple[str, str], second: tuple[str, str]) -> bool:
    """Whether a pack prints one memory for both."""
    for title, summary in (first, second):
        fields = entries.checked(project, NewMemory(title, summary))
        memory_id = ids.new("M")
        commit.commit(project, lambda name=memory_id, said=fields: [Change("put", name, said)], "cli")
    found = get(project, Query(QUESTION))
    return len(found.items) == 1 and len(found.items[0].also) == 1


SAME = [
    ("The token budget is enforced", "It is a cap.", "the  token budget\nis enforced!", "It is a cap"),
    (
        "The token budget is enforced",
        "Every printed line counts.",
        "Token budgets are enforced",
        "Every printed line is counted.",
    ),
    (
        "Token budget enforced by pack.py",
        "It sums up printed lines, state too.",
        "Token budget is enforced by pack.py",
        "It sums up the printed lines, the state too.",
    ),
    ("Token budget 預算", "記憶の予算", "token budget 預算", "記憶の予算"),
]
NOT_SAME = [
    (
        "The token budget is enforced",
        "cap of 2500 tokens per pack",
        "The token budget is enforced",
        "cap of 3000 tokens per pack",
    ),
    (
        "The token budget is enforced",
        "in every pack that is printed",
        "The token budget is not enforced",
        "in every pack that is printed",
    ),
    (
        "The token budget is enforced",
        "It holds for every pack and form",
        "The token budget isn't enforced",
        "It holds for every pack and form",
    ),
    (
        "Token budget is enforced",
        "before every pack is printed as text",
        "Token budget is enforced",
        "after every pack is printed as text",
    ),
    (
        "Token budget is enforced",
        "with state, memories and evidence",
        "Token budget is enforced",
        "without state, memories and evidence",
    ),
    (
        "Token budget: Postgres replaced Redis",
        "for sessions and locks",
        "Token budget: Redis replaced Postgres",
        "for sessions and locks",
    ),
    (
        "Token budget moved from render to pack",
        "it was slow there",
        "Token budget moved to render from pack",
        "it was slow there",
    ),
    (
        "Token budget is enabled by default",
        "people asked for that often",
        "Token budget is disabled by default",
        "people asked for that often",
    ),
    (
        "Token budget of the hook is hard",
        "it was decided with the users",
        "Token budget of the server is hard",
        "it was decided with the users",
    ),
    ("Token budget: x < y", "a budget a token a line", "Token budget: x > y", "a budget a token a line"),
    ("Token budget offset is 5", "a budget a token a line", "Token budget offset is -5", "a budget a token a line"),
    ("Token budget 1.5 MB", "a budget a token a line", "Token budget 15 MB", "a budget a token a line"),
]


@pytest.mark.parametrize("said", SAME, ids=lambda said: said[2][:30])
def test_what_says_the_same_in_the_same_order_is_printed_once_and_its_id_is_named(
    terminal: Terminal, said: tuple[str, ...]
) -> None:
    with stored(Content("repo", (), (), None)) as project:
        project.db.execute("PRAGMA query_only = 0; COMMIT")
        assert alike(project, (said[0], said[1]), (said[2], said[3]))
        found = packed(project)
        (item,) = found.items
        assert f" · also {item.also[0]}]" in found.text
        assert f' also="{item.also[0]}"' in packed(project, None, "xml").text
        assert report.as_json(found)["top_memories"][0]["also"] == list(item.also)
        assert report.as_json(found)["left_out"]["duplicates"] == 1


@pytest.mark.parametrize("said", NOT_SAME, ids=lambda said: said[2][:30])
def test_what_contradicts_is_never_folded(terminal: Terminal, said: tuple[str, ...]) -> None:
    with stored(Content("repo", (), (), None)) as project:
        project.db.execute("PRAGMA query_only = 0; COMMIT")
        assert not alike(project, (said[0], said[1]), (said[2], said[3]))


def test_of_many_that_say_the_same_three_are_named_and_all_are_in_the_data() -> None:
    with stored(Content("repo", tuple([fact("Token budget", age=n) for n in range(40)]), (), None)) as project:
        found = packed(project)
        (item,) = found.items
        assert 3 < len(item.also) < 40
        assert f" · also {', '.join(item.also[:3])}, …]" in found.text
        assert report.as_json(found)["top_memories"][0]["also"] == list(item.also)
        assert found.more == 0


def test_two_that_say_the_same_in_signs_alone_are_folded_and_others_are_not(terminal: Terminal) -> None:
    def one(text: str) -> selection.Candidate:
        memory = memories.Memory(*[None] * 4, text, text, *[""] * 3, None, *[0] * 3, None, *[0] * 3, None, "", None, None, 0, 0)  # type: ignore[arg-type]
        return selection.Candidate(0, None, memory, 1.0, lambda text: [], {})  # type: ignore[arg-type]

    assert selection.says_the_same(one("→ !"), one("→  !"))
    assert not selection.says_the_same(one("→ !"), one("← !"))


def test_a_summary_beyond_its_cap_ends_with_a_sentence_and_its_id_leads_to_the_whole(terminal: Terminal) -> None:
    sentences = [f"Sentence number {n} of the summary says why the budget is so." for n in range(30)]
    memory_id = terminal.add("The token budget is enforced", " ".join(sentences))
    title, brief = terminal.mem("get", "token budget").out.split("## What is known\n")[1].split("\n")[:2]

    assert f"[{memory_id} · " in title
    assert brief.endswith("so.…")
    assert brief.strip().removesuffix("…") in " ".join(sentences)
    assert sentences[-1] in terminal.mem("show", memory_id).out
