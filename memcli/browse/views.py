"""The views of the browser: memories, the pack of a task, sessions, sharing."""

from __future__ import annotations

from typing import Any

from textual import work
from textual.binding import Binding
from textual.content import Content

from memcli.browse import wording
from memcli.browse.lists import ListEntry, Listing, ListView
from memcli.errors import MemError

_MOST = 200  # entries of a list


class MemoriesView(ListView):
    """What is stored: the newest, or what matches the words that are typed."""

    PLACEHOLDER = "Search memories; empty: the newest"

    def listing(self, text: str) -> Listing:
        """Returns the memories."""
        records = self.calls.ask("search", query=text, limit=_MOST) if text else self.calls.ask("recent", limit=_MOST)
        entries = [ListEntry(record["id"], wording.line(record["title"], *wording.remarks(record))) for record in records]
        empty = "nothing stored matches" if text else 'nothing stored yet; start with: mem add "..."'
        return Listing(entries, _counted(len(entries), "memory", "memories") if entries else empty)


class PacksView(ListView):
    """What an agent would be told about a task: what is in, what was left out, and why."""

    PLACEHOLDER = "A task or a question: what would an agent be told?"

    def listing(self, text: str) -> Listing:
        """Returns the candidates: first those in the pack, in its order, then those left out, best first."""
        if not text:
            return Listing([], "type a task to see its pack")
        pack = self.calls.ask("get", query=text)
        explained = self.calls.ask("explain", query=text)
        tokens = {item["id"]: item["tokens"] for item in pack["top_memories"]}
        tokens |= {piece["chunk_id"]: piece["tokens"] for piece in pack["top_chunks"]}
        candidates = explained["memories"] + [
            chunk | {"title": chunk["locator"], "final_score": chunk["score"]} for chunk in explained["chunks"]
        ]
        candidates.sort(key=lambda candidate: not candidate["included"])
        entries = [_candidate(candidate | {"tokens": tokens.get(candidate["id"])}) for candidate in candidates[:_MOST]]
        budget = explained["budget"]
        included = len([candidate for candidate in candidates if candidate["included"]])
        used = f"{budget['used_total']:,} of {budget['target_total']:,} tokens"
        frame = f"{budget['used_total'] - sum(tokens.values()):,} frame and state"
        return Listing(entries, f"{used}, {frame} · {included} in · {len(candidates) - included} left out")

    def show(self, entry: ListEntry) -> tuple[Content, dict[str, Any] | None]:
        """Returns why it is in the pack or not, and then what it says."""
        content, record = super().show(entry)
        return wording.page(wording.verdict(entry.data), content), record


def _candidate(candidate: dict[str, Any]) -> ListEntry:
    amount = f"{candidate['tokens']:>4}" if candidate["tokens"] else "   -"
    if candidate["included"]:
        mark, why = (f"in  {amount}  ", "bold"), ""
    else:
        mark, why = (f"out {amount}  ", "dim"), candidate["verdict"]
    return ListEntry(candidate["id"], Content.assemble(mark, wording.line(candidate["title"], why)), candidate)


class SessionsView(ListView):
    """What agents did: the sessions; of one that was opened, its summary, prompts and memories."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._session = ""  # the session that was opened

    def listing(self, text: str) -> Listing:
        """Returns the sessions, or what is in the one that was opened."""
        if self._session:
            return self._contents()
        records = self.calls.ask("sessions", limit=_MOST)
        entries = [
            ListEntry(record["id"], wording.line(f"{record['harness'] or 'agent'} {record['key']}", *_about(record)), record)
            for record in records
        ]
        note = _counted(len(entries), "session", "sessions")
        return Listing(entries, f"{note}; Enter lists what is in one" if entries else "no agent was seen here yet")

    def _contents(self) -> Listing:
        record = self.calls.ask("session", id=self._session)
        rows = [(f"{prompt['number']}. {prompt['text'] or prompt['skipped']}", prompt) for prompt in record["prompt_list"]]
        entries = [ListEntry(record["summary"], wording.line("Summary"))] if record["summary_text"] else []
        for title, prompt in rows:
            entries.append(ListEntry(prompt["id"], wording.line(title)))
            entries += map(_observation, wording.of_turn(record, prompt["number"]))
        return Listing([*map(_observation, wording.of_turn(record, 0)), *entries], f"session {self._session}; Escape lists all")

    def action_open(self) -> None:
        """Opens a session; of what is in one, reads it."""
        entry = self.selected
        if entry is None or self._session:
            return super().action_open()
        self._session = entry.id
        self.action_refresh()

    def is_inside(self) -> bool:
        """Tells whether there is something to come back from."""
        return super().is_inside() or bool(self._session)

    def action_back(self) -> None:
        """Returns from the page to the list, from what is in a session to the sessions."""
        was_reading = self.has_class("reading")
        super().action_back()
        if self._session and not was_reading:
            self._session = ""
            self.action_refresh()


def _about(record: dict[str, Any]) -> list[str]:
    prompts = _counted(record["prompts"], "prompt", "prompts")
    return [wording.age(record["last_at"]), prompts, record["status"]]


def _observation(record: dict[str, Any]) -> ListEntry:
    return ListEntry(record["id"], wording.line(f"   {record['title']}", record["kind"]))


class SharingView(ListView):
    """Who this memory is shared with, and what has still to leave."""

    BINDINGS = [Binding("x", "exchange", "Synchronize")]

    def on_mount(self) -> None:
        """Shows the page alone: there is nothing to choose."""
        self.add_class("reading")
        super().on_mount()

    def enter(self) -> None:
        """Puts the cursor on the page."""
        self.query_one(".page").focus()

    def is_inside(self) -> bool:
        """There is nothing to come back from."""
        return False

    def listing(self, text: str) -> Listing:
        """Returns the state of sharing as the one entry."""
        return Listing([ListEntry("", wording.line("Sharing"), self.calls.sharing())], "")

    def show(self, entry: ListEntry) -> tuple[Content, dict[str, Any] | None]:
        """Returns the state of sharing."""
        return wording.sharing(entry.data), None

    @work(thread=True, exclusive=True, group="change")
    def action_exchange(self) -> None:
        """Exchanges changes with the remote."""
        try:
            pulled, pushed = self.calls.synchronize()
        except MemError as error:
            self.app.call_from_thread(self._warn, error)
        else:
            self.app.call_from_thread(self._report, f"Pulled {pulled:,} and pushed {pushed:,} changes", ())


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
