"""Read a configuration: defaults, a TOML file, `--set key=value` and options, in that order of precedence."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from lieapp.config_types import FILE_OPTIONS
from lieapp.errors import ConfigError, refused

Config = TypeVar("Config", bound=msgspec.Struct)

FILES = "data"
"""The section of data in files; its settings have options under their own names."""

Owners = Callable[[], Mapping[str, type[msgspec.Struct]]]
"""Settings of other commands and kinds, by what they are of; asked for where a key is told to be one of theirs."""


def load_config(
    cls: type[Config],
    file: Path | None = None,
    sets: Sequence[str] = (),
    owners: Owners | None = None,
    origin: str = "",
    **options: Any,
) -> Config:
    """A configuration merged from its defaults, its preset, a TOML file, `--set key=value` and options.

    Options that are None were not given; `origin` says where they come from, unless the command line. A key may be
    written without the section it stands in, see `_placed`.
    Raises ConfigError for a file that can't be read, an unknown key (with the nearest known one) and a value of the
    wrong type, each with its path and where it was written.
    """
    values, origins = _given(cls, file, sets, options, owners, {}, origin)
    return _convert(cls, _joined(_preset(cls, values), values), origins)


def from_values(cls: type[Config], values: Mapping[str, Any]) -> Config:
    """A configuration from all its settings, as a form has them. Raises ConfigError as above."""
    _check_keys(cls, values, "", {})
    return _convert(cls, dict(values), {})


def given(
    cls: type[msgspec.Struct], file: Path | None = None, sets: Sequence[str] = (), owners: Owners | None = None,
    beside: Mapping[str, Any] | None = None, **options: Any,
) -> dict[str, Any]:  # fmt: skip
    """Only the settings that were given, as dotted keys with the values config.json will have.

    `beside` are settings that are known already, of the run that is gone on with. Raises ConfigError as above.
    """
    values, origins = _given(cls, file, sets, options, owners, beside or {})
    # the converter needs the required keys; their values don't matter here
    needed = {field.encode_name: "" for field in msgspec.structs.fields(cls) if field.required}
    known = {key: value for key, value in (beside or {}).items() if key in ("method", "stages", "preset")}
    whole = written(_convert(cls, {**needed, **known, **values}, origins))
    return {key: whole[key] for key, _ in leaves(values) if key in whole}


def written(config: msgspec.Struct) -> dict[str, Any]:
    """All settings as config.json has them, by their dotted keys."""
    return dict(leaves(msgspec.json.decode(msgspec.json.encode(config))))


def typed(key: str, file: Path | None = None, sets: Sequence[str] = (), **options: Any) -> Any:
    """The value given for one key, unchecked; None if there is none. Raises ConfigError for what can't be read."""
    found = [values[key] for values, _ in _sources(file, sets, options) if key in values]
    return found[-1] if found else None


def sections(cls: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct]]:
    """The settings that are nested, by their key."""
    found = {field.encode_name: struct_of(field.type) for field in msgspec.structs.fields(cls)}
    return {key: inner for key, inner in found.items() if inner is not None}


def struct_of(kind: Any) -> type[msgspec.Struct] | None:
    """The struct that a field's type is, annotated or not; None for any other type."""
    inner = getattr(kind, "__origin__", kind)
    return inner if isinstance(inner, type) and issubclass(inner, msgspec.Struct) else None


def _given(
    cls: type[msgspec.Struct], file: Path | None, sets: Sequence[str], options: Mapping[str, Any],
    owners: Owners | None, beside: Mapping[str, Any], origin: str = "",
) -> tuple[dict[str, Any], dict[str, str]]:  # fmt: skip
    """What was given, each key in its place and known, and where it was written."""
    sources = list(_sources(file, sets, options, origin))
    known = dict(beside)
    for values, _ in sources:
        known |= values
    found: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for values, origin in sources:
        for path, value in leaves(_placed(cls, values, origin, known)):
            _put(found, path, value)
            origins[path] = origin
    _check_keys(cls, found, "", origins, owners)
    return found, origins


def _placed(
    cls: type[msgspec.Struct], values: Mapping[str, Any], origin: str, known: Mapping[str, Any]
) -> dict[str, Any]:
    """Keys that were written without their section, put into it: `steps` is `projection.steps`.

    `flow_rate` is `flow.rate`. Of several settings with one name that of the first stage that has it is meant, by
    what `cls.preferred` says of the settings that are `known`. Raises ConfigError where none of the stages has it.
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        places = [] if key in cls.__struct_fields__ else _places(cls, key)
        if not places or isinstance(value, Mapping):
            found = _joined(found, {key: value})
            continue
        order = [*getattr(cls, "preferred", lambda values: ())({**_preset(cls, known), **known})]
        meant = sorted((place for place in places if place[0] in order), key=lambda place: order.index(place[0]))
        if not meant and len(places) > 1:
            paths = ", ".join(f"{name}.{leaf}" for name, leaf in places)
            raise ConfigError(
                f"{key}: {len(places)} settings have this name (from {origin}): {paths}.",
                hint="Write the full key, with the part before the dot.",
            )
        name, leaf = (meant or places)[0]
        found = _joined(found, {name: {leaf: value}})
    return found


def _places(cls: type[msgspec.Struct], key: str) -> list[tuple[str, str]]:
    """The sections and names in them that a key without section may mean."""
    pairs = [(name, leaf) for name, inner in sections(cls).items() for leaf in inner.__struct_fields__]
    return [(name, leaf) for name, leaf in pairs if key in (leaf, f"{name}_{leaf}")]


def _joined(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings with others laid over them."""
    found = dict(below)
    for key, value in above.items():
        under = found.get(key)
        found[key] = _joined(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return found


def _preset(cls: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that the chosen preset gives; none for a name that isn't one, which the converter refuses."""
    presets: Mapping[str, dict[str, Any]] = getattr(cls, "presets", {})
    chosen = values.get("preset")
    return presets.get(chosen, {}) if isinstance(chosen, str) else {}


def _sources(
    file: Path | None, sets: Sequence[str], options: Mapping[str, Any], origin: str = ""
) -> Iterator[tuple[dict[str, Any], str]]:
    """The values that were given, a later source winning, and where each was written."""
    if file is not None:
        yield read_toml(file), str(file)
    for text in sets:
        path, value = parse_set(text)
        values: dict[str, Any] = {}
        _put(values, path, value)
        yield values, f"--set {text}"
    for key, value in options.items():
        if isinstance(value, Mapping) and key == FILES:
            yield from (({key: {name: item}}, origin or _option(name)) for name, item in value.items())
        elif value is not None:
            yield {key: value}, origin or _option(key.removeprefix(f"{FILES}."))


def _option(name: str) -> str:
    """The option of the command line that sets something."""
    return f"--{FILE_OPTIONS.get(name, name).replace('_', '-')}"


def read_toml(file: Path, option: str = "--config") -> dict[str, Any]:
    """The content of a TOML file, which `option` names. Raises ConfigError with the line of a mistake."""
    try:
        with refused(ConfigError, str(file), f"Give {option} an existing TOML file."):
            return parse_toml(file.read_text(encoding="utf-8"), str(file))
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not a text file.", hint=f"Give {option} a TOML file in UTF-8.") from None


def parse_toml(text: str, origin: str) -> dict[str, Any]:
    """What a text in TOML says; errors name its `origin`. Raises ConfigError with the line of a mistake."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = 'Write lines such as `samples = 24` or `method = "neural"`.'
        raise ConfigError(f"{origin}: {error}.", hint=hint) from None


SHORT = re.compile(r"(?<![^\[,\s+-])\.(?=\d)")
"""The point of a number such as .3, alone or in a list."""


def parse_set(text: str) -> tuple[str, Any]:
    """`key=value` as a dotted path and a value: TOML if it is TOML, the plain text otherwise. Also .3 is a number.

    Raises ConfigError if there is no `=` or no key.
    """
    path, sign, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not sign or not path or not all(path.split(".")):
        raise ConfigError(f"--set {text}: not of the form key=value.", hint="For example --set samples=24.")
    for written in (value, SHORT.sub("0.", value)):
        try:
            parsed = tomllib.loads(f"value = {written}")
        except tomllib.TOMLDecodeError:
            continue
        # a line break in the value would have made further keys
        return path, parsed["value"] if list(parsed) == ["value"] else value
    return path, value


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


def _check_keys(
    cls: type[Any], values: Mapping[str, Any], prefix: str, origins: Mapping[str, str], owners: Owners | None = None
) -> None:
    """Refuse unknown keys and infinite numbers, with better words than the converter has."""
    known = {field.encode_name: field.type for field in msgspec.structs.fields(cls)}
    for key, value in values.items():
        where = _origin(prefix + key, origins)
        if key not in known:
            near = get_close_matches(key, known, n=1) or get_close_matches(key, _names(cls), n=1)
            other = "" if prefix else _elsewhere(key, owners)
            hint = f"Did you mean {prefix}{near[0]}?" if near else other or f"Known keys: {', '.join(known)}."
            raise ConfigError(f"{prefix}{key}: there is no such key in {cls.__name__}{where}.", hint=hint)
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(
                f"{prefix}{key} is {value}{where}; a finite number is expected.",
                hint=f"Give {prefix}{key} a number such as 0.001, or leave it out for its default.",
            )
        inner = struct_of(known[key])
        if isinstance(value, Mapping) and inner is not None:
            _check_keys(inner, value, f"{prefix}{key}.", origins)


def _names(cls: type[msgspec.Struct]) -> list[str]:
    """The settings that stand in sections."""
    return [leaf for inner in sections(cls).values() for leaf in inner.__struct_fields__]


def _elsewhere(key: str, owners: Owners | None) -> str:
    """Whose setting a key is, if it is another command's or another kind of declaration's."""
    everything = owners().items() if owners else ()
    found = [name for name, cls in everything if key in cls.__struct_fields__ or key in _names(cls)]
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
        # without a path, or with that of a section, it is a rule between settings, which names them itself
        rule = isinstance(value, Mapping) and not text.startswith(("Expected", "Invalid", "Object"))
        place = f"{path} is {value!r}{_origin(path, origins)}: " if path and not rule else ""
        words = f"{place}{_rule(cls, path, text)}"
        many = text.startswith(("Expected `array`, got `int`", "Expected `array`, got `float`"))
        raise ConfigError(
            words if words.endswith("?") else f"{words}.",
            hint=f"{f'Write {path}=[{value}]. ' if many else ''}docs/command-line.md lists keys and their types.",
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
            info = bare(found[0]) if found else info
        # of a list, what its items may be
        info = bare(getattr(info, "item_type", info))
        return "expected one of " + ", ".join(map(str, getattr(info, "values", ())))
    # what Python calls a list or a mapping
    words = text.replace("`array`", "a list").replace("`object`", "a mapping")
    return words[0].lower() + words[1:].replace("`", "")


def bare(kind: msgspec.inspect.Type) -> msgspec.inspect.Type:
    """A type without what is told of it."""
    return kind.type if isinstance(kind, msgspec.inspect.Metadata) else kind


def _origin(path: str, origins: Mapping[str, str]) -> str:
    path = re.sub(r"\[.*", "", path)
    source = origins.get(path) or next((o for p, o in origins.items() if p.startswith(f"{path}.")), "")
    return f" (from {source})" if source else ""
