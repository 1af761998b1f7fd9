"""Stores of other programs, made by their own schemas, with as many entries as a test wants."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

START = 1_760_000_000_000  # ms; early October 2025
MEMPACK = """
CREATE TABLE repos (repo_id TEXT PRIMARY KEY, git_root TEXT NOT NULL, origin_hash TEXT, last_head TEXT, last_branch TEXT,
  created_at TEXT NOT NULL, last_seen_at TEXT NOT NULL);
CREATE TABLE state_current (repo_id TEXT NOT NULL, workspace TEXT NOT NULL, state_json TEXT NOT NULL, state_tokens INTEGER,
  updated_at TEXT NOT NULL, PRIMARY KEY (repo_id, workspace));
CREATE TABLE state_history (state_id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, workspace TEXT NOT NULL, state_json TEXT NOT NULL,
  state_tokens INTEGER, created_at TEXT NOT NULL, reason TEXT);
CREATE TABLE threads (thread_id TEXT NOT NULL, repo_id TEXT NOT NULL, workspace TEXT NOT NULL DEFAULT 'default', title TEXT,
  tags_json TEXT, created_at TEXT NOT NULL, PRIMARY KEY (thread_id, repo_id, workspace));
CREATE TABLE memories (id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, workspace TEXT NOT NULL DEFAULT 'default', thread_id TEXT,
  title TEXT NOT NULL, summary TEXT NOT NULL, summary_tokens INTEGER, tags_json TEXT, tags_text TEXT, entities_json TEXT,
  entities_text TEXT, created_at TEXT NOT NULL, anchor_commit TEXT, superseded_by TEXT, deleted_at TEXT);
CREATE TABLE artifacts (artifact_id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, workspace TEXT NOT NULL DEFAULT 'default',
  kind TEXT, source TEXT, content_hash TEXT, created_at TEXT NOT NULL);
CREATE TABLE chunks (chunk_id TEXT PRIMARY KEY, repo_id TEXT NOT NULL, workspace TEXT NOT NULL DEFAULT 'default',
  artifact_id TEXT, thread_id TEXT, locator TEXT, text TEXT, text_hash TEXT, text_tokens INTEGER, tags_json TEXT,
  tags_text TEXT, chunk_type TEXT DEFAULT 'line', symbol_name TEXT, symbol_kind TEXT, created_at TEXT NOT NULL, deleted_at TEXT);
CREATE TABLE links (from_id TEXT NOT NULL, rel TEXT NOT NULL, to_id TEXT NOT NULL, weight REAL, created_at TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE VIRTUAL TABLE memories_fts USING fts5 (title, summary, tags, entities, repo_id UNINDEXED, workspace UNINDEXED,
  mem_id UNINDEXED, tokenize = 'porter unicode61');
PRAGMA user_version = 10;
"""
CMEM = """
CREATE TABLE sessions (id INTEGER PRIMARY KEY, session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active', prompt_counter INTEGER DEFAULT 0, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL, completed_at TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, project TEXT NOT NULL, prompt_number INTEGER,
  tool_name TEXT, kind TEXT NOT NULL, title TEXT NOT NULL, narrative TEXT, tags TEXT, facts TEXT, files_read TEXT,
  files_modified TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, project TEXT NOT NULL, prompt_number INTEGER,
  request TEXT, work_done TEXT, discoveries TEXT, remaining TEXT, notes TEXT, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, project TEXT NOT NULL, prompt_number INTEGER,
  prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE observation_queue (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending',
  tool_name TEXT, tool_input TEXT, tool_result TEXT, retry_count INTEGER DEFAULT 0, created_at_epoch INTEGER,
  started_at_epoch INTEGER, completed_at_epoch INTEGER);
CREATE VIRTUAL TABLE observations_fts USING fts5 (title, narrative, content='observations', content_rowid='id');
"""
CLAUDE_MEM = """
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
  project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
  started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
  status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active', worker_port INTEGER,
  prompt_counter INTEGER DEFAULT 0, custom_title TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL, content_hash TEXT, merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
  prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  merged_into_project TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER, content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE directives (id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL DEFAULT 'global', project TEXT,
  content TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active', source TEXT NOT NULL DEFAULT 'manual', created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL, updated_at_epoch INTEGER NOT NULL);
"""
MECHO = """
CREATE TABLE core_memory (mode_id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, detail TEXT NOT NULL,
  updated_at INTEGER NOT NULL);
CREATE TABLE curated_memory (mode_id TEXT NOT NULL, memory_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  detail TEXT NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, PRIMARY KEY (mode_id, memory_id));
CREATE TABLE memory_revision (mode_id TEXT PRIMARY KEY, current_rev INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL);
CREATE TABLE memory_event (id INTEGER PRIMARY KEY AUTOINCREMENT, mode_id TEXT NOT NULL, rev INTEGER NOT NULL,
  event_type TEXT NOT NULL, memory_id TEXT, payload_json TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE session_sync (session_key TEXT PRIMARY KEY, mode_id TEXT NOT NULL, last_acked_rev INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL);
CREATE TABLE prepare_turn (prepare_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, mode_id TEXT NOT NULL,
  from_revision INTEGER NOT NULL, to_revision INTEGER NOT NULL, mode TEXT NOT NULL, created_at INTEGER NOT NULL,
  acked_at INTEGER, ack_status TEXT);
"""
ARCHIVAL = """
CREATE TABLE archival_memory (memory_id TEXT PRIMARY KEY, mode_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  detail TEXT NOT NULL, embedding_json TEXT NOT NULL, embedding_dim INTEGER NOT NULL, embedding_norm REAL NOT NULL,
  metadata_json TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
"""
BASIC_MEMORY = """
CREATE TABLE project (id INTEGER PRIMARY KEY, external_id TEXT, name TEXT UNIQUE, description TEXT, permalink TEXT, path TEXT,
  is_active BOOLEAN, is_default BOOLEAN, created_at DATETIME, updated_at DATETIME);
CREATE TABLE entity (id INTEGER PRIMARY KEY, external_id TEXT, title TEXT, note_type TEXT, entity_metadata JSON,
  content_type TEXT, project_id INTEGER NOT NULL, permalink TEXT, file_path TEXT, checksum TEXT, mtime FLOAT, size INTEGER,
  created_at DATETIME, updated_at DATETIME);
CREATE TABLE observation (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, entity_id INTEGER, content TEXT,
  category TEXT NOT NULL, context TEXT, tags JSON DEFAULT '[]');
CREATE TABLE relation (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, from_id INTEGER, to_id INTEGER, to_name TEXT,
  relation_type TEXT, context TEXT);
"""


def database(path: Path, schema: str, **tables: list[dict[str, Any]]) -> Path:
    """Makes a database by a program's schema, with rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(schema)
        for table, rows in tables.items():
            for row in rows:
                names = ", ".join(row)
                marks = ", ".join("?" for _ in row)
                db.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", list(row.values()))
        db.commit()
    return path


def mempack(path: Path, count: int, root: str = "/nowhere", **more: Any) -> Path:
    """A store of the Go program: memories in five threads, the second superseded by the third, the fourth linked to the first."""
    memories = [
        {
            "id": f"M-20260101-120000-{number:08x}",
            "repo_id": "r_12345678",
            "thread_id": f"T-{number % 5}",
            "title": f"Fact {number} of the parser",
            "summary": f"Because of reason {number}.",
            "tags_json": json.dumps(["parser", f"tag{number % 3}"]),
            "entities_json": json.dumps([f"src/file{number % 7}.go"]),
            "created_at": f"2026-01-{1 + number % 28:02d}T12:00:00.123456789Z",
            "superseded_by": f"M-20260101-120000-{2:08x}" if number == 1 else None,
            **more,
        }
        for number in range(count)
    ]
    first, fourth = memories[0]["id"], memories[min(3, count - 1)]["id"]
    rows = {
        "repos": [{"repo_id": "r_12345678", "git_root": root, "created_at": "2026", "last_seen_at": "2026"}],
        "memories": memories,
        "links": [{"from_id": fourth, "rel": "depends_on", "to_id": first, "weight": 1, "created_at": "2026-01-01T00:00:00Z"}],
        "state_current": [
            {
                "repo_id": "r_12345678",
                "workspace": "default",
                "state_json": '{"goal": "ship"}',
                "updated_at": "2026-01-05T00:00:00Z",
            }
        ],
        "chunks": [{"chunk_id": "C-1", "repo_id": "r_12345678", "text": "x", "created_at": "2026"}],
    }
    return database(path, MEMPACK, **rows)


def claude_mem(path: Path, count: int, project: str = "work") -> Path:
    """A store of claude-mem: observations in sessions of fifty, a prompt and a summary each."""
    sessions, prompts, observations, summaries = [], [], [], []
    for start in range(0, count, 50):
        at = START + start * 60_000
        times = {"created_at": "2025-10-09T08:53:20.000Z", "created_at_epoch": at}
        outer, inner = f"{project}-content-{start}", f"{project}-memory-{start}"
        started = {"started_at": times["created_at"], "started_at_epoch": at}
        sessions.append({"content_session_id": outer, "memory_session_id": inner, "project": project, **started})
        prompts.append(
            {"content_session_id": outer, "prompt_number": 1, "prompt_text": f"Fix the login of step {start}", **times}
        )
        said = {"request": f"Fix step {start}", "learned": "Tokens expire.", "completed": "Fixed it.", "next_steps": "Deploy."}
        summaries.append({"memory_session_id": inner, "project": project, **said, **times})
        for number in range(start, min(count, start + 50)):
            observations.append(
                {
                    "memory_session_id": inner,
                    "project": project,
                    "type": "bugfix",
                    "title": f"Login step {number} fixed",
                    "subtitle": "It failed.",
                    "narrative": f"The guard {number} only looked at the expiry.",
                    "facts": json.dumps([f"Guard {number} is in auth.py"]),
                    "concepts": json.dumps(["gotcha"]),
                    "files_modified": json.dumps(["auth.py"]),
                    "prompt_number": 1,
                    **times,
                    "created_at_epoch": at + number,
                }
            )
    rows = {"sdk_sessions": sessions, "user_prompts": prompts, "observations": observations, "session_summaries": summaries}
    return database(path, CLAUDE_MEM, **rows)


def cmem(path: Path, count: int, project: str = "work") -> Path:
    """A store of C-Mem."""
    times = {"created_at": "2025-10-09T08:53:20.000Z", "created_at_epoch": START}
    owner = {"session_id": "chat-1", "project": project}
    observations = [
        {
            **owner,
            "prompt_number": 1,
            "tool_name": "Edit",
            "kind": "feature",
            "title": f"Cache {number} warmed",
            "narrative": f"Warmed cache {number} at the start.",
            "tags": '["cache"]',
            "facts": json.dumps([f"Cache {number} is warm"]),
            "created_at": times["created_at"],
            "created_at_epoch": START + number * 1000,
        }
        for number in range(count)
    ]
    summary = {**owner, "request": "Warm the caches", "work_done": "Warmed them", "remaining": "Measure", **times}
    return database(
        path,
        CMEM,
        sessions=[{**owner, **times}],
        user_prompts=[{**owner, "prompt_number": 1, "prompt_text": "Warm the caches", **times}],
        observations=observations,
        session_summaries=[summary],
        observation_queue=[{"session_id": "chat-1", "status": "pending"}],
    )


def mecho(top: Path, count: int, mode: str = "bot") -> Path:
    """The directory of one mode of mecho."""
    curated = [
        {
            "mode_id": mode,
            "memory_id": f"c-{number}",
            "name": f"Habit {number}",
            "description": f"Prefers tea at {number}.",
            "detail": "Said so.",
            "is_deleted": int(number == 1),
            "updated_at": START + number,
        }
        for number in range(count)
    ]
    core = [{"mode_id": mode, "name": "persona", "description": "A calm guide.", "detail": "Never shouts.", "updated_at": START}]
    database(top / mode / "mecho.db", MECHO, core_memory=core, curated_memory=curated)
    archived = {
        "memory_id": "a-1",
        "mode_id": mode,
        "name": "Trip",
        "description": "To Oslo.",
        "detail": "In May.",
        "embedding_json": "[]",
        "embedding_dim": 0,
        "embedding_norm": 0.0,
        "metadata_json": '{"year": 2024}',
        "created_at": START,
        "updated_at": START,
    }
    database(top / mode / "archival.db", ARCHIVAL, archival_memory=[archived])
    return top


def ltm(path: Path, count: int) -> Path:
    """A memory.json of tool-driven long-term memory."""
    entries = [
        {
            "id": f"mem-{number}",
            "content": f"User likes dish {number}. It is spicy.",
            "keywords": ["Food", f"dish{number}"],
            "source_session_id": "s-1",
            "metadata": {},
            "created_at": "2025-10-09T08:53:20.000Z",
            "updated_at": "2025-10-10T08:53:20.000Z",
        }
        for number in range(count)
    ]
    path.write_text(json.dumps({"version": 1, "updated_at": "2025-10-10T08:53:20.000Z", "entries": entries}))
    return path


def picoclaw(workspace: Path, days: int) -> Path:
    """A workspace of PicoClaw: a profile, a long-term memory, a file a day with three notes."""
    memory = workspace / "memory"
    memory.mkdir(parents=True)
    (memory / "profile.json").write_text(json.dumps({"name": "Mike", "editor": "vim"}))
    (memory / "MEMORY.md").write_text("# Memory\n\n## Tools\n\n- Uses zsh everywhere\n- Hates tabs\n")
    for number in range(days):
        month, day = f"2025{1 + number // 28:02d}", f"{1 + number % 28:02d}"
        (memory / month).mkdir(exist_ok=True)
        text = f"# 2025-{month[4:]}-{day}\n\nDeployed build {number}\n\nMet Ann\nabout the rota\n\n- one\n- two\n"
        (memory / month / f"{month}{day}.md").write_text(text)
    return workspace


def mcp_memory(path: Path, count: int) -> Path:
    """A graph of the reference memory server."""
    lines: list[dict[str, Any]] = [
        {"type": "entity", "name": f"Service {number}", "entityType": "service", "observations": [f"Runs on {number}", "In Go"]}
        for number in range(count)
    ]
    lines += [{"type": "relation", "from": "Service 0", "to": "Service 1", "relationType": "depends on"}]
    lines += [{"type": "relation", "from": "Service 0", "to": "Nobody", "relationType": "knows"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(path, (START / 1000, START / 1000))
    return path


def basic_memory(top: Path, notes: int, facts: int = 3) -> Path:
    """A directory of notes of basic-memory."""
    top.mkdir()
    for number in range(notes):
        lines = [f"- [technique] Pour {number}.{fact} slowly #brewing (from Ann)" for fact in range(facts)]
        (top / f"coffee-{number}.md").write_text(
            f"---\ntitle: Coffee {number}\ntype: note\npermalink: coffee-{number}\ntags:\n- coffee\n- guide\n"
            "created: 2025-03-01T08:00:00Z\n---\n\n"
            f"# Coffee {number}\n\nHow to brew lot {number}.\n\n## Observations\n"
            + "\n".join(lines)
            + f"\n\n## Relations\n- pairs_with [[Coffee {(number + 1) % notes}]]\n- lists [[Nobody]]\n"
        )
    return top


def decisions(top: Path, count: int) -> Path:
    """A directory of decision records, in both forms by turns; the second is superseded by the third."""
    top.mkdir(parents=True)
    for number in range(1, count + 1):
        name = f"{number:04d}-use-thing-{number}.md"
        if number % 2:
            status = "Accepted\n\nSupersedes [2. Use thing 2](0002-use-thing-2.md)" if number == 3 else "Accepted"
            text = f"# {number}. Use thing {number}\n\nDate: 2024-02-{1 + number % 28:02d}\n\n## Status\n\n{status}\n\n"
            text += (
                f"## Context\n\nWe need {number}.\n\n## Decision\n\nWe will use thing {number}.\n\n## Consequences\n\nFaster.\n"
            )
        else:
            status = "superseded by [ADR-0003](0003-use-thing-3.md)" if number == 2 else "accepted"
            text = f"---\nstatus: {status}\ndate: 2024-03-{1 + number % 28:02d}\n---\n# Use thing {number}\n\n"
            text += f"## Context and Problem Statement\n\nNeed {number}.\n\n## Considered Options\n\n* A\n* B\n\n"
            text += f"## Decision Outcome\n\nChosen option: A, because of {number}.\n"
        (top / name).write_text(text)
    (top / "template.md").write_text("# Title\n\n## Status\n\n## Decision\n")
    return top
