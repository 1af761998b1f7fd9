"""config: settings, and where each value comes from."""

from __future__ import annotations

from difflib import get_close_matches

from memcli import config as settings
from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request, to_json
from memcli.operations import machine
from memcli.project import open_for_reading
from memcli.settings import SETTINGS

_OF_SHARING = "sync."
_MOST = (23, 14, 12)  # columns of a key, a value and a source; the meaning of a wider one stands below it


class ConfigOptions(Request):
    """The options of `mem config`."""

    action: str = fields.text("The action.", default="list", choices=("list", "get", "set", "unset"))
    key: str | None = fields.text("A setting, such as budget.total.", default=None, metavar="KEY")
    value: str | None = fields.text("Its new value in your own settings.", default=None, metavar="VALUE")


def config(request: ConfigOptions, common: Common) -> None:
    """Prints settings with where each value comes from, or sets one for this person."""
    if request.action != "list" and request.key not in SETTINGS:
        raise NotFound(f"no setting {request.key or ''}".rstrip(), _near(request.key or ""))
    if request.action in ("set", "unset"):
        _refuse_one_memory(request, common)
    if request.action == "set":
        return _set(request, common)
    if request.action == "unset" and request.key is not None:
        path = settings.unset_user(request.key)
        return output.data({"key": request.key, "path": path}) if common.json else output.show(f"{request.key} is as by default")
    if request.value is not None or (request.action == "list" and request.key is not None):
        raise InvalidInput("too many arguments", "use mem config list, or mem config get KEY")
    current = _in_force(common)
    keys = [request.key] if request.action == "get" and request.key else list(SETTINGS)
    listed = [machine.setting(current, key) for key in keys]
    if common.json:
        return output.data(to_json(listed[0] if request.action == "get" else listed))
    if request.action == "get":
        return output.show(str(listed[0].value))
    if output.is_wide():  # as programs read it
        lines = [f"{setting.key:<22} {setting.value!s:<10} {setting.source:<12} {setting.about}" for setting in listed]
        return output.show("\n".join(lines))
    cells = [(setting.key, str(setting.value), setting.source, setting.about) for setting in listed]
    output.show("\n".join(output.table(cells, ("bold", "", "dim"), most=_MOST)))


def _near(key: str) -> str:
    """Returns the hint for a name that no setting has: those of its group, or of nearly its name."""
    names = [name for name in SETTINGS if name.startswith(f"{key}.")] or get_close_matches(key, SETTINGS, n=3)
    return f"did you mean: {', '.join(names)}" if names else "see mem config list"


def _in_force(common: Common) -> settings.Config:
    """Returns the settings of the repository around the working directory, or the person's own outside any."""
    try:
        project = open_for_reading(common.where)
    except NotFound:
        return settings.load(None, lambda key: None, lambda key, value: None)
    project.close()
    return project.config


def _refuse_one_memory(request: ConfigOptions, common: Common) -> None:
    """Raises InvalidInput if a setting, which belongs to the person, is to apply to a single memory."""
    if common.repo is not None or common.workspace is not None or common.user:
        option = "--repo" if common.repo is not None else "--workspace" if common.workspace is not None else "--user"
        raise InvalidInput(
            f"your settings count in every repository: {request.key} cannot be {request.action} for one",
            f"leave {option} out, and it counts everywhere",
        )


def _set(request: ConfigOptions, common: Common) -> None:
    if request.key is None or request.value is None:
        raise InvalidInput("a value is missing", "use mem config set KEY VALUE")
    value = settings.from_text(request.key, request.value, request.key)
    path = settings.write_user({request.key: value})
    if common.json:
        return output.data({"key": request.key, "value": value, "path": path})
    output.show(f"{request.key} = {value}")
    if request.key.startswith(_OF_SHARING):
        output.tell("It counts in every repository whose memory you share.")
