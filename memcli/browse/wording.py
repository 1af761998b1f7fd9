"""How the browser words results: stored text is written out so that it can neither style nor drive the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from memcli.project import now
from memcli.text import dates
from memcli.text.terminal import oneline, visible

_NEWLINE = Content("\n")


def text(value: str) -> str:
    """Returns a stored text as lines that are safe to show."""
    return visible(value).expandtabs(4)


def _usage(told: int, used: int) -> str:
    return f"to {told:,} session{'s' * (told != 1)}, used by {used:,}" if told else ""


def age(moment: str | None) -> str:
    """Returns how long ago a moment of a result was."""
    return dates.age(dates.parse(moment), now()) if moment else ""


def line(title: str, *remarks: str) -> Content:
    """Returns an entry of a list: a title, and remarks behind it in dim print."""
    tail = " · ".join([oneline(remark) for remark in remarks if remark])
    return Content.assemble(oneline(title), (f"  {tail}", "dim") if tail else "")


def page(*blocks: Content | str) -> Content:
    """Returns blocks below one another, with an empty line between them; empty ones are left out."""
    contents = [block if isinstance(block, Content) else Content(text(block)) for block in blocks]
    return Content("\n\n").join([block for block in contents if block.plain])


def heading(name: str, title: str) -> Content:
    """Returns the first line of a page: an id and what it is called."""
    return Content.assemble((name, "$accent"), "  ", (oneline(title), "bold"))


def facts(pairs: Sequence[tuple[str, str]]) -> Content:
    """Returns names and values in two columns; what has no value is left out."""
    rows = [(name, oneline(value)) for name, value in pairs if value]
    wide = max([len(name) for name, _ in rows], default=0) + 2
    return _NEWLINE.join([Content.assemble((f"{name:<{wide}}", "dim"), value) for name, value in rows])


def memory(details: dict[str, Any]) -> Content:
    """Returns everything about a memory, as `show` answers it."""
    return page(heading(details["id"], details["title"]), details["summary"], facts(_memory_facts(details)))


def _memory_facts(details: dict[str, Any]) -> list[tuple[str, str]]:
    carried = details["carried_over"] or {}
    usage = details["usage"]
    return [
        ("thread", details["thread_id"]),
        ("kind", details["kind"]),
        ("tags", ", ".join(details["tags"])),
        ("entities", ", ".join(details["entities"])),
        ("written", f"{age(details['created_at'])}, by {details['origin']}"),
        ("changed", age(details["updated_at"]) if details["updated_at"] != details["created_at"] else ""),
        ("commit", f"{details['anchor_commit'] or 'none: holds everywhere'} {_standing(details)}".strip()),
        ("carried over", f"to {carried['commit'][:10]}, {carried['how']}" if carried else ""),
        ("branch", details.get("anchor_branch") or ""),
        ("pinned", "yes" if details["pinned"] else ""),
        (
            "superseded",
            "by " + " and ".join(details.get("successors") or [details["superseded_by"]]) if details["superseded_by"] else "",
        ),
        ("contested", "by " + ", ".join(details["contested_by"]) if details["contested_by"] else ""),
        ("files", "changed since: " + ", ".join(details["drifted"]) if details["drifted"] else ""),
        *[(link["rel"], link["to_id"]) for link in details["links"] if link["from_id"] == details["id"]],
        ("told", _usage(usage["told"], usage["used"])),
    ]


def _standing(record: dict[str, Any]) -> str:
    return {"orphan": "(not on this branch)", "unknown": "(commit unknown here)"}.get(record["anchor_state"], "")


def remarks(record: dict[str, Any]) -> list[str]:
    """Returns what a list says of a memory behind its title."""
    standing = _standing(record).strip("()")
    return ["superseded" if record.get("superseded") else "", standing, age(record["created_at"]), record["thread_id"]]


def item(answer: dict[str, Any]) -> Content:
    """Returns what `show` answers of anything: a memory, a chunk, a prompt, a passage, a session, a state, a note."""
    kind = answer["kind"]
    record = answer[kind]
    if kind == "memory":
        return memory(record)
    if kind == "prompt":
        return turn(record)
    if kind == "session":
        return session(record)
    if kind == "chunk":
        position = f"{record['path']}:{record['lines'][0]}"
        return page(
            heading(record["id"], position), record["text"], facts([("symbol", record["symbol"]), ("file", record["state"])])
        )
    if kind == "passage":
        return page(heading(record["id"], record["heading"]), record["text"], facts([("of", record["owner"])]))
    return page(heading(next(iter(record.values())) or "", kind), str(record.get("text") or record.get("value") or record))


def session(record: dict[str, Any]) -> Content:
    """Returns a session: its facts, its summary, and its turns."""
    head = heading(record["id"], f"{record['harness']} session {record['key']}")
    about = facts(
        [
            ("status", " ".join([record["status"], f"({record['reason']})" if record["reason"] else ""]).strip()),
            ("last seen", age(record["last_at"])),
            ("summary", record["summary"] or ""),
        ]
    )
    turns = [turn(prompt | {"observations": of_turn(record, prompt["number"])}) for prompt in record["prompt_list"]]
    before = [observation(each) for each in of_turn(record, 0)]
    return page(head, about, record["summary_text"] or "", _NEWLINE.join(before), *turns)


def of_turn(record: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Returns the observations of a turn of a session; 0: those before the first."""
    return [each for each in record["observations"] if each["prompt"] == number]


def turn(prompt: dict[str, Any]) -> Content:
    """Returns a prompt, what was done in its turn, and the answer."""
    words = text(prompt["text"]) or f"({prompt['skipped'] or 'no text'})"
    blocks = [Content.assemble((prompt["id"], "$accent"), f"  {words}")]
    blocks += [observation(each) for each in prompt["observations"]]
    blocks += [Content.assemble((text(prompt["reply"]), "dim"))] if prompt["reply"] else []
    return _NEWLINE.join(blocks)


def observation(record: dict[str, Any]) -> Content:
    """Returns a memory that was made of a session, in one line."""
    return Content.assemble("  ", (record["id"], "$accent"), f"  {record['kind']}  {oneline(record['title'])}")


def verdict(candidate: dict[str, Any]) -> Content:
    """Returns why a candidate is in a pack or not, and what its score is made of."""
    lost = f", lost to {candidate['lost_to']}" if candidate["lost_to"] else ""
    features = {name: value for name, value in candidate.get("features", {}).items() if abs(value) >= 0.0005}
    return facts(
        [
            ("verdict", candidate["verdict"] + lost),
            ("tokens", f"{candidate['tokens']:,}" if candidate.get("tokens") else ""),
            ("score", f"{candidate['final_score']:.3f}"),
            *[(f"  {name}", f"{value:+.3f}") for name, value in features.items()],
        ]
    )


def sharing(status: dict[str, Any] | None) -> Content:
    """Returns the state of sharing."""
    if status is None:
        return page("This memory is not shared.", "Turn sharing on with: mem sync enable")
    last = status["last"]
    outcome = "not yet" if last is None else age(last["at"]) + (f", failed: {last['error']}" if last["error"] else "")
    head = facts(
        [
            ("remote", f"{status['remote']} ({status['address']})"),
            ("place", status["place"]),
            ("shared", f"{status['shared']:,}"),
            ("to push", f"{status['pending']:,} changes"),
            ("waiting", f"{status['quarantined']:,} changes from elsewhere" if status["quarantined"] else ""),
            ("synchronized", outcome),
        ]
    )
    writers = [(oneline(str(each["name"] or "unnamed")), f"{each['operations']:,} changes") for each in status["writers"]]
    return page(head, facts(writers))
