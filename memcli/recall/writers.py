"""The names of other writers in a pack, as their owners chose them: quoted, because they are text from outside."""

from __future__ import annotations

from memcli.recall.render import memory_line
from memcli.records import replace
from memcli.text.terminal import oneline
from memcli.validity import writer_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.recall.render import Form, PackedMemory
    from memcli.store.context import State

NAMED = "other_named"  # the mark that has a name


def named(project: Project, form: Form, item: PackedMemory) -> PackedMemory:
    """Returns a memory of another writer as a pack holds it, with the writer's name if that is known."""
    name = oneline(writer_name(project, item.memory.origin))
    if not name:
        return item
    marks = {NAMED if mark == "other" else mark: (name,) if mark == "other" else fields for mark, fields in item.marks.items()}
    return replace(item, marks=marks, line=memory_line(form, item.memory, marks, item.also))


def of_state(project: Project, state: State) -> State:
    """Returns a state with the name of the other store that wrote it, if that is known."""
    return replace(state, author=oneline(writer_name(project, state.actor)))
