"""The plain words in which people and agents say what lasts, many of a kind, and those beside them that say nothing lasting."""

from __future__ import annotations

import pytest

from memcli.text import quotations, statements

RULES = (
    "For all your work in this repo: amounts are integers.",
    "Two rules for everything you do here: tests first, and no globals.",
    "For every change in this repository: update the changelog.",
    "Dates are always ISO 8601.",
    "Prices are never rounded before the last step.",
    "IDs are always lowercase, never uppercase.",
    "I already told you: no console.log in components.",
    "I told you yesterday: the API keys stay out of the tests.",
    "How often do I have to say it: no wildcard imports.",
    "As I said before, we do not use the ORM.",
    "We store timestamps in UTC only.",
    "We deploy from CI only.",
    "Run the tests before every push.",
    "Format the code before each commit.",
    "Bump the version with every release.",
    "Update the changelog with each feature.",
    "Before each commit, run the linter.",
    "After every migration, dump the schema.",
    "No print statements in library code.",
    "No abbreviations in names, please.",
    "Code comments in English, please, for the whole repository.",
    "Error messages in German, please.",
    "Spaces, please, no tabs any more.",
    "Tabs, please, not spaces.",
    "Single quotes, please, no double quotes.",
    "No more semicolons, please.",
    "Never round money before the total.",
    "Money is stored as integer cents, never as a float.",
    "We write our docs in British English.",
    "Keep functions below 40 lines.",
    "Every query goes through the repository class.",
    "The public API must stay backwards compatible.",
    "Ich hab dir schon gesagt: keine Prints in der Bibliothek.",
    "Für alle Arbeiten hier: Beträge sind immer ganze Cent.",
    "Vor jedem Commit den Linter laufen lassen.",
    "Commit-Nachrichten bitte auf Deutsch, im ganzen Projekt.",
    "Geld ist immer in Cent, nie als Float.",
    "Two things you should know for all your work here: money is always integer cents, never floats.",
    "Commit messages in German, please, for everything you do in this repository.",
    "I told you before: no prints in library code.",
    "Run the linter before each commit.",
    "We log in UTC only.",
)
NO_RULES = (
    "Run the tests before we look at the commit.",
    "Is the price always an integer?",
    "The build is always broken on Mondays.",
    "The list is never empty here, so what happens?",
    "Money is tight this month.",
    "I told you about the bug before, is it fixed?",
    "Write a test for each endpoint in the list.",
    "Add a column for every currency in the report.",
    "Explain the loop in each function.",
    "No idea in which file that is.",
    "No problem in general.",
    "Yes, please, no problem.",
    "Fix the bug that shows up after each restart.",
    "Show the error after each failed request.",
    "Send a mail for each order.",
    "Check why the cache is always cold after a deploy.",
    "Log each request in the middleware.",
    "Only the first row is shown.",
    "The endpoint returns JSON only.",
    "Thanks, please, not now.",
    "Before each test there is a warning, why?",
    "Print the total after each row.",
)
ACCOUNTS = {
    statements.DROPPED: (
        "I started with a trie. Lookups were quick, but it took 90 MB, so I went back to the list.",
        "At first I used a regex; it backtracked on long lines, so I wrote a small parser.",
        "I tried three threads, which made it slower.",
        "Caching the parsed rows gained nothing, so it is gone again.",
        "Tried `mmap`; no gain on NFS.",
        "My first attempt patched the header in place, but the checksum no longer matched.",
        "I prototyped it with sqlite and dropped that: the file locks break on NFS.",
        "A lock around the cache deadlocked with the reload, so I removed it.",
        "I tried `lru_cache` on `zone` first. It was fast, but every postcode stays in memory, so I dropped it.",
        "My first attempt used threads; the GIL made it slower, so the loop stays.",
    ),
    statements.DECISION: (
        "We keep the rows in a list and not in a set, because order matters.",
        "We parse it by hand rather than with a library: the format has two exceptions.",
        "The secret lives in the keychain so that no file holds it.",
        "The table stays in code so that a change of it is reviewed.",
    ),
    statements.LESSON: (
        "The token must not be longer than 64 characters, or the gateway drops it.",
        "`DATA_DIR` has to end with a slash, otherwise the globs match nothing.",
        "The port has to be free, or the server will not start.",
        "Careful: the seed is shared between tests.",
        "Warning: `reset()` also drops the audit table.",
        "Caution: the job runs twice on leap days.",
        "Cause: two workers shared one connection.",
        "NB: dates in the export are local time.",
        "Heads-up: CI has no network.",
        "Gotcha: `sum()` of an empty column is NULL.",
        "Important: the order of the middlewares matters.",
        "The parser treats tabs as one column, which the printer does not expect.",
        "Achtung: der Index ist nach dem Import leer.",
        "Ursache: zwei Prozesse teilten eine Verbindung.",
        "Root cause: the router refused 40 sockets.",
        "Note: the cache survives a restart.",
        "Swiss postcodes have four digits only, which the validation does not know.",
    ),
    statements.OPEN: (
        "Not run on Windows.",
        "No one has tested this with more than one worker.",
        "I did not manage to reproduce the crash.",
        "I have not looked at the importer.",
        "I did not get to the error handling of `load()`.",
        "Nobody has run this on Windows.",
    ),
}
NO_ACCOUNTS = (
    "Note: done.",
    "Done, it works now.",
    "I tried it and it works.",
    "The tests are run in CI and pass.",
    "We use the new function in both places now.",
    "I wrote the docs and ran the tests.",
    "The value must be set, so I set it.",
    "I ran it before each commit.",
    "Nothing remains to be said.",
    "The old name remains valid.",
)


@pytest.mark.parametrize("text", RULES)
def test_a_rule_of_a_person_is_kept_in_plain_words(text: str) -> None:
    assert statements.of_person(quotations.marked(text)).role in (statements.INSTRUCTION, statements.PREFERENCE)


@pytest.mark.parametrize("text", NO_RULES)
def test_a_task_a_question_or_courtesy_is_no_rule(text: str) -> None:
    assert statements.of_person(quotations.marked(text)).role == ""


def roles(text: str) -> set[str]:
    marked = quotations.marked(text, is_answer=True)
    return {statements.of_agent("", piece, "Look at it").role for piece in statements.pieces("", marked)}


@pytest.mark.parametrize(("role", "text"), [(role, text) for role, texts in ACCOUNTS.items() for text in texts])
def test_what_an_agent_tried_chose_learned_or_left_is_kept_in_plain_words(role: str, text: str) -> None:
    assert role in roles(text)


@pytest.mark.parametrize("text", NO_ACCOUNTS)
def test_a_report_of_work_states_nothing_lasting(text: str) -> None:
    assert roles(text) == {""}
