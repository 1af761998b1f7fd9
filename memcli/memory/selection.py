"""What the settings select for sharing, as far as it is not shared yet."""

from __future__ import annotations

from memcli.config import Config
from memcli.project import Project
from memcli.store import unshared
from memcli.validity import origin_of

_EVERYTHING = "*"


def selected(project: Project) -> list[str]:
    """Returns the ids of the memories and states that the settings select and that are not shared yet."""
    kinds, threads, origins = [_names(project.config, f"sync.{name}") for name in ("kinds", "threads", "origins")]
    candidates = unshared.candidates(project.db, *[None if _EVERYTHING in names else names for names in (kinds, threads)])
    chosen = [name for name, actor in candidates if _EVERYTHING in origins or origin_of(actor).writer in origins]
    return chosen + (unshared.states(project.db) if project.config["sync.states"] else [])


def _names(config: Config, key: str) -> set[str]:
    return {name.strip() for name in config[key].split(",") if name.strip()}
