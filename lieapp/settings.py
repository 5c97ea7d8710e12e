"""Read a configuration: defaults, a TOML file, `--set key=value` and options, in that order of precedence."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lieapp.errors import ConfigError

Config = TypeVar("Config", bound=msgspec.Struct)


def load_config(cls: type[Config], file: Path | None = None, sets: Sequence[str] = (), **options: Any) -> Config:
    """A configuration merged from its defaults, its preset, a TOML file, `--set key=value` and options.

    Options that are None were not given. Raises ConfigError for a file that can't be read, an unknown key
    (with the nearest known one) and a value of the wrong type, each with its path and where it was written.
    """
    values, origins = _merge(file, sets, options)
    _check_keys(cls, values, "", origins)
    return _convert(cls, {**_preset(cls, values), **values}, origins)


def from_values(cls: type[Config], values: Mapping[str, Any]) -> Config:
    """A configuration from all its settings, as a form has them. Raises ConfigError as above."""
    _check_keys(cls, values, "", {})
    return _convert(cls, dict(values), {})


def given(
    cls: type[msgspec.Struct], file: Path | None = None, sets: Sequence[str] = (), **options: Any
) -> dict[str, Any]:
    """Only the settings that were given, as dotted keys with the values config.json will have.

    Raises ConfigError as above.
    """
    values, origins = _merge(file, sets, options)
    _check_keys(cls, values, "", origins)
    # the converter needs the required keys; their values don't matter here
    needed = {field.encode_name: "" for field in msgspec.structs.fields(cls) if field.required}
    whole = dict(leaves(msgspec.to_builtins(_convert(cls, {**needed, **values}, origins))))
    return {key: whole[key] for key, _ in leaves(values) if key in whole}


def typed(key: str, file: Path | None = None, sets: Sequence[str] = (), **options: Any) -> Any:
    """The value given for one key, unchecked; None if there is none. Raises ConfigError for what can't be read."""
    return _merge(file, sets, options)[0].get(key)


def _preset(cls: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that the chosen preset gives; none for a name that isn't one, which the converter refuses."""
    presets: Mapping[str, dict[str, Any]] = getattr(cls, "presets", {})
    chosen = values.get("preset")
    return presets.get(chosen, {}) if isinstance(chosen, str) else {}


def _merge(
    file: Path | None, sets: Sequence[str], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values that were given, the later source winning, and where each was written."""
    values = read_toml(file) if file is not None else {}
    origins = {path: str(file) for path, _ in leaves(values)}
    for text in sets:
        path, value = parse_set(text)
        _put(values, path, value)
        origins[path] = f"--set {text}"
    for key, value in options.items():
        if value is not None:
            values[key] = value
            origins[key] = f"--{key.replace('_', '-')}"
    return values, origins


def read_toml(file: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises ConfigError with the line of a mistake."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{file}: {error.strerror or error}.", hint="Give --config an existing TOML file."
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not a text file.", hint="Give --config a TOML file in UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}.", hint='A line reads `samples = 24` or `method = "neural"`.') from None


def parse_set(text: str) -> tuple[str, Any]:
    """`key=value` as a dotted path and a value: TOML if it is TOML, the plain text otherwise.

    Raises ConfigError if there is no `=` or no key.
    """
    path, sign, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not sign or not path or not all(path.split(".")):
        raise ConfigError(f"--set {text}: not of the form key=value.", hint="For example --set samples=24.")
    try:
        parsed = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        return path, value
    # a line break in the value would have made further keys
    return path, parsed["value"] if list(parsed) == ["value"] else value


def _put(values: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        inner = values.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise ConfigError(
                f"--set {path}: {parent} is the value {inner!r}, not a table with keys.",
                hint=f"Give {parent} either a value or keys, not both.",
            )
        values = inner
    values[last] = value


def leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a nested configuration, each with its dotted key."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _check_keys(cls: type[Any], values: Mapping[str, Any], prefix: str, origins: Mapping[str, str]) -> None:
    """Refuse unknown keys and infinite numbers, with better words than the converter has."""
    known = {field.encode_name: field.type for field in msgspec.structs.fields(cls)}
    for key, value in values.items():
        where = _origin(prefix + key, origins)
        if key not in known:
            near = get_close_matches(key, known, n=1)
            other = "" if prefix else _elsewhere(key)
            hint = f"Did you mean {prefix}{near[0]}?" if near else other or f"Known keys: {', '.join(known)}."
            raise ConfigError(f"{prefix}{key}: there is no such key in {cls.__name__}{where}.", hint=hint)
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(
                f"{prefix}{key} is {value}{where}; a finite number is expected.",
                hint=f"Give {prefix}{key} a number such as 0.001, or leave it out for its default.",
            )
        inner = known[key]
        if isinstance(value, Mapping) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            _check_keys(inner, value, f"{prefix}{key}.", origins)


def _elsewhere(key: str) -> str:
    """Whose setting a key is, if it is another command's or another kind of declaration's."""
    from lieapp.config import DataConfig, DiscoverConfig, DiscoverImagesConfig, TrainConfig
    from lieapp.config_augment import AugmentConfig, AugmentImagesConfig
    from lieapp.config_colors import DiscoverColorsConfig

    owners: dict[str, type[msgspec.Struct]] = {
        "`lieapp data`": DataConfig,
        "`lieapp discover` of equations": DiscoverConfig,
        "`lieapp discover` of pictures": DiscoverImagesConfig,
        "`lieapp discover` of colours": DiscoverColorsConfig,
        "`lieapp train`": TrainConfig,
        "`lieapp augment` of equations": AugmentConfig,
        "`lieapp augment` of pictures": AugmentImagesConfig,
    }
    found = [name for name, cls in owners.items() if key in cls.__struct_fields__]
    return f"It is a setting of {', '.join(found)}; docs/command-line.md lists those of each." if found else ""


def _convert(cls: type[Config], values: dict[str, Any], origins: Mapping[str, str]) -> Config:
    try:
        return msgspec.convert(values, cls)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$")
        path = place.rstrip("`").lstrip(".")
        missing = re.fullmatch(r"Object missing required field `(\w+)`", text)
        if missing:
            key = f"{path}.{missing[1]}".lstrip(".")
            hint = "Give --plugin NAME." if key == "plugin" else f"Add {key} = … to the file, or --set {key}=…"
            raise ConfigError(f"{key} is missing.", hint=hint) from None
        value = _at(values, path)
        # without a path it is a rule between settings, which names them itself
        place = f"{path} is {value!r}{_origin(path, origins)}: " if path else ""
        raise ConfigError(
            f"{place}{_rule(cls, path, text)}.",
            hint="Keys and their types stand in docs/command-line.md.",
        ) from None


def _at(values: Any, path: str) -> Any:
    """What stands at a path such as `degrees[0]`; the whole list where no item is named."""
    for name, place in re.findall(r"(\w+)|\[(\d+)\]", path):
        if name and isinstance(values, Mapping):
            values = values.get(name)
        elif place and isinstance(values, Sequence):
            values = values[int(place)]
    return values


def _rule(cls: type[Any], path: str, text: str) -> str:
    """What was expected, in words."""
    if "matching regex" in text:
        return "expected auto, cpu or cuda:0"
    if text.startswith("Invalid enum value"):
        info = msgspec.inspect.type_info(cls)
        for key in re.sub(r"\[.*", "", path).split("."):
            found = [field.type for field in getattr(info, "fields", ()) if field.encode_name == key]
            info = found[0] if found else info
        # of a list, what its items may be
        info = getattr(info, "item_type", info)
        return "expected one of " + ", ".join(map(str, getattr(info, "values", ())))
    return text[0].lower() + text[1:].replace("`", "")


def _origin(path: str, origins: Mapping[str, str]) -> str:
    path = re.sub(r"\[.*", "", path)
    source = origins.get(path) or next((o for p, o in origins.items() if p.startswith(f"{path}.")), "")
    return f" (from {source})" if source else ""
