"""The modules of ours that an everyday command loads, in the order in which they are complete. Made by scripts/docs."""

from __future__ import annotations

LOADS = {
    "get": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.cli.verbs.recall memcli.recall memcli.recall.near
        memcli.store.search memcli.text.analysis memcli.text.dates memcli.recall.candidates memcli.text.forms
        memcli.store.memories memcli.recall.choose memcli.validity memcli.validity.status memcli.recall.render
        memcli.store.states memcli.recall.pack memcli.recall.rank memcli.recall.get memcli.repo.worktree memcli.store.chunks
        memcli.store.trees memcli.recall.evidence
    """,
    "search": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.cli.verbs.recall memcli.recall memcli.recall.near
        memcli.store.search memcli.text.analysis memcli.text.dates memcli.recall.candidates memcli.recall.excerpt
        memcli.text.forms memcli.store.memories memcli.recall.choose memcli.validity memcli.validity.status
        memcli.recall.render memcli.store.states memcli.recall.pack memcli.recall.rank memcli.recall.get memcli.text.json
        memcli.recall.search memcli.cli.verbs.search memcli.cli.views
    """,
    "explain": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.cli.verbs.recall memcli.recall memcli.recall.near
        memcli.store.search memcli.text.analysis memcli.text.dates memcli.recall.candidates memcli.text.forms
        memcli.store.memories memcli.recall.choose memcli.validity memcli.validity.status memcli.recall.render
        memcli.store.states memcli.recall.pack memcli.recall.rank memcli.recall.get memcli.text.json memcli.recall.report
        memcli.cli.verbs.explain memcli.repo.worktree memcli.store.chunks memcli.store.trees memcli.recall.evidence
        memcli.cli.views
    """,
    "recent": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.shapes memcli.memory memcli.memory.fields
        memcli.text.dates memcli.text.forms memcli.store.chunks memcli.store.memories memcli.text.ids memcli.memory.lookup
        memcli.store.graph memcli.shapes.memories memcli.cli.verbs.reading memcli.text.json memcli.cli.views
    """,
    "show": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.shapes memcli.memory memcli.memory.fields
        memcli.text.dates memcli.text.forms memcli.store.chunks memcli.store.memories memcli.text.ids memcli.memory.lookup
        memcli.store.graph memcli.shapes.memories memcli.cli.verbs.reading memcli.validity memcli.validity.status
        memcli.text.json memcli.cli.views
    """,
    "threads": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.shapes memcli.memory memcli.memory.fields
        memcli.text.dates memcli.text.forms memcli.store.chunks memcli.store.memories memcli.text.ids memcli.memory.lookup
        memcli.store.graph memcli.shapes.memories memcli.cli.verbs.reading memcli.text.json memcli.cli.views
    """,
    "log": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.shapes memcli.memory memcli.memory.fields
        memcli.text.dates memcli.text.forms memcli.store.chunks memcli.store.memories memcli.text.ids memcli.memory.lookup
        memcli.store.graph memcli.shapes.memories memcli.cli.verbs.reading memcli.text.json memcli.shapes.state
        memcli.store.oplog memcli.store.states memcli.cli.verbs.state memcli.cli.views
    """,
    "add": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.memory memcli.text.privacy memcli.text.secrets
        memcli.memory.screen memcli.memory.fields memcli.store.graph memcli.text.json memcli.memory.reduce
        memcli.store.anchors memcli.text.dates memcli.text.forms memcli.store.memories memcli.text.ids memcli.store.oplog
        memcli.store.states memcli.store.vocabulary memcli.text.tokens memcli.text.analysis memcli.text.injection
        memcli.memory.commit memcli.memory.files memcli.store.chunks memcli.memory.lookup memcli.memory.entries
        memcli.operations.add memcli.cli.verbs.add
    """,
    "update": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.memory memcli.text.privacy memcli.text.secrets
        memcli.memory.screen memcli.memory.fields memcli.store.graph memcli.text.json memcli.memory.reduce
        memcli.store.anchors memcli.text.dates memcli.text.forms memcli.store.memories memcli.text.ids memcli.store.oplog
        memcli.store.states memcli.store.vocabulary memcli.text.tokens memcli.text.analysis memcli.text.injection
        memcli.memory.commit memcli.memory.files memcli.store.chunks memcli.memory.lookup memcli.memory.entries
        memcli.operations.add memcli.cli.verbs.add memcli.cli.verbs.memories
    """,
    "pin": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.memory memcli.text.privacy memcli.text.secrets
        memcli.memory.screen memcli.memory.fields memcli.store.graph memcli.text.json memcli.memory.reduce
        memcli.store.anchors memcli.text.dates memcli.text.forms memcli.store.memories memcli.text.ids memcli.store.oplog
        memcli.store.states memcli.store.vocabulary memcli.text.tokens memcli.text.analysis memcli.text.injection
        memcli.memory.commit memcli.memory.files memcli.store.chunks memcli.memory.lookup memcli.memory.entries
        memcli.operations.add memcli.cli.verbs.add memcli.cli.verbs.memories
    """,
    "checkpoint": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.shapes memcli.memory memcli.memory.fields
        memcli.text.dates memcli.text.forms memcli.store.chunks memcli.store.memories memcli.text.ids memcli.memory.lookup
        memcli.store.graph memcli.shapes.memories memcli.cli.verbs.reading memcli.text.json memcli.shapes.state
        memcli.store.oplog memcli.store.states memcli.cli.verbs.state memcli.cli.verbs.streams memcli.text.privacy
        memcli.text.secrets memcli.memory.screen memcli.memory.reduce memcli.store.anchors memcli.store.vocabulary
        memcli.text.tokens memcli.text.analysis memcli.text.injection memcli.memory.commit memcli.memory.files
        memcli.memory.entries memcli.memory.state
    """,
    "version": """
        memcli.cli memcli.cli.table memcli.errors memcli.config memcli.records memcli.fields memcli.repo memcli.repo.head
        memcli.store memcli.store.db memcli.store.cache memcli.project memcli.operations memcli.text memcli.text.terminal
        memcli.cli.output memcli.cli.invoke memcli.cli.verbs memcli.cli.verbs.version
    """,
    "hook-session-start": """
        memcli.cli memcli.cli.table memcli.errors memcli.text memcli.text.terminal memcli.cli.output memcli.text.json
        memcli.hook memcli.agents memcli.records memcli.agents.adapters memcli.agents.capture memcli.config
        memcli.text.privacy memcli.text.secrets memcli.agents.capture.normalize memcli.repo memcli.repo.head memcli.store
        memcli.store.db memcli.store.cache memcli.project memcli.store.jobs memcli.agents.capture.event_queue
        memcli.agents.turns memcli.store.turns memcli.text.dates memcli.text.ids memcli.agents.turns.turn
        memcli.agents.adapters.claude memcli.recall memcli.text.forms memcli.validity memcli.store.memories
        memcli.validity.status memcli.recall.render memcli.agents.turns.layout memcli.recall.near memcli.store.search
        memcli.text.analysis memcli.recall.candidates memcli.recall.rank memcli.recall.start memcli.recall.choose
        memcli.store.states memcli.recall.pack memcli.recall.get memcli.repo.worktree memcli.store.notes
        memcli.store.profile memcli.agents.turns.contents memcli.store.vocabulary memcli.text.tokens
        memcli.agents.capture.spawn
    """,
    "hook-user-prompt": """
        memcli.cli memcli.cli.table memcli.errors memcli.text memcli.text.terminal memcli.cli.output memcli.text.json
        memcli.hook memcli.agents memcli.records memcli.agents.adapters memcli.agents.capture memcli.config
        memcli.text.privacy memcli.text.secrets memcli.agents.capture.normalize memcli.repo memcli.repo.head memcli.store
        memcli.store.db memcli.store.cache memcli.project memcli.store.jobs memcli.agents.capture.event_queue
        memcli.agents.turns memcli.store.turns memcli.text.dates memcli.text.ids memcli.agents.turns.turn
        memcli.agents.adapters.claude memcli.recall memcli.text.forms memcli.validity memcli.store.memories
        memcli.validity.status memcli.recall.render memcli.agents.turns.layout memcli.recall.near memcli.store.search
        memcli.text.analysis memcli.recall.candidates memcli.recall.choose memcli.store.states memcli.recall.pack
        memcli.recall.rank memcli.recall.get memcli.recall.spelling memcli.repo.worktree memcli.store.chunks
        memcli.store.trees memcli.recall.evidence memcli.agents.capture.spawn
    """,
    "hook-post-tool-use": """
        memcli.cli memcli.cli.table memcli.errors memcli.text memcli.text.terminal memcli.cli.output memcli.text.json
        memcli.hook memcli.agents memcli.records memcli.agents.adapters memcli.agents.capture memcli.config
        memcli.text.privacy memcli.text.secrets memcli.agents.capture.normalize memcli.repo memcli.repo.head memcli.store
        memcli.store.db memcli.store.cache memcli.project memcli.store.jobs memcli.agents.capture.event_queue
        memcli.agents.adapters.claude memcli.agents.capture.spawn
    """,
}
