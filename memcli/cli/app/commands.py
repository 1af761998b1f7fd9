"""Every command: its verb, its request, which of its fields are arguments. The order is the order of the help."""

from __future__ import annotations

from memcli.cli import captured, history, views
from memcli.cli.app.adapter import Command, operation
from memcli.cli.verbs import (
    add,
    checkpoint,
    completion,
    doctor,
    embed,
    evaluate,
    exchange,
    gc,
    ingest,
    keeping,
    mcp,
    memories,
    recall,
    repositories,
    rule,
    serve,
    settings,
    setup,
    show,
    sync,
    tree,
    turn,
    version,
    why,
    worker,
)

GROUPS = {
    "Recall": "what is known",
    "Remember": "what should be known",
    "Maintenance": "the memory itself",
    "Integrations": "for programs",
}
MACHINE = ("json", "no_color")  # the common options of a command that is about no repository
TURN = "Print what is new for a session: everything at its first turn, then what changed or became relevant."

COMMANDS = {
    "Recall": [
        operation(recall.get, "query...", request=recall.GetOptions),
        operation(recall.explain, "query..."),
        operation(recall.search, "query...", request=recall.SearchOptions, optional=("query",)),
        operation(views.recent),
        operation(views.threads),
        operation(views.thread, "id"),
        operation(show.show, "id"),
        operation(why.why, "target"),
        Command(ingest.chunks, ingest.ChunksOptions, "List the chunks that were cut from files.", "path"),
        operation(captured.sessions),
        operation(captured.session, "id"),
        operation(captured.timeline, "id"),
        operation(captured.stats),
        operation(history.log, "id"),
    ],
    "Remember": [
        operation(add.add, "title", request=add.AddOptions, optional=("title", "summary")),
        operation(memories.update, "id"),
        operation(memories.supersede, "id"),
        operation(memories.confirm, "id"),
        operation(memories.forget, "id"),
        operation(memories.restore, "id"),
        operation(history.undo),
        operation(memories.link, "from_id", "rel", "to_id"),
        operation(memories.pin, "id"),
        operation(memories.unpin, "id"),
        operation(sync.share, "id"),
        operation(sync.unshare, "id"),
        operation(checkpoint.checkpoint, request=checkpoint.CheckpointOptions),
        operation(views.state, "view"),
        Command(
            keeping.profile,
            keeping.ProfileOptions,
            "Show or change the profile: lasting values under keys, stored word for word.",
            "action",
            "key",
            "value",
        ),
        Command(
            rule.rule, rule.RuleOptions, "List, add or take out rules about what agents should not do here.", "action", "pattern"
        ),
        Command(
            keeping.note,
            keeping.NoteOptions,
            "Add a note for today, or show the notes of recent days.",
            "action",
            "text",
            "new_text",
        ),
        Command(ingest.ingest, ingest.IngestCommand, "Read the repository's files in as evidence, or update it.", "paths"),
    ],
    "Maintenance": [
        Command(
            repositories.init,
            repositories.InitOptions,
            "Create a memory for a repository, and instructions for its agents.",
            "directory",
        ),
        operation(gc.gc),
        Command(doctor.doctor, doctor.DoctorOptions, "Check the memory and its surroundings for problems."),
        Command(
            settings.config,
            settings.ConfigOptions,
            "Show settings and where they come from, or set one.",
            "action",
            "key",
            "value",
        ),
        Command(
            repositories.repos,
            repositories.ReposOptions,
            "List the repositories that have a memory on this machine.",
            common=MACHINE,
        ),
        Command(
            repositories.use,
            repositories.UseOptions,
            "Choose the repository to use outside of any repository.",
            "repository",
            common=MACHINE,
        ),
        Command(exchange.export, exchange.ExportOptions, "Write every memory as a line of JSON.", "file"),
        Command(
            exchange.import_, exchange.ImportOptions, "Import memories, also of other programs, or sessions of a client.", "file"
        ),
        Command(sync.sync, sync.SyncOptions, "Exchange shared memories with a remote; turn sharing on or off.", "action", "id"),
        Command(embed.embed, embed.EmbedOptions, "Compute the vectors for --semantic; an interrupted run continues.", "action"),
        Command(
            worker.worker, worker.WorkerOptions, "Run, start or stop the worker that processes the events of hooks.", "action"
        ),
        Command(worker.queue, worker.QueueOptions, "Show waiting events; retry or remove failed ones.", "action", "job"),
        Command(
            repositories.template,
            repositories.TemplateOptions,
            "Print the instructions for agents, or write them.",
            "name",
            common=("repo", *MACHINE),
        ),
        Command(
            evaluate.evaluate,
            evaluate.EvalOptions,
            "Measure how well a benchmark's questions find their memories.",
            "set",
            name="eval",
            common=MACHINE,
        ),
        Command(
            completion.completion,
            completion.CompletionOptions,
            "Print the script that completes commands and ids in a shell.",
            "shell",
            common=MACHINE,
        ),
        Command(version.version, version.VersionOptions, "Print version and commit.", common=MACHINE),
    ],
    "Integrations": [
        Command(
            setup.setup,
            setup.SetupOptions,
            "Connect a coding agent: its hooks, and the MCP server.",
            "harness",
            common=("repo", "user", *MACHINE),
        ),
        Command(
            tree.merge_memory,
            tree.MergeOptions,
            "Merge a memory's file, as git's merge driver: see mem setup git.",
            "base",
            "ours",
            "theirs",
            name="merge-memory",
            common=MACHINE,
        ),
        Command(
            mcp.mcp,
            mcp.McpOptions,
            "Serve the memory as MCP tools, over standard input and output.",
            common=("repo", "workspace", *MACHINE),
        ),
        Command(
            serve.serve,
            serve.ServeOptions,
            "Serve the memory over HTTP on this machine, with a web page.",
            "action",
            common=("repo", "workspace", *MACHINE),
        ),
        Command(turn.turn, turn.TurnOptions, TURN, "action"),
    ],
}
