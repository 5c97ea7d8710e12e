"""The tables of settings in docs/command-line.md, made from what is registered.

    python tests/settings_docs.py docs/command-line.md     # writes them anew
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect as types

from lieapp.config import CheckConfig, DataConfig, TruthConfig
from lieapp.config_symbolic import ClassifyConfig, HoldsConfig, LawsConfig
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.settings import bare, leaves

BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
"""Between these lines of the page the tables stand."""


def tables(catalog: Catalog) -> str:
    """A heading, a sentence, a table and what presets change, for the settings of each command and kind."""
    several: list[type[msgspec.Struct]] = [
        TruthConfig, HoldsConfig, ClassifyConfig, LawsConfig, CheckConfig, DataConfig,
        *catalog.all_settings().values(),
    ]  # fmt: skip
    structs = dict.fromkeys(several)
    return "\n".join(_section(struct) for struct in structs)


def rows(struct: type[msgspec.Struct], section: str = "") -> Iterator[tuple[str, str, str]]:
    """Each setting with its section, its default as `--set` reads it, and what it means."""
    info = types.type_info(struct)
    assert isinstance(info, types.StructType)
    for field in info.fields:
        inner = bare(field.type)
        if isinstance(inner, types.StructType):
            yield from rows(inner.cls, f"{field.name}.")
        else:
            yield f"{section}{field.name}", _default(field), _text(field.type)


def replaced(page: str, text: str) -> str:
    """A page with other tables."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{text}{END}{rest.partition(END)[2]}"


def _section(struct: type[msgspec.Struct]) -> str:
    lines = [f"### {struct.__name__}", (struct.__doc__ or "").split("\n")[0], "", "| key | default | meaning |"]
    lines += ["|---|---|---|", *(f"| `{path}` | {default} | {text} |" for path, default, text in rows(struct)), ""]
    presets: Mapping[str, Mapping[str, Any]] = getattr(struct, "presets", {})
    for name, values in presets.items():
        changed = ", ".join(f"`{path} = {_written(value)}`" for path, value in leaves(values))
        lines += [f"`--preset {name}` changes these defaults: {changed}.", ""] if changed else []
    return "\n".join(lines)


def _default(field: types.Field) -> str:
    if field.required:
        return "required"
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return "none" if value is None else f"`{_written(value)}`"


def _written(value: Any) -> str:
    return "none" if value is None else msgspec.json.encode(msgspec.to_builtins(value)).decode()


def _text(kind: types.Type) -> str:
    """What is said of a type, or of a part of it."""
    if isinstance(kind, types.UnionType):
        return next((text for part in kind.types if (text := _text(part))), "")
    text = (kind.extra_json_schema or {}).get("description", "") if isinstance(kind, types.Metadata) else ""
    return str(text).replace("|", "\\|")


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(replaced(file.read_text(encoding="utf-8"), tables(load_catalog())), encoding="utf-8")
