"""The strict parser's table: every command, its verb, its options. Made by scripts/docs from the Typer app.

command -> (module below memcli.cli.verbs, function, record, positionals as (field, required, takes many,
            default), options as flag -> (field, kind, default), which of the COMMON options it takes)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Option = tuple[str, str, Any]
    Positional = tuple[str, bool, bool, Any]
    Command = tuple[str, str, str, tuple[Positional, ...], dict[str, Option], tuple[str, ...]]

COMMON: dict[str, Option] = {'--repo': ('repo', 'text', None), '--workspace': ('workspace', 'text', None), '--user': ('user', 'flag', False), '--json': ('json', 'flag', False), '--no-color': ('no_color', 'flag', False)}
COMMANDS: dict[str, Command] = {
    'get': ('recall', 'get', 'GetOptions', (('query', True, False, None),), {'--budget': ('budget', 'int', None), '--max-bytes': ('max_bytes', 'int', None), '--include-orphans': ('include_orphans', 'flag', False), '--semantic': ('semantic', 'flag', False), '--format': ('format', 'text', None), '--for': ('harness', 'text', None), '--debug': ('debug', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'explain': ('recall', 'explain', '', (('query', True, False, None),), {'--budget': ('budget', 'int', None), '--max-bytes': ('max_bytes', 'int', None), '--include-orphans': ('include_orphans', 'flag', False), '--semantic': ('semantic', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'search': ('recall', 'search', 'SearchOptions', (('query', False, False, None),), {'--limit': ('limit', 'int', 10), '--offset': ('offset', 'int', 0), '--kind': ('kind', 'text', None), '--thread': ('thread', 'text', None), '--since': ('since', 'text', None), '--until': ('until', 'text', None), '--session': ('session', 'text', None), '--semantic': ('semantic', 'flag', False), '--batch': ('batch', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'recent': ('reading', 'recent', '', (), {'--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'threads': ('reading', 'threads', '', (), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'thread': ('reading', 'thread', '', (('id', True, False, None),), {'--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'show': ('reading', 'show', '', (('id', True, True, ()),), {'--context': ('context', 'int', 0)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'chunks': ('ingest', 'chunks', 'ChunksOptions', (('path', False, False, None),), {'--limit': ('limit', 'int', 50)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'sessions': ('sessions', 'sessions', 'SessionsRequest', (), {'--limit': ('limit', 'int', 20), '--index': ('index', 'flag', False), '--needs-summary': ('needs_summary', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'session': ('sessions', 'session', 'SessionRequest', (('id', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'timeline': ('sessions', 'timeline', 'TimelineRequest', (('id', True, False, None),), {'--before': ('before', 'int', 5), '--after': ('after', 'int', 5)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'log': ('state', 'log', '', (('id', False, False, None),), {'--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'add': ('add', 'add', 'AddOptions', (('title', False, False, None),), {'--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', 'note'), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None), '--file': ('files', 'many', ()), '--force': ('force', 'flag', False), '--title': ('title_option', 'text', None), '--stdin-json': ('stdin_json', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'update': ('memories', 'update', '', (('id', True, False, None),), {'--title': ('title', 'text', None), '--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', None), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'supersede': ('memories', 'supersede', '', (('id', True, False, None),), {'--title': ('title', 'text', None), '--summary': ('summary', 'text', None), '--thread': ('thread', 'text', None), '--kind': ('kind', 'text', None), '--tags': ('tags', 'text', None), '--entities': ('entities', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'confirm': ('memories', 'confirm', '', (('id', True, True, ()),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'forget': ('memories', 'forget', '', (('id', True, False, None),), {'--erase': ('erase', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'restore': ('memories', 'restore', '', (('id', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'undo': ('memories', 'undo', '', (), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'link': ('memories', 'link', '', (('from_id', True, False, None), ('rel', True, False, None), ('to_id', True, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'pin': ('memories', 'pin', '', (('id', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'unpin': ('memories', 'unpin', '', (('id', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'checkpoint': ('checkpoint', 'checkpoint', 'CheckpointOptions', (), {'--reason': ('reason', 'text', ...), '--state-json': ('state_json', 'text', None), '--thread': ('thread', 'text', None), '--state-file': ('state_file', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'state': ('state', 'state', '', (('view', False, False, 'show'),), {'--limit': ('limit', 'int', 20)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'profile': ('keeping', 'profile', 'ProfileOptions', (('action', False, False, 'list'), ('key', False, False, None), ('value', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'note': ('keeping', 'note', 'NoteOptions', (('action', False, False, 'list'), ('text', False, False, None)), {'--days': ('days', 'int', 3)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'ingest': ('ingest', 'ingest', 'IngestCommand', (('paths', False, True, ()),), {'--thread': ('thread', 'text', None), '--watch': ('watch', 'flag', False), '--max-file-mb': ('max_file_mb', 'int', None), '--chunk-tokens': ('chunk_tokens', 'int', None), '--overlap-tokens': ('overlap_tokens', 'int', None), '--dry-run': ('dry_run', 'flag', False), '--remove': ('remove', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'init': ('repositories', 'init', 'InitOptions', (('directory', False, False, None),), {'--no-git': ('no_git', 'flag', False), '--no-agents': ('no_agents', 'flag', False), '--claude': ('claude', 'flag', False), '--gemini': ('gemini', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'doctor': ('doctor', 'doctor', 'DoctorOptions', (), {'--repair': ('repair', 'flag', False), '--verbose': ('verbose', 'flag', False), '--stale': ('stale', 'flag', False), '--secrets': ('secrets', 'flag', False)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'config': ('settings', 'config', 'ConfigOptions', (('action', False, False, 'list'), ('key', False, False, None), ('value', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'repos': ('repositories', 'repos', 'ReposOptions', (), {}, ('--json', '--no-color')),
    'use': ('repositories', 'use', 'UseOptions', (('repository', True, False, None),), {}, ('--json', '--no-color')),
    'export': ('exchange', 'export', 'ExportOptions', (('file', False, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'import': ('exchange', 'import_', 'ImportOptions', (('file', True, False, None),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'embed': ('embed', 'embed', 'EmbedOptions', (('action', False, False, None),), {'--kind': ('kind', 'text', 'all')}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'worker': ('worker', 'worker', 'WorkerOptions', (('action', False, False, 'status'),), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'queue': ('worker', 'queue', 'QueueOptions', (('action', False, False, 'status'), ('job', False, False, None)), {}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
    'template': ('repositories', 'template', 'TemplateOptions', (('name', False, False, 'agents'),), {'--write': ('write', 'flag', False)}, ('--repo', '--json', '--no-color')),
    'eval': ('evaluate', 'evaluate', 'EvalOptions', (('set', True, False, None),), {'--limit': ('limit', 'int', 10), '--queries': ('queries', 'text', None), '--packs': ('packs', 'flag', False), '--budget': ('budget', 'many', ()), '--semantic': ('semantic', 'flag', False)}, ('--json', '--no-color')),
    'version': ('version', 'version', 'VersionOptions', (), {}, ('--json', '--no-color')),
    'setup': ('setup', 'setup', 'SetupOptions', (('harness', True, False, None),), {'--project': ('project', 'flag', False), '--print': ('print_', 'flag', False), '--remove': ('remove', 'flag', False), '--mcp': ('mcp', 'flag', False), '--write': ('write', 'text', None)}, ('--repo', '--user', '--json', '--no-color')),
    'mcp': ('mcp', 'mcp', 'McpOptions', (), {'--allow-write': ('allow_write', 'flag', False), '--write-mode': ('write_mode', 'text', None), '--http': ('http', 'flag', False), '--port': ('port', 'int', None), '--debug': ('debug', 'flag', False)}, ('--repo', '--workspace', '--json', '--no-color')),
    'serve': ('serve', 'serve', 'ServeOptions', (('action', False, False, 'run'),), {'--host': ('host', 'text', None), '--port': ('port', 'int', None), '--socket': ('socket', 'text', None), '--open': ('open', 'flag', False)}, ('--repo', '--workspace', '--json', '--no-color')),
    'turn': ('turn', 'turn', 'TurnOptions', (('action', True, False, None),), {'--session': ('session', 'text', None), '--engine': ('engine', 'text', None), '--query': ('query', 'text', None), '--format': ('format', 'text', None), '--full': ('full', 'flag', False), '--prepare-id': ('prepare_id', 'text', None), '--status': ('status', 'text', None)}, ('--repo', '--workspace', '--user', '--json', '--no-color')),
}
