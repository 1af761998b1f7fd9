"""What is open is closed by evidence that this very work was done, not by an edit beside it."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

SHOP: list[Step] = [["write", "src/pay.py", "a = 1\nb = 2\n"], ["write", "src/mail.py", "z = 1\n"], ["commit", "Begin"]]
CSV = "`src/pay.py` still writes floats to the CSV."
CACHE = "The cache never expires."
NEGATIVE = "`src/pay.py` still accepts negative amounts."
LIMIT = "The mail sender in `src/mail.py` has no retry limit yet."


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with a few files."""
    player = Player(terminal, monkeypatch, "claude")
    player.play(SHOP)
    return player


def left(player: Player, points: list[str], prompt: str, answer: str, file: str = "src/pay.py", same: bool = False) -> str:
    """What is still open after a first session left some points, and another, or the same one, did something in a file."""
    listed = "\n".join([f"- {point}" for point in points])
    player.play(
        [["ask", "Fix the cents."], ["edit", "src/pay.py", "a = 1", "a = 3"], ["answer", f"Fixed.\n\nStill to do:\n{listed}"]]
    )
    player.play([] if same else [["end"]])
    old = "z = 1" if file == "src/mail.py" else "b = 2"
    player.play([["ask", prompt], ["edit", file, old, f"{old}0"], ["answer", answer], ["end"]])
    return "\n".join(section(player.start(), "Open"))


@pytest.mark.parametrize("same", [False, True], ids=["later session", "same session"])
@pytest.mark.parametrize(
    ("point", "prompt", "answer", "file"),
    [
        (CSV, "use semicolons in the CSV export", "The export separates with semicolons now.", "src/pay.py"),
        (NEGATIVE, "Rename b to c in pay.py", "Renamed.", "src/pay.py"),
        (NEGATIVE, "Accept amounts with a comma, too.", "Amounts may have a comma now.", "src/pay.py"),
        (LIMIT, "Give the mail sender a name in its log.", "The sender is named in the log.", "src/mail.py"),
        (CACHE, "Rename the cache to rates.", "The cache is called rates.", "src/pay.py"),
    ],
)
def test_work_on_a_neighbouring_subject_closes_nothing(
    player: Player, point: str, prompt: str, answer: str, file: str, same: bool
) -> None:
    assert point.rstrip(".") in left(player, [point], prompt, answer, file, same)


@pytest.mark.parametrize(
    ("point", "prompt", "answer", "closes"),
    [
        ("Backfill March of the orders table.", "Backfill April first.", "April of the orders table is backfilled.", False),
        ("Backfill March of the orders table.", "Backfill the orders of March.", "March is backfilled.", True),
        ("Shell completion for fish is missing.", "Completion for zsh please.", "Shell completion for zsh works.", False),
        ("Shell completion for fish is missing.", "fish users want it, too.", "Shell completion for fish works.", True),
        ("A rate limit for uploads is missing.", "Someone floods us.", "A rate limit for messages is in: 20 a minute.", False),
        ("The list command has no --json flag yet.", "JSON from show, please.", "The show command has a --json flag.", False),
        ("The list command has no --json flag yet.", "list, too", "The list command takes --json as well.", True),
        (
            "The Italian translation of the booking form is missing.",
            "Translate the booking form.",
            "The booking form is available in French.",
            False,
        ),
        ("Send the order confirmation by e-mail.", "Ask before an order is deleted.", "It asks for confirmation.", False),
        ("Enemies get stuck at closed doors.", "Doors need keys.", "Closed doors open with a key.", False),
        ("Rotate the database password.", "Take it out of the variables.", "The database is reached by a secret.", False),
        (
            "Nobody has tested restoring a backup of the staging database.",
            "Try a restore of the backup.",
            "I tested restoring last night's backup of the staging database into a scratch instance.",
            True,
        ),
    ],
)
def test_another_session_closes_only_the_very_point(player: Player, point: str, prompt: str, answer: str, closes: bool) -> None:
    assert (point.rstrip(".") not in left(player, [point], prompt, answer)) == closes


def test_a_point_that_names_its_files_is_done_once_each_of_them_was_edited(player: Player) -> None:
    point = "docs in `docs/types.md` and an entry in `CHANGES.md` (I did not want to guess the number of the pull request)."
    player.play([["ask", "Let amounts have a currency."], ["edit", "src/pay.py", "a = 1", "a = 3"]])
    player.play([["answer", f"Amounts have one.\n\nStill to do: {point}"], ["end"]])
    player.play([["ask", "Write the docs of the currency, number 4711."], ["write", "docs/types.md", "# Currency\n"]])
    player.play(
        [["write", "CHANGES.md", "currency\n"], ["commit", "Write the docs of the currency"], ["answer", "Done."], ["end"]]
    )
    assert section(player.start(), "Open") == []


def test_points_under_a_heading_for_what_remains_are_done_with_one_by_one(player: Player) -> None:
    report = f"Fixed.\n\nRemaining:\n- {CACHE}\n- {LIMIT}"
    player.play([["ask", "Fix the cents."], ["edit", "src/pay.py", "a = 1", "a = 3"], ["answer", report], ["end"]])
    player.play([["ask", "Let the cache expire."], ["edit", "src/pay.py", "b = 2", "b = 3"]])
    player.play([["answer", "The cache expires after an hour."], ["end"]])
    opened = "\n".join(section(player.start(), "Open"))
    assert "retry limit" in opened
    assert "never expires" not in opened


@pytest.mark.parametrize("same", [False, True], ids=["later session", "same session"])
@pytest.mark.parametrize(
    ("point", "prompt", "answer", "file"),
    [
        (CSV, "Write decimals to the CSV instead of floats.", "The CSV has decimals now, no floats.", "src/pay.py"),
        (NEGATIVE, "Refuse negative amounts.", "Negative amounts raise an error.", "src/pay.py"),
        (LIMIT, "Add a retry limit to the mail sender.", "The sender stops after 5 tries.", "src/mail.py"),
        (CACHE, "Let the cache expire after an hour.", "Cached rates expire after an hour.", "src/pay.py"),
    ],
)
def test_the_work_itself_closes_it(player: Player, point: str, prompt: str, answer: str, file: str, same: bool) -> None:
    assert point.rstrip(".") not in left(player, [point], prompt, answer, file, same)


def test_of_several_points_a_word_to_go_on_closes_the_one_that_was_worked_on(player: Player) -> None:
    told = left(player, [CACHE, LIMIT], "Go on.", "Cached rates expire after an hour.", same=True)
    assert "retry limit" in told
    assert "never expires" not in told


def test_a_word_to_go_on_closes_the_one_point_that_was_left(player: Player) -> None:
    assert left(player, [CACHE], "Yes, go ahead.", "It does now.", same=True) == ""


REVIEW = (
    "Review of the branch:\n\n1. `limit` should be keyword-only.\n2. The sender still hard-codes the host; say so in the docs.\n"
    "3. The docstring still lacks the new argument.\n\nGood to merge after 1 and 3."
)


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("Fix 1 and 3. Ignore 2.", ""),
        ("Do 1, 2 and 3 please.", ""),
        ("Mach 1, 2 und 3.", ""),
        ("Fix all of them.", ""),
        ("Corrige-les tous.", ""),
        ("Bitte alle Punkte.", ""),
        ("Fix all except 2.", "hard-codes the host"),
        ("Fix all typos in the tests.", "hard-codes the host"),
        ("Is that all? Then rename b.", "hard-codes the host"),
        ("Wait 3 seconds between two tries.", "hard-codes the host"),
        ("Set the timeout of the tests to 2.", "hard-codes the host"),
    ],
)
def test_points_of_a_list_are_taken_up_by_their_numbers(player: Player, prompt: str, left: str) -> None:
    player.play([["ask", "Review the branch."], ["answer", REVIEW]])
    player.play([["ask", prompt], ["edit", "src/pay.py", "a = 1", "a = 2"], ["answer", "That is in."], ["end"]])
    opened = "\n".join(section(player.start(), "Open"))
    assert left in opened if left else opened == ""


@pytest.mark.parametrize("prompt", ["Fix 1. 2 comes later.", "Fix 1, 2 can wait.", "Fix number 1; leave number 2 for later."])
def test_a_point_of_a_list_that_has_to_wait_stays_open(player: Player, prompt: str) -> None:
    listed = "Still to do:\n\n1. The cache never expires.\n2. The mail sender has no retry limit yet."
    player.play([["ask", "Review the branch."], ["answer", listed]])
    player.play([["ask", prompt], ["edit", "src/pay.py", "a = 1", "a = 2"], ["answer", "That is in."], ["end"]])
    opened = "\n".join(section(player.start(), "Open"))
    assert "retry limit" in opened
    assert "never expires" not in opened


README = "The README still has to mention the new limit."


@pytest.mark.parametrize(
    ("prompt", "closes"),
    [
        ("Rename b in pay.py.", False),
        ("Shorten b.", False),
        ("Make b private.", False),
        ("Sort the imports.", False),
        ("Now the mails.", False),
        ("Do it.", True),
        ("Yes, please do that, too.", True),
        ("ok continue", True),
        ("Ja, mach das bitte.", True),
        ("The README, please.", True),
    ],
)
def test_a_brief_prompt_closes_a_point_only_where_it_says_to_go_on_with_it(player: Player, prompt: str, closes: bool) -> None:
    told = left(player, [README], prompt, "That is in.", same=True)
    assert told == "" if closes else "README" in told


@pytest.mark.parametrize(
    ("point", "message", "closes"),
    [
        ("We send labels as text, so PDF/A needs a converter that we do not have.", "Print the customs number on labels", False),
        (
            "We send labels as text, so PDF/A needs a converter that we do not have.",
            "Print the customs number\n\nLabels have it as a string: converting it to int lost a zero.",
            False,
        ),
        ("The labels lack the customs number.", "Review\n\nPrint the customs number on labels.", True),
        ("The README has to explain how labels are sent.", "Print the customs number on labels", False),
        ("`src/mail.py` still ignores bounced mails.", "Give src/mail.py a logger", False),
        ("The labels lack the customs number.", "Print the customs number on labels", True),
        ("`src/mail.py` still ignores bounced mails.", "Count bounced mails in src/mail.py", True),
    ],
)
def test_a_commit_of_a_colleague_closes_a_point_only_on_its_very_subject(
    player: Player, point: str, message: str, closes: bool
) -> None:
    player.play([["ask", "Look at it."], ["answer", f"Looked.\n\nStill to do:\n- {point}"], ["end"]])
    player.play(
        [
            ["days", "1"],
            ["other", "src/pay.py", "c = 1\n", message],
            ["ask", "Explain the mails."],
            ["answer", "They go out by SMTP."],
            ["end"],
        ]
    )
    told = "\n".join(section(player.start(), "Open"))
    assert told == "" if closes else point.rstrip(".") in told


@pytest.mark.parametrize(
    ("said", "closes"),
    [
        ("The signing key is rotated.", True),
        ("I've rotated the signing key, explain the sender.", True),
        ("Is the signing key rotated?", False),
        ("The signing key is not rotated, who does that?", False),
        ("The key is set when the sender starts, why?", False),
    ],
)
def test_a_person_who_says_that_a_point_is_done_closes_it(player: Player, said: str, closes: bool) -> None:
    point = "Rotate the signing key of the vendor."
    player.play([["ask", "Look at it."], ["answer", f"Looked.\n\nStill to do:\n- {point}"], ["end"], ["days", "1"]])
    player.play([["ask", said], ["answer", "The sender signs each mail."], ["end"]])
    assert (point.rstrip(".") in "\n".join(section(player.start(), "Open"))) != closes


@pytest.mark.parametrize("answer", ["Thanks, noted.", "OK.", "Great!"])
def test_a_person_closes_a_point_though_the_agent_only_takes_note(player: Player, answer: str) -> None:
    points = ["Rotate the staging key.", "Give the mail sender a retry limit."]
    listed = "\n".join([f"- {point}" for point in points])
    player.play([["ask", "Look at it."], ["answer", f"Looked.\n\nStill to do:\n{listed}"], ["end"], ["days", "1"]])
    player.play([["ask", "The staging key is rotated."], ["answer", answer], ["end"]])
    told = "\n".join(section(player.start(), "Open"))
    assert "staging key" not in told
    assert "retry limit" in told


def test_a_word_to_wait_closes_nothing_where_the_agent_only_takes_note(player: Player) -> None:
    player.play(
        [["ask", "Look at it."], ["answer", "Looked.\n\nStill to do:\n- Rotate the staging key."], ["end"], ["days", "1"]]
    )
    player.play([["ask", "The staging key is not rotated before Friday."], ["answer", "Noted."], ["end"]])
    assert "Rotate the staging key" in "\n".join(section(player.start(), "Open"))


def test_what_waits_for_the_word_of_the_person_is_closed_by_the_next_prompt(player: Player) -> None:
    player.play([["ask", "Prepare the release."], ["edit", "src/pay.py", "a = 1", "a = 2"]])
    player.play([["answer", "Uncommitted: `src/pay.py`. I need your decision on the name before I go on."]])
    player.play([["ask", "Call it Heron."], ["commit", "Release Heron"], ["answer", "It is called Heron."], ["end"]])
    assert section(player.start(), "Open") == []


def test_what_an_answer_takes_up_of_its_prompt_is_told_once(player: Player) -> None:
    player.play([["ask", "Leave the refunds: they are blocked until the bank answers about the fees."]])
    player.play([["answer", "OK, the refunds are parked until the bank has answered about the fees."], ["end"]])
    assert "\n".join(section(player.start(), "Open")).count("refunds") == 1


@pytest.mark.parametrize(
    ("prompt", "answer", "closes"),
    [
        ("Please start task 5, without stopping after each part.", "The form is there.", True),
        ("Give the importer a name.", "It has a name. Next up: task 6, the newsletter.", True),
        ("Give the importer a name.", "It has a name.", False),
        ("Which tests does task 4 have?", "Task 4 has three tests.", False),
        ("Do not start task 5 yet, give the importer a name.", "It has a name.", False),
        ("Give step 5 of the importer a name.", "It has a name.", False),
    ],
)
def test_the_next_piece_of_a_plan_is_no_longer_ahead_once_it_is_begun(
    player: Player, prompt: str, answer: str, closes: bool
) -> None:
    player.play([["ask", "Do task 4."], ["edit", "src/pay.py", "a = 1", "a = 2"]])
    player.play([["answer", "Task 4 is complete. The next task is task 5, the sign-up form."], ["end"], ["days", "1"]])
    player.play([["ask", prompt], ["edit", "src/mail.py", "z = 1", "z = 2"], ["answer", answer], ["end"]])
    assert ("sign-up form" not in "\n".join(section(player.start(), "Open"))) is closes
