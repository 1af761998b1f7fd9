"""What a person says takes the place of exactly what it contradicts: a sentence, a clause, a proposal, a decision."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import STANDING, section
from tests.conftest import Terminal

WAYS = "Two ways:\n1. Redis.\n2. Postgres.\n\nI'd recommend option 1 because it needs no migration."
QUESTION = "How should we store sessions? Only look."


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with a file."""
    player = Player(terminal, monkeypatch, "codex")
    player.play([["write", "store.py", "a = 0\n"], ["commit", "Begin"]])
    return player


def sessions(*turns: list[tuple[str, str]]) -> list[Step]:
    """Steps of sessions, each of prompts with their answers; every turn edits."""
    steps: list[Step] = []
    number = 0
    for turn in turns:
        for prompt, answer in turn:
            steps += [["ask", prompt], ["edit", "store.py", f"a = {number}", f"a = {number + 1}"], ["answer", answer]]
            number += 1
        steps.append(["end"])
    return steps


def wanted(player: Player, *prompts: str) -> list[str]:
    """What is told as wanted after some sessions in each of which a person wants something, without the last of them."""
    player.play(sessions(*[[(prompt, "Understood.")] for prompt in prompts]))
    lines = [line.removeprefix("- ") for line in section(player.start(), STANDING)]
    return [line for line in lines if line != prompts[-1]]


@pytest.mark.parametrize(
    ("before", "then", "left"),
    [
        (
            "Commit messages in English and in the imperative from now on, without a prefix.",
            "Prefixes are fine now, use feat: and fix: from now on.",
            ["Commit messages in English and in the imperative from now on."],
        ),
        (
            "Never push to main, and always run just test before you commit.",
            "You may push to main now.",
            ["Always run just test before you commit."],
        ),
        (
            "Always answer in German. Never push to main. Use tabs and not spaces.",
            "You may push to main from now on.",
            ["Always answer in German.", "Use tabs and not spaces."],
        ),
        (
            "Please always write tests first and never mock the database.",
            "You may mock the database from now on.",
            ["Please always write tests first."],
        ),
        ("Never add npm dependencies without asking me.", "You can add npm packages without asking from now on.", []),
        ("Never push to main.", "You may merge into main now.", ["Never push to main."]),
        ("Never edit a merged migration by hand. Write a new one.", "You may edit merged migrations by hand again.", []),
        ("Always use black before committing.", "We format with ruff from now on, no more black.", []),
        (
            "Always use black before committing, and never push to main.",
            "We format with ruff from now on, no more black.",
            ["Never push to main."],
        ),
        (
            "Always use tabs in Go and spaces in Python.",
            "From now on never use spaces in YAML.",
            ["Always use tabs in Go and spaces in Python."],
        ),
        (
            "Whenever you change a migration, ask me first.",
            "From now on always sort the imports.",
            ["Whenever you change a migration, ask me first."],
        ),
        ("Pushe nie nach main.", "Du darfst jetzt nach main pushen.", []),
        ("Pushe nie nach main.", "Du darfst jetzt nach dem Review mergen.", ["Pushe nie nach main."]),
        (
            "Antworte immer auf Deutsch. Ändere nie die Migrationen.",
            "Du darfst die Migrationen jetzt ändern.",
            ["Antworte immer auf Deutsch."],
        ),
        ("Use tabs from now on.", "Spaces, please, no tabs any more.", []),
        ("Always use double quotes.", "Single quotes, please, no double quotes.", []),
        ("Use npm from now on.", "pnpm, please, no npm any longer.", []),
        ("Always write docs in German.", "Spaces, please, no tabs any more.", ["Always write docs in German."]),
        ("Use tabs from now on.", "Actually, back to spaces from now on.", []),
        ("Use tabs from now on.", "Use spaces from now on.", []),
        ("Use tabs from now on.", "Use spaces again, the linter complains.", []),
        ("Write commit messages in German from now on.", "Use English again for commit messages.", []),
        ("Use tabs in Go from now on.", "Use spaces again in Python.", ["Use tabs in Go from now on."]),
        ("Use tabs from now on.", "I changed my mind: spaces from now on, no tabs.", []),
        ("Use tabs from now on.", "Tabs are out, use spaces.", []),
        ("Always use tabs.", "Indent with spaces, never with tabs.", []),
        ("Always use yarn.", "From now on use pnpm instead of yarn.", []),
        ("Write commit messages in German from now on.", "Commit messages in English from now on, please.", []),
        ("Always answer in German.", "Please answer in English from now on.", []),
        ("Always use single quotes in JavaScript.", "Double quotes in JavaScript from now on.", []),
        ("Always squash before you merge.", "Don't squash before you merge any more.", []),
        ("Lines have at most 100 characters from now on.", "From now on lines may have 120 characters.", []),
        ("Nutze ab jetzt Tabs.", "Leerzeichen bitte, keine Tabs mehr.", []),
        ("Nutze ab jetzt Tabs.", "Nimm ab jetzt Leerzeichen statt Tabs.", []),
        ("Always run the tests with pytest.", "From now on run the tests with tox.", []),
        ("Put new endpoints into api/v1 from now on.", "New endpoints go into api/v2 from now on.", []),
        ("Always ask me before you commit.", "You don't have to ask me before you commit any more.", []),
        ("Never use floats for money.", "Never use floats for weights.", ["Never use floats for money."]),
        (
            "Always run the linter before you commit.",
            "Always run the tests before you commit.",
            ["Always run the linter before you commit."],
        ),
        ("Use tabs from now on.", "Use British spelling from now on.", ["Use tabs from now on."]),
        ("Always write commit messages in German.", "Always write docs in English.", ["Always write commit messages in German."]),
        (
            "Put tests beside the module from now on.",
            "Put fixtures into tests/data from now on.",
            ["Put tests beside the module from now on."],
        ),
        ("Never push to main.", "Never push to release branches.", ["Never push to main."]),
        ("Always use pnpm.", "Always use docker compose for the database.", ["Always use pnpm."]),
        ("Always answer in German.", "Always answer briefly.", ["Always answer in German."]),
        (
            "Name branches after the ticket from now on.",
            "Name tests after the ticket from now on.",
            ["Name branches after the ticket from now on."],
        ),
        ("Log in UTC from now on.", "Log errors with the request id from now on.", ["Log in UTC from now on."]),
        ("Use tabs in Go from now on.", "Use spaces in Python from now on.", ["Use tabs in Go from now on."]),
        ("Never use tabs.", "Never use spaces in names.", ["Never use tabs."]),
        (
            "Retry failed calls 3 times from now on.",
            "Wait 5 seconds between calls from now on.",
            ["Retry failed calls 3 times from now on."],
        ),
        ("Ne pousse jamais sur main.", "Désormais tu peux pousser sur main.", []),
        ("Nunca edites las migraciones sin preguntarme.", "Ahora puedes editar las migraciones sin preguntarme.", []),
    ],
)
def test_a_newer_wish_replaces_exactly_what_it_contradicts(player: Player, before: str, then: str, left: list[str]) -> None:
    assert sorted(" ".join(wanted(player, before, then)).split()) == sorted(" ".join(left).split())


def test_a_clause_that_was_replaced_stays_so_when_another_one_is(player: Player) -> None:
    first = "Never push to main, always run just test before you commit, and use tabs in the templates."
    left = wanted(player, first, "You may push to main now.", "You no longer need to run just test before you commit.")
    assert left == ["You may push to main now.", "Use tabs in the templates."]


@pytest.mark.parametrize(
    ("prompt", "chosen", "holds"),
    [
        ("No, take Postgres, ops won't run another service.", "No, take Postgres, ops won't run another service.", False),
        (
            "Go with option 2. Redis is one more thing to run.",
            "Go with option 2 (2: Postgres). Redis is one more thing to run.",
            False,
        ),
        ("No, let's keep the files. They are backed up.", "No, let's keep the files. They are backed up.", False),
        ("Option 2 please.", "Option 2 please (2: Postgres)", False),
        ("Nein, nimm Postgres, das betreiben wir schon.", "Nein, nimm Postgres, das betreiben wir schon.", False),
        ("Variante 2 bitte.", "Variante 2 bitte (2: Postgres)", False),
        ("Non, prends Postgres, on l'a déjà.", "Non, prends Postgres, on l'a déjà.", False),
        ("No, usa Postgres, ya lo tenemos.", "No, usa Postgres, ya lo tenemos.", False),
        ("No.", "", False),
        ("Yes, go ahead.", "", True),
        ("Go with option 1, that is what I would do, too.", "Go with option 1", True),
        ("No problem, take your time. Redis it is.", "", True),
    ],
)
def test_what_is_proposed_is_decided_unless_the_person_refuses(player: Player, prompt: str, chosen: str, holds: bool) -> None:
    player.play(sessions([(QUESTION, WAYS), (prompt, "The sessions are stored that way now.")]))
    decisions = "\n".join(section(player.start(), "Decisions"))
    assert chosen in decisions
    assert ("recommend option 1" in decisions) == holds


@pytest.mark.parametrize(
    ("tried", "holds"),
    [
        ("I tried to cache the windows of the tide, but it made no difference, so I reverted it.", True),
        ("I tried reportlab, but it cannot embed the font, so I reverted it.", False),
    ],
)
def test_a_choice_is_dropped_only_where_the_answer_says_so_of_what_was_chosen(player: Player, tried: str, holds: bool) -> None:
    choice = "Let's go with reportlab rather than weasyprint, because weasyprint needs Cairo on the Windows machines."
    player.play(sessions([(choice, f"{tried}\n\nThe export is faster now.")]))
    assert (choice in "\n".join(section(player.start(), "Decisions"))) == holds


DECIDED = "## Decisions\n\n- Limits are per API key, not per IP, since our customers sit behind NAT."


@pytest.mark.parametrize(
    ("decided", "prompt", "holds"),
    [
        (DECIDED, "Limit by IP instead of API key, product decided that.", False),
        (DECIDED, "Limit by API key rather than by account, as we said.", True),
        (
            "We decided to keep the tokens in Redis, because Postgres was slow.",
            "Let's move the tokens from Redis to Postgres.",
            False,
        ),
        (
            "We decided to keep the tokens in Postgres, because Redis evicted them.",
            "Keep the tokens in Postgres instead of Redis.",
            True,
        ),
    ],
)
def test_a_decision_holds_until_the_person_rejects_what_was_chosen(
    player: Player, decided: str, prompt: str, holds: bool
) -> None:
    player.play(sessions([("Limit it", decided)], [(prompt, "It is done that way now.")]))
    decisions = "\n".join(section(player.start(), "Decisions"))
    assert (decided.rpartition("- ")[2] in decisions) == holds


def test_a_choice_and_a_wish_of_one_prompt_are_both_told_each_with_its_own_reason(player: Player) -> None:
    reason = "We had lost mails before when the relay was down."
    player.play(sessions([(f"Go with a queue table. {reason} Never add npm dependencies without asking me.", "Built.")]))
    start = player.start()
    assert section(start, STANDING) == ["- Never add npm dependencies without asking me."]
    (decision,) = section(start, "Decisions")
    assert decision.endswith(f"Go with a queue table. {reason}")


def test_what_is_asked_behind_a_choice_is_no_reason_of_it(player: Player) -> None:
    player.play(sessions([("Let's go with a queue table. Write the migration for it.", "Built.")]))
    (decision,) = section(player.start(), "Decisions")
    assert decision.endswith("Let's go with a queue table.")


def test_of_several_decisions_of_one_answer_the_one_that_is_overruled_alone_is_replaced(player: Player) -> None:
    shards = "16 shards, because one mutex was too slow."
    prompt = "Limit by IP instead of API key, product decided that."
    player.play(sessions([("Limit it", f"{DECIDED}\n- {shards}")], [(prompt, "Limits are per IP now.")]))
    decisions = "\n".join(section(player.start(), "Decisions"))
    assert shards in decisions
    assert prompt in decisions
    assert "not per IP" not in decisions


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("Reverted the websockets; polling is back.", True),
        ("I tried to go back to polling, but it missed events, so I reverted it.", False),
    ],
)
def test_what_a_person_goes_back_to_is_not_what_its_answer_says_was_reverted(player: Player, answer: str, holds: bool) -> None:
    player.play(sessions([("Use websockets instead of polling.", "It uses websockets."), ("No, we go back to polling.", answer)]))
    assert ("No, we go back to polling." in player.start()) == holds
