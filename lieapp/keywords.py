"""Keywords of declarations in plugin files: a misspelled one is answered with the nearest."""

from __future__ import annotations

import functools
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from lieapp.errors import PluginError

Declared = TypeVar("Declared")


def spelled(cls: type[Declared]) -> type[Declared]:
    """Let a declaration refuse keywords it doesn't have, or lacks, in words: PluginError with the nearest one."""
    make: Any = cls.__init__
    known = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(cls)}  # type: ignore[arg-type]
    hint = f"The keywords of {cls.__name__} are {', '.join(known)}."

    @functools.wraps(make)
    def init(self: Any, *values: Any, **given: Any) -> None:
        for key in given:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                meant = f"; did you mean {near[0]!r}?" if near else "."
                raise PluginError(f"{cls.__name__}({key}=…): there is no keyword {key!r}{meant}", hint=hint)
        if values:
            raise PluginError(
                f"{cls.__name__}({values[0]!r}, …): values are given by keyword only, as {next(iter(known))}=….",
                hint=hint,
            )
        missing = [key for key, needed in known.items() if needed and key not in given]
        if missing:
            raise PluginError(f"{cls.__name__}(…): {', '.join(missing)} must be given.", hint=hint)
        make(self, **given)

    vars_of: Any = cls
    vars_of.__init__ = init
    return cls


def check_rules(whose: str, declaration: object, rules: dict[str, tuple[bool, str]]) -> None:
    """Raises PluginError for the first keyword whose rule doesn't hold; `rules` has whether it does, and words."""
    for key, (holds, rule) in rules.items():
        if not holds:
            told = f"{whose}: {key} is {getattr(declaration, key)!r}; it must be {rule}."
            raise PluginError(told, hint=f"Leave {key} out for its default.")
