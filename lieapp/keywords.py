"""Keywords of declarations in plugin files: a misspelled one is answered with the nearest; and their titles."""

from __future__ import annotations

import functools
import unicodedata
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


def check_title(name: str, title: Any) -> None:
    """Raises PluginError for a title that isn't a text, or that no file and no page can hold."""
    if not isinstance(title, str):
        raise PluginError(f"{name}: title={title!r} isn't a text.", hint="Give the title that tables show.")
    strange = next((c for c in title if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"), None)
    if strange is not None:
        raise PluginError(
            f"{name}: title={title!r} has the character {strange!r}, which can't be shown.", hint="Leave it out."
        )
