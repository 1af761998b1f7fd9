"""The strict parser's table: every command, its verb, its options. Made by scripts/docs from the Typer app.

command -> (module below memcli.cli, function, its request ("" that of the operation, None where the function
            words the operation's result), positionals as (field, required, takes many,
            default), options as flag -> (field, kind, default), which of the COMMON options it takes)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Option = tuple[str, str, Any]
    Positional = tuple[str, bool, bool, Any]
    Command = tuple[str, str, str | None, tuple[Positional, ...], dict[str, Option], tuple[str, ...]]

COMMON: dict[str, Option] = {'--repo': ('repo', 'text', None), '--workspace': ('workspace', 'text', None), '--user': ('user', 'flag', False), '--json': ('json', 'flag', False), '--no-color': ('no_color', 'flag', False)}
COMMANDS: dict[str, Command] = {
    'get': ('verbs.recall', 'get', 'GetOptions', (('query', True, True, ()),), {'--budget': ('budget', 'int', None), '--max-bytes': ('max_bytes', 'int', None), '--include-orphans': ('include_orphans', 'flag', False), '--semantic': ('semantic', 'flag', False), '--evidence': ('evidence', 'flag', False), '--no-evidence': ('no_evidence', 'flag', False), '--format': ('format', 'text', None), '--for': ('harness', 'text', None), '--debug': ('debug', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'explain': ('verbs.recall', 'explain', '', (('query', True, True, ()),), {'--budget': ('budget', 'int', None), '--max-bytes': ('max_bytes', 'int', None), '--include-orphans': ('include_orphans', 'flag', False), '--semantic': ('semantic', 'flag', False), '--evidence': ('evidence', 'flag', False), '--no-evidence': ('no_evidence', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'search': ('verbs.recall', 'search', 'SearchOptions', (('query', False, True, ()),), {'--since': ('since', 'text', None), '--until': ('until', 'text', None), '--kind': ('kind', 'text', None), '--thread': ('thread', 'text', None), '--origin': ('origin', 'text', None), '--limit': ('limit', 'int', 10), '--offset': ('offset', 'int', 0), '--session': ('session', 'text', None), '--semantic': ('semantic', 'flag', False), '--batch': ('batch', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'recent': ('views', 'recent', None, (), {'--since': ('since', 'text', None), '--until': ('until', 'text', None), '--kind': ('kind', 'text', None), '--thread': ('thread', 'text', None), '--origin': ('origin', 'text', None), '--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'threads': ('views', 'threads', None, (), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'thread': ('views', 'thread', None, (('id', True, False, None),), {'--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'show': ('verbs.show', 'show', '', (('id', True, True, ()),), {'--context': ('context', 'int', 0)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'why': ('verbs.why', 'why', 'WhyRequest', (('target', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'chunks': ('verbs.ingest', 'chunks', 'ChunksOptions', (('path', False, False, None),), {'--limit': ('limit', 'int', 50)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'sessions': ('captured', 'sessions', None, (), {'--limit': ('limit', 'int', 20), '--index': ('index', 'flag', False), '--needs-summary': ('needs_summary', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'session': ('captured', 'session', None, (('id', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'timeline': ('captured', 'timeline', None, (('id', True, False, None),), {'--before': ('before', 'int', 5), '--after': ('after', 'int', 5)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'stats': ('captured', 'stats', None, (), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'log': ('history', 'log', None, (('id', False, False, None),), {'--since': ('since', 'text', None), '--until': ('until', 'text', None), '--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'add': ('verbs.add', 'add', 'AddOptions', (('title', False, False, None),), {'--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', 'note'), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None), '--file': ('files', 'many', ()), '--force': ('force', 'flag', False), '--title': ('title_option', 'text', None), '--stdin-json': ('stdin_json', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'update': ('verbs.memories', 'update', '', (('id', True, False, None),), {'--title': ('title', 'text', None), '--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', None), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None), '--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'supersede': ('verbs.memories', 'supersede', '', (('id', True, False, None),), {'--title': ('title', 'text', None), '--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', None), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None), '--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'confirm': ('verbs.memories', 'confirm', None, (('id', True, True, ()),), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'forget': ('verbs.memories', 'forget', '', (('id', False, True, ()),), {'--if-revision': ('if_revision', 'int', None), '--since': ('since', 'text', None), '--until': ('until', 'text', None), '--kind': ('kind', 'text', None), '--thread': ('thread', 'text', None), '--origin': ('origin', 'text', None), '--erase': ('erase', 'flag', False), '--session': ('session', 'text', None), '--dry-run': ('dry_run', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'restore': ('verbs.memories', 'restore', '', (('id', True, True, ()),), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'undo': ('history', 'undo', None, (), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'link': ('verbs.memories', 'link', None, (('from_id', True, False, None), ('rel', True, False, None), ('to_id', True, False, None)), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'pin': ('verbs.memories', 'pin', '', (('id', True, True, ()),), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'unpin': ('verbs.memories', 'unpin', '', (('id', True, True, ()),), {'--if-revision': ('if_revision', 'int', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'share': ('verbs.sync', 'share', None, (('id', True, True, ()),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'unshare': ('verbs.sync', 'unshare', None, (('id', True, True, ()),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'checkpoint': ('verbs.checkpoint', 'checkpoint', 'CheckpointOptions', (), {'--if-revision': ('if_revision', 'int', None), '--reason': ('reason', 'text', ...), '--state-json': ('state_json', 'text', None), '--thread': ('thread', 'text', None), '--state-file': ('state_file', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'state': ('views', 'state', None, (('view', False, False, 'show'),), {'--limit': ('limit', 'int', 20), '--to': ('to', 'text', None), '--since': ('since', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'profile': ('verbs.keeping', 'profile', 'ProfileOptions', (('action', False, False, 'list'), ('key', False, False, None), ('value', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'rule': ('verbs.rule', 'rule', 'RuleOptions', (('action', False, False, 'list'), ('pattern', False, False, None)), {'--reason': ('reason', 'text', ''), '--block': ('block', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'note': ('verbs.keeping', 'note', 'NoteOptions', (('action', False, False, 'list'), ('text', False, False, None)), {'--days': ('days', 'int', 3)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'ingest': ('verbs.ingest', 'ingest', 'IngestCommand', (('paths', False, True, ()),), {'--thread': ('thread', 'text', None), '--watch': ('watch', 'flag', False), '--max-file-mb': ('max_file_mb', 'int', None), '--chunk-tokens': ('chunk_tokens', 'int', None), '--overlap-tokens': ('overlap_tokens', 'int', None), '--dry-run': ('dry_run', 'flag', False), '--remove': ('remove', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'init': ('verbs.repositories', 'init', 'InitOptions', (('directory', False, False, None),), {'--no-git': ('no_git', 'flag', False), '--no-agents': ('no_agents', 'flag', False), '--claude': ('claude', 'flag', False), '--gemini': ('gemini', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'doctor': ('verbs.doctor', 'doctor', 'DoctorOptions', (), {'--repair': ('repair', 'flag', False), '--verbose': ('verbose', 'flag', False), '--stale': ('stale', 'flag', False), '--unused': ('unused', 'flag', False), '--secrets': ('secrets', 'flag', False), '--security': ('security', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'config': ('verbs.settings', 'config', 'ConfigOptions', (('action', False, False, 'list'), ('key', False, False, None), ('value', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'repos': ('verbs.repositories', 'repos', 'ReposOptions', (), {}, ('--json', '--no-color')),
    'use': ('verbs.repositories', 'use', 'UseOptions', (('repository', False, False, None),), {'--join': ('join', 'flag', False)}, ('--json', '--no-color')),
    'export': ('verbs.exchange', 'export', 'ExportOptions', (('file', False, False, None),), {'--agent-trace': ('agent_trace', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'import': ('verbs.exchange', 'import_', 'ImportOptions', (('file', False, False, None),), {'--trust': ('trust', 'flag', False), '--from': ('source', 'text', None), '--since': ('since', 'text', None), '--dry-run': ('dry_run', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'sync': ('verbs.sync', 'sync', 'SyncOptions', (('action', False, False, 'both'), ('id', False, False, None)), {'--remote': ('remote', 'text', None), '--text': ('text', 'text', None), '--shallow': ('shallow', 'flag', False), '--dry-run': ('dry_run', 'flag', False), '--timeout': ('timeout', 'int', None), '--quiet': ('quiet', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'embed': ('verbs.embed', 'embed', 'EmbedOptions', (('action', False, False, None),), {'--kind': ('kind', 'text', 'all')}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'worker': ('verbs.worker', 'worker', 'WorkerOptions', (('action', False, False, 'status'),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'queue': ('verbs.worker', 'queue', 'QueueOptions', (('action', False, False, 'status'), ('job', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'template': ('verbs.repositories', 'template', 'TemplateOptions', (('name', False, False, 'agents'),), {'--write': ('write', 'flag', False)}, ('--repo', '--json', '--no-color')),
    'eval': ('verbs.evaluate', 'evaluate', 'EvalOptions', (('set', True, False, None),), {'--limit': ('limit', 'int', 10), '--queries': ('queries', 'text', None), '--packs': ('packs', 'flag', False), '--budget': ('budget', 'many', ()), '--semantic': ('semantic', 'flag', False)}, ('--json', '--no-color')),
    'version': ('verbs.version', 'version', 'VersionOptions', (), {}, ('--json', '--no-color')),
    'setup': ('verbs.setup', 'setup', 'SetupOptions', (('harness', True, False, None),), {'--project': ('project', 'flag', False), '--print': ('print_', 'flag', False), '--remove': ('remove', 'flag', False), '--mcp': ('mcp', 'flag', False), '--write': ('write', 'text', None)}, ('--repo', '--user', '--json', '--no-color')),
    'mcp': ('verbs.mcp', 'mcp', 'McpOptions', (), {'--allow-write': ('allow_write', 'flag', False), '--write-mode': ('write_mode', 'text', None), '--http': ('http', 'flag', False), '--port': ('port', 'int', None), '--debug': ('debug', 'flag', False)}, ('--repo', '--workspace', '--json', '--no-color')),
    'serve': ('verbs.serve', 'serve', 'ServeOptions', (('action', False, False, 'run'),), {'--host': ('host', 'text', None), '--port': ('port', 'int', None), '--socket': ('socket', 'text', None), '--open': ('open', 'flag', False)}, ('--repo', '--workspace', '--json', '--no-color')),
    'turn': ('verbs.turn', 'turn', 'TurnOptions', (('action', True, False, None),), {'--session': ('session', 'text', None), '--engine': ('engine', 'text', None), '--query': ('query', 'text', None), '--format': ('format', 'text', None), '--full': ('full', 'flag', False), '--prepare-id': ('prepare_id', 'text', None), '--status': ('status', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
}
