"""What people and agents state for later sessions is found by the words that they use for it."""

from __future__ import annotations

import pytest

from memcli.text import quotations, statements
from memcli.text.statements import COMMAND, DECISION, DROPPED, FACT, INSTRUCTION, LESSON, LONGEST, NOTHING, OPEN, PREFERENCE


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("From now on always run the linter before you commit.", INSTRUCTION),
        ("Never touch the folder of the designers, please.", INSTRUCTION),
        ("don't push without asking me first", INSTRUCTION),
        ("Let's go with Postgres for the sessions.", DECISION),
        ("Make sure the API stays backwards compatible, apps in the field can't be updated.", INSTRUCTION),
        ("We only deploy on weekdays before noon.", INSTRUCTION),
        ("No TODO comments in merged code.", INSTRUCTION),
        ("Treat warnings as errors.", INSTRUCTION),
        ("Customer data never leaves the EU region.", INSTRUCTION),
        ("Keep your hands off src/generated, the build writes it.", INSTRUCTION),
        ("I'd rather have duplicate code than a wrong abstraction.", PREFERENCE),
        ("Don't use floats for money anywhere.", PREFERENCE),
        ("remember: the staging database listens on 5433", FACT),
        ("#remember to call the vendor about the key", OPEN),
        ("Thanks. Remember: the Troon gauge is offline.", FACT),
        ("remember: the demo account is on staging, never delete it", INSTRUCTION),
        ("All dates of the API are in UTC, please remember that.", FACT),
        ("Antworte mir immer auf Deutsch.", INSTRUCTION),
        ("Du darfst nie direkt auf den Server schreiben.", INSTRUCTION),
        ("Keine neuen Abhängigkeiten ohne Rückfrage.", INSTRUCTION),
        ("N'ajoute jamais de dépendance sans me demander.", INSTRUCTION),
        ("Responde siempre en español.", INSTRUCTION),
        ("Wir nehmen Postgres für die Warteschlange.", DECISION),
        ("Das geht nie.", ""),
        ("Es stürzt immer ab.", ""),
        ("Siempre falla al iniciar.", ""),
        ("never mind, always the same with this thing", ""),
        ("It always crashes when I save.", ""),
        ("You never told me about the second database.", ""),
        ("It should always have worked.", ""),
        ("Don't add a test for this one.", ""),
        ("Don't touch the tests in this commit", ""),
        ("Skip the docs for this PR", ""),
        ("Every public function needs a docstring.", INSTRUCTION),
        ("Secrets go into Vault, not into .env files.", INSTRUCTION),
        ("If you add a setting, document it in config.md.", INSTRUCTION),
        ("Check with me before deleting any data.", INSTRUCTION),
        ("Write the test first.", INSTRUCTION),
        ("We use conventional commits.", INSTRUCTION),
        ("Do not open pull requests yourself.", INSTRUCTION),
        ("No more than one class per file.", INSTRUCTION),
        ("Bitte nie direkt auf main pushen.", INSTRUCTION),
        ("Toujours utiliser des guillemets simples.", INSTRUCTION),
        ("Siempre ejecuta el linter antes de hacer commit.", INSTRUCTION),
        ("Please keep all SQL inside the repository classes.", PREFERENCE),
        ("I'm not a fan of decorators that hide control flow.", PREFERENCE),
        ("You needn't explain each step, just show the diff.", PREFERENCE),
        ("Favour readability over cleverness.", PREFERENCE),
        ("Don't bother with Windows support.", PREFERENCE),
        ("Je préfère des fonctions courtes.", PREFERENCE),
        ("I have decided against GraphQL.", DECISION),
        ("Take option 3.", DECISION),
        ("Fix 2 and 3. Ignore 5.", ""),
        ("We want small steps with a test for each.", PREFERENCE),
        ("We stay with REST.", DECISION),
        ("Let's do it with a queue.", DECISION),
        ("If the user is missing, return 404.", ""),
        ("When I click save, nothing happens.", ""),
        ("Make the header sticky and move the logo to the left.", ""),
        ("Let's see what the logs say.", ""),
        ("Use it and tell me how it went.", ""),
        ("No need for an explanation in the README.", ""),
        ("Never mind, go on.", ""),
        ("The formatter never modifies the semantics of a file.", ""),
        ("Should we always run the linter?", ""),
        ("I thought the token was always renewed.", ""),
        ("Fix the login timeout", ""),
        ("The search in Greek is blocked until the vendor answers.", OPEN),
        ("Hold the import until Ines has signed off the columns.", OPEN),
        ("Sales wants PDF export too, but only after the holidays.", OPEN),
        ("Split the file, but not now, next sprint.", OPEN),
        ("Is the search blocked until the vendor answers?", ""),
        ("The upload fails in March, and only in March.", ""),
    ],
)
def test_what_a_person_states(said: str, role: str) -> None:
    assert statements.of_person(said).role == role


STANDING = """
In this repo all timestamps are UTC.
Tests go next to the code, not in a separate folder.
When you finish a task, run make check.
Any time you edit the API, bump the version.
Our policy: no secrets in environment files.
Please use tabs in this project.
Do not edit vendor/, it is overwritten on sync.
For SQL always use bound parameters.
The team prefers explicit imports.
Don't run the full suite locally, CI does that.
Each feature gets its own branch.
Call me Sam, not Samuel.
I don't want emojis in the code or in commit messages.
We don't do default exports in this codebase.
One migration per pull request.
Branch names start with the ticket number.
Don't guess at requirements; ask.
Do not catch bare Exception anywhere.
If unsure about a name, ask me.
Dependencies are pinned, keep it that way.
"""
AT_HAND = """
Always happy to help, but let's focus.
Only run the unit tests this time.
Before you push, squash the last two commits.
Every test in this file should use the fixture.
It should never return None, fix that.
Ask me before you delete that branch.
Don't commit yet, I want to look at the diff first.
Make sure the login test passes before you continue.
Don't use the network in this test.
Every time I run it I get a different result.
The header should always be visible when scrolling.
Each item needs a delete button.
Please only change the tests, not the code.
Do not merge before I have reviewed it.
When you are done, open a PR.
Users are complaining about timeouts.
Commits have wrong authors after the import.
"""


@pytest.mark.parametrize("rule", STANDING.strip().split("\n"))
def test_a_rule_for_all_work_is_kept(rule: str) -> None:
    assert statements.of_person(rule).role in (INSTRUCTION, PREFERENCE)


@pytest.mark.parametrize("request_at_hand", AT_HAND.strip().split("\n"))
def test_a_request_for_the_work_at_hand_is_no_rule(request_at_hand: str) -> None:
    assert statements.of_person(request_at_hand).role not in (INSTRUCTION, PREFERENCE)


@pytest.mark.parametrize(
    ("heading", "said", "role"),
    [
        ("", "Everything else passes. Still to do: the docs of the login.", OPEN),
        ("Next steps", "Write the docs\nPush the branch", OPEN),
        ("", "All remaining tasks are done and committed.", ""),
        ("", "I made the import lazy and reverted it: it saves nothing here.", DROPPED),
        ("", "We decided to keep sessions in Postgres, Redis evicted them.", DECISION),
        ("", "I would go with option 2, because falling back would echo the password.", DECISION),
        ("", "The command that works is:\n```\npytest -q -m stress\n```", COMMAND),
        ("", "The command that works here is `just check`; pytest is not installed.", COMMAND),
        ("", "The tests pass. `make -C app ci` is the command that works.", COMMAND),
        ("", "The working command for the stress suite is `cargo xtask stress`.", COMMAND),
        ("", "pytest is not installed; use `just check`.", COMMAND),
        ("", "Use `just check` to run the tests, pytest isn't installed.", COMMAND),
        ("", "If pytest is not installed, run `just check`.", ""),
        ("", "`Path.walk` is not available in 3.11, so use `os.walk`.", LESSON),
        ("", "The linter is not installed; run `npm install eslint`.", ""),
        ("", "The right command is dispatched by `run()`.", ""),
        ("", "Run `npm test` to check it.", ""),
        ("", "I could not get the integration test to run because it needs the VPN.", OPEN),
        ("", "Remaining: translations for Polish.", OPEN),
        ("", "I have not updated the OpenAPI description.", OPEN),
        ("", "I left the Windows path handling for a follow-up.", OPEN),
        ("", "The retry logic isn't wired up yet.", OPEN),
        ("", "You will have to restart the worker by hand.", OPEN),
        ("", "The branch is ready to ship after the second point is settled.", OPEN),
        ("", "I have uncommitted changes in the importer.", OPEN),
        ("", "We're waiting on the vendor for the new API key.", OPEN),
        ("", "The old column can be dropped once all clients are on 2.3.", OPEN),
        ("", "Der Export muss noch getestet werden.", OPEN),
        ("Nächste Schritte", "Die Doku der Anmeldung schreiben", OPEN),
        ("Lines that are now missing", "Line 34: the conversion of a relative path", OPEN),
        ("", "I picked Typer, as it is already used elsewhere.", DECISION),
        ("", "I made retries opt-in so existing callers do not change.", DECISION),
        ("", "The test failed because the clock was frozen.", ""),
        ("", "3: What did not work", ""),
        ("", "I'll start with the parser since it is the smallest.", ""),
        ("What is missing", "- [x] the outbox", ""),
        ("", "Tried WebP first, but Safari 13 does not decode it.", DROPPED),
        ("", "We ended up using a materialized view; a plain index was still 4 s.", DECISION),
        ("", "I picked MiniSearch over Algolia so that the search works offline.", DECISION),
        ("", "The obvious fix (raising the timeout) only hides the deadlock.", LESSON),
        ("", "The flakiness was caused by a shared directory for temporary files.", LESSON),
        ("", "The build script has to be run from within the assets folder.", LESSON),
        ("", "The generated migration has no default, which will fail on SQLite if rows exist.", LESSON),
        ("", "The warning of the type checker about the macro is a known false positive.", LESSON),
        ("", "The whole stress suite takes about 10 minutes on this machine.", LESSON),
        ("", "The documentation says that hooks run in the order of their names.", LESSON),
        ("Critical insights", "The database is authoritative for progress, the property list only knows finished books.", LESSON),
        ("What didn't work", "`sync.Map`: allocates on each call.", DROPPED),
        ("Rejected alternatives", "Redis: one more service to run.", DROPPED),
        ("", "I first used a regular expression, but it backtracks on long lines.", DROPPED),
        ("", "Our first approach was a lock file, which failed on NFS.", DROPPED),
        ("", "J'ai d'abord essayé un cache global, mais il fuit entre les tests.", DROPPED),
        ("", "**Why half-up:** the bank rounds half up, and the report has to agree.", DECISION),
        ("", "Why Postgres: two services write at once, which SQLite cannot do.", DECISION),
        ("", "Ich habe mich für einen Zähler ohne Label entschieden, weil die Zahl der Label wächst.", DECISION),
        ("", "I left the parser as it is, because nobody here knows the old format.", DECISION),
        ("", "I left the parser untouched.", OPEN),
        ("", "I did not touch the handling of paths on Windows.", OPEN),
        ("", "**Root cause:** two workers took one row at once.", LESSON),
        ("", "`build.py` is imported by the installer too, so newer syntax breaks it.", LESSON),
        ("", "Run it with `--no-cache`, otherwise a stale result hides the race.", LESSON),
        ("", "La causa era un descriptor sin cerrar en el cliente.", LESSON),
        ("", "**Renamed:** the counter of the rejected rows and its test.", ""),
        ("Why this works", "The lock is taken before the row is read, and kept until it is written.", ""),
        ("", "Initially the setting is read from the file.", ""),
        ("", "The tests took some minutes.", ""),
        ("", "The timeout was a second; it is ten now.", ""),
        ("", "I renamed the function and updated its callers.", ""),
        ("", "The cut-over waits for the approval of the auditors.", OPEN),
        ("", "The merge is parked until Priya has looked at the schema.", OPEN),
        ("", "The old endpoint stays as it is until the partners have moved.", OPEN),
        ("", "Moving the archive is planned for next quarter.", OPEN),
        ("", "Retries come along; throttling comes with the gateway work.", OPEN),
        ("", "40 labels were translated by machine and need a native speaker.", OPEN),
        ("", "I couldn't test this printer driver here.", OPEN),
        ("", "I did not bump the base image; that's a separate ticket.", OPEN),
        ("", "To be revisited when Node 24 is out.", OPEN),
        ("", "Uncommitted: `a.py`, `b.py`.", OPEN),
        ("", "Both threads wait for the lock of the journal.", ""),
        ("", "The client waits until the server has answered.", ""),
        ("", "I haven't changed anything.", ""),
        ("", "I looked at a trie as well, but building it took longer than the search, so I left it out.", DROPPED),
        ("", "The whole set was checked. Command: `SEED=7 make fuzz`.", COMMAND),
        ("", "The fixtures were regenerated with `UPDATE=1 just golden`.", COMMAND),
        ("The client has to be built with the old compiler", "```\nzig-0.11 build client\n```", COMMAND),
        ("", "The lockfile was updated with `npm install`.", ""),
    ],
)
def test_what_an_agent_states(heading: str, said: str, role: str) -> None:
    assert statements.of_agent(heading, said, "Fix the login").role == role


def test_the_command_that_an_answer_names_is_kept_with_its_words_and_a_quoted_sentence_is_not() -> None:
    text = "The command that works here is `just check`; pytest is not installed."
    stated = statements.of_agent("", quotations.marked(text, is_answer=True), "")
    assert (stated.role, stated.text) == (COMMAND, text)
    quoted = quotations.marked(f"The page says: “{text}”", is_answer=True)
    assert statements.of_agent("", quoted, "").role != COMMAND


def test_the_points_of_a_review_are_open() -> None:
    point = "1. `Choice.__init__`: separator should be keyword-only."
    assert statements.of_agent("", point, "Review my branch, be critical.").role == OPEN
    assert statements.of_agent("", point, "Why does the import take so long?") == NOTHING


def test_a_statement_says_what_it_refers_back_to_and_is_short() -> None:
    said = "I first put the separator into the info, which broke a test. So I took it out again."
    assert statements.of_agent("", said, "").text == said
    assert len(statements.of_agent("", "We decided to keep it " + "because of the queue " * 40 + ".", "").text) <= LONGEST


def test_a_long_text_without_spaces_or_ends_costs_little_and_is_cut() -> None:
    assert statements.of_agent("Next steps", "修" * 300, "").text == "修" * (LONGEST - 1) + "…"
    assert statements.of_agent("", "tried " * 16_000, "") == NOTHING


def test_a_rule_out_of_a_list_stands_by_itself() -> None:
    wanted, others = "Put rules about the logs into AGENTS.md", "Contains large transcripts;\nThe code is authoritative"
    assert statements.of_agent("Policy", f"Never access without permission;\n{others}", wanted) == NOTHING
    rule = "Never read the folder of logs without asking the person first"
    assert statements.of_agent("Policy", f"{rule};\n{others}", wanted).text == rule
    assert statements.of_agent("", "Never push to main.", wanted).text == "Never push to main."


def test_what_a_person_wants_is_kept_without_the_sentence_before_it() -> None:
    said = "Mails were lost when the relay was down. Never add dependencies without asking me."
    assert statements.of_person(said).text == "Never add dependencies without asking me."
    said = "You committed the log files again. I commit these manually."
    assert statements.of_person(said).text == said


def test_decisions_of_a_list_with_their_reasons_stand_alone_and_others_together() -> None:
    reasoned = "Limits are per key, since customers share addresses.\nIt has 16 shards, because a single lock was too slow."
    assert statements.pieces("Decisions", reasoned) == reasoned.split("\n")
    plain = "Unit tests with a database of their own\nPresentation of the results in one place only"
    assert statements.pieces("Decisions", plain) == [plain]


def test_an_answer_to_why_is_learned_from_the_paragraph_that_says_it() -> None:
    cause = "Uploads fail because the stream is read twice, and the browser closes it after the first time."
    assert statements.of_agent("", cause, "Only look: why do uploads fail?", is_first=False).role == LESSON
    assert statements.of_agent("", cause, "Rename the module", is_first=False) == NOTHING


def test_what_is_quoted_within_a_statement_keeps_its_letters() -> None:
    text = 'We decided to run `make all check` instead of "the old script" because it is faster.'
    stated = statements.of_agent("", quotations.marked(text, is_answer=True), "")
    assert (stated.role, stated.text) == (statements.DECISION, text)


@pytest.mark.parametrize(
    ("heading", "item", "rule"),
    [
        ("Ground rules for this repo", "ids are UUIDs, numbers are for people;", "ids are UUIDs, numbers are for people"),
        ("Port the importer. A few conventions", "one parser per file", "one parser per file"),
        ("Code style", "guard clauses over nested ifs", "guard clauses over nested ifs"),
        ("Please never", "log request bodies", "Please never: log request bodies"),
        ("Unsere Regeln", "Datumsangaben nach ISO 8601", "Datumsangaben nach ISO 8601"),
        ("Validation rules", "the amount is positive", ""),
        ("House rules", "may I use macros?", ""),
        ("Please fix", "the amount is positive", ""),
    ],
)
def test_what_a_person_lists_under_a_heading_for_rules_is_an_instruction(heading: str, item: str, rule: str) -> None:
    stated = statements.of_person(item, heading)
    assert (stated.role, stated.text) == ((INSTRUCTION, rule) if rule else ("", ""))


def test_the_findings_of_a_review_are_open_one_by_one() -> None:
    findings = "1. The token sits in a world-readable file.\n2. A second start truncates the journal."
    assert statements.pieces("Findings in `store.py`", findings) == findings.split("\n")
    stated = statements.of_agent("Findings in `store.py`", findings.split("\n")[0], "review the store, what could go wrong?")
    assert stated.role == OPEN


@pytest.mark.parametrize(
    "reply",
    [
        "These depend on the new schema and are ready to proceed with.",
        "It is not tested yet.",
        "The only remaining unstaged change is `.editor.json`, which is unrelated.",
        "Could you ask them whether they set `retries`? I have not changed anything.",
        "1. We don't need the old tool, so nothing is left open there.",
    ],
)
def test_what_has_no_subject_or_is_no_work_is_not_open(reply: str) -> None:
    assert statements.of_agent("", reply, "Fix the login").role != OPEN
    assert statements.of_agent("Remaining tasks", "These depend on the new schema.", "Fix the login").role != OPEN


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("If the page still shows the old logo, clear the cache of your browser.", "open"),
        ("**Open a new terminal tab** and run the installer again, it is not set up yet.", "open"),
        ("0 rows returned - nothing was imported yet", "open"),
        ("The log should now be shorter: no open questions.", "open"),
        ("Since the edits are small and not related, I will make them all at once.", "decision"),
        ("Need to keep the batches small, because the queue is slow.", "decision"),
        ("I have tried several approaches, and they all failed.", "dropped"),
        ("It seems the edit didn't work as expected.", "dropped"),
    ],
)
def test_steps_at_work_and_steps_for_the_reader_state_nothing(said: str, role: str) -> None:
    assert statements.of_agent("", quotations.marked(said, is_answer=True), "").role != role


def test_an_agenda_is_no_decision_of_the_person() -> None:
    assert statements.of_person(quotations.marked("Great, let's move on to the importer instead of the parser.")).role == ""
    assert statements.of_person(quotations.marked("Let's use SQLite instead of Postgres.")).role == statements.DECISION


@pytest.mark.parametrize(
    "said",
    [
        "we haven't merged yet, I think (check!)",
        "Undo. But then we should see that it works and we did not tidy it yet, right?",
        "maybe we can postpone that until later",
    ],
)
def test_a_remark_in_the_middle_of_work_is_not_open(said: str) -> None:
    assert statements.of_person(said).role != OPEN


def test_a_decision_about_something_that_it_does_not_name_is_kept_with_what_was_asked() -> None:
    said = "My recommendation is to leave it, because the cache hides the delay."
    stated = statements.of_agent("", said, "Opening the archive takes a second. Can we make it faster?")
    assert (stated.role, stated.text) == (DECISION, f"{said} (asked: Opening the archive takes a second.)")
    said = "My recommendation is to leave the archive, because the cache hides the delay."
    assert statements.of_agent("", said, "Opening the archive takes a second.").text == said


@pytest.mark.parametrize(
    ("heading", "item"),
    [
        ("Remaining", "Open the port 5432 in the firewall"),
        ("TODO", "Restart the worker after deploys"),
        ("Next steps", "Once the API is ready, use the new endpoint in client.py"),
        ("Remaining", "It is still open: the cache needs a limit."),
        ("", "Remaining: the importer, which is expected to take a week."),
        ("", "The server test still fails; it should already pass."),
    ],
)
def test_work_that_has_the_words_of_a_step_for_the_reader_is_open(heading: str, item: str) -> None:
    assert statements.of_agent(heading, quotations.marked(item, is_answer=True), "").role == statements.OPEN


@pytest.mark.parametrize("rule", ["Add a test for every bug fix.", "I want you to check with me before you push."])
def test_a_rule_for_each_time_is_kept_though_it_begins_like_a_task(rule: str) -> None:
    assert statements.of_person(quotations.marked(rule)).role == statements.INSTRUCTION
