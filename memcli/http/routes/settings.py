"""Settings over HTTP: /v2/config, and C-Mem's names for some of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from memcli import config, serving
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.fields import to_json
from memcli.http.calls import OneCall, answer
from memcli.http.lists import OneWindow, page_type
from memcli.http.models import listed, shape, typed
from memcli.http.routing import Router
from memcli.operations import machine
from memcli.settings import SETTINGS
from memcli.sync import cmem_settings
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["around"])
cmem_router = Router(prefix="/api", tags=["cmem"])
Name = Annotated[str, Field(max_length=200)]
# What runs a command, names a server that gets data, reads any file, or lets agents write is set on the command line.
_CLI_ONLY = ("mcp.write", "serve.without_token", "turn.instructions")
_CLI_ONLY_SUFFIXES = (".command", ".provider", ".url")
WrittenSetting = shape("WrittenSetting", "key path", value=(bool | int | float | str | None, None))


class SettingValue(BaseModel):
    """A value of a setting."""

    model_config = ConfigDict(extra="forbid", strict=True)
    value: bool | int | float | str


@router.get("/config", response_model=page_type(typed(machine.Setting)))
def settings(call: OneCall, window: OneWindow) -> Response:
    """The settings in force and where each value comes from: `mem config`."""
    values = _in_force(call)
    return window.cut(to_json([machine.setting(values, key) for key in SETTINGS]))


@router.get("/config/{key}", response_model=typed(machine.Setting))
def setting(call: OneCall, key: Name) -> Response:
    """One setting: `mem config get`."""
    return answer(machine.setting(_in_force(call), _checked_key(key)).to_json())


@router.put("/config/{key}", response_model=WrittenSetting)
def set_setting(call: OneCall, key: Name, body: SettingValue) -> Response:
    """Sets a value for this person: `mem config set`."""
    text = str(body.value).lower() if isinstance(body.value, bool) else str(body.value)
    value = config.from_text(_writable_key(key), text, key)
    _check_value(key, value)
    return answer({"key": key, "value": value, "path": config.write_user({key: value})})


@router.delete("/config/{key}", response_model=WrittenSetting)
def unset_setting(call: OneCall, key: Name) -> Response:
    """Removes this person's value: `mem config unset`."""
    return answer({"key": key, "path": config.unset_user(_writable_key(key))})


def _checked_key(key: str) -> str:
    if key not in SETTINGS:
        raise NotFound(f"no setting {oneline(key)[:80]}", "see /v2/config")
    return key


def _writable_key(key: str) -> str:
    """Returns the key of a setting. Raises MemError for one that only the command line may set, NotFound for an unknown one."""
    if _checked_key(key) in _CLI_ONLY or key.endswith(_CLI_ONLY_SUFFIXES):
        raise MemError(f"{key} is set on the command line only", f"mem config set {key} VALUE", "cli_only")
    return key


def _check_value(key: str, value: object) -> None:
    """Raises InvalidInput for an address at which no service could start."""
    if key == "serve.host" and value not in serving.HOSTS:
        raise InvalidInput("mem serves this machine only", f"use {', '.join(serving.HOSTS)}")
    if key == "serve.port" and isinstance(value, int):
        serving.checked_port(value)


def _in_force(call: OneCall) -> config.Config:
    """Returns the settings of the named memory, or the person's own if none is named."""
    try:
        return call.read(lambda project: project.config)  # type: ignore[no-any-return]
    except NotFound:
        return config.of_person()


class Settings(BaseModel):
    """Settings under the names of C-Mem's worker, as in its file. What is left out stays."""

    model_config = ConfigDict(extra="allow")
    dataDir: Any = Field(None, description="As it is: only MEMPACK_DATA_DIR can change it.")
    workerPort: Any = None
    workerHost: Any = None
    model: Any = None
    contextObservations: Any = None
    contextSessions: Any = None
    skipTools: Any = Field(None, description="A list of names.")
    logLevel: Any = Field(None, description="DEBUG, INFO, WARN or ERROR.")
    stuckThresholdMs: Any = Field(None, description="Whole minutes.")
    maxRetries: Any = None


_NUMBERS = ("workerPort", "contextObservations", "contextSessions", "stuckThresholdMs", "maxRetries")
AllSettings = shape(
    "AllSettings",
    "workerHost dataDir model",
    skipTools=list[str],
    logLevel=Literal["DEBUG", "INFO", "WARN", "ERROR"],
    **dict.fromkeys(_NUMBERS, int),
    ignored=(listed(shape("IgnoredSetting", "name reason")) | None, None),
)
_MOST_NAMED = 50


@cmem_router.get("/settings", response_model=AllSettings)
def get_settings() -> Response:
    """This person's settings under the names of C-Mem's worker."""
    return answer(_cmem_settings())


def _cmem_settings() -> dict[str, Any]:
    own = config.of_person()
    values: dict[str, Any] = {name: own[key] for name, key in cmem_settings.NAMES.items()}
    values["skipTools"] = [name for name in values["skipTools"].replace(",", " ").split() if name != cmem_settings.NO_TOOLS]
    values["logLevel"] = str(values["logLevel"]).upper()
    values["stuckThresholdMs"] *= cmem_settings.MINUTE_MS
    return {**values, "dataDir": config.data_dir()}


@cmem_router.post("/settings", response_model=AllSettings)
def post_settings(body: Settings) -> Response:
    """Changes this person's settings and lists those it ignored. A port or host takes effect at the next start."""
    values, refused, current = {}, {}, _cmem_settings()
    for name, value in body.model_dump(exclude_none=True).items():
        if name in current and value == current[name]:
            continue  # what came from a default or the environment is not written down for good
        try:
            key, ours = cmem_settings.checked(name, value)
            _check_value(key, ours)
            values[key] = ours
        except InvalidInput as error:
            refused[name] = error
    if not values and (errors := [error for name, error in refused.items() if name in Settings.model_fields]):
        raise errors[0]
    config.write_user(values)
    ignored = [{"name": oneline(name)[:80], "reason": str(error)[:200]} for name, error in refused.items()][:_MOST_NAMED]
    return answer({**_cmem_settings(), **({"ignored": ignored} if ignored else {})})
