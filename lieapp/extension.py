"""Extension points: a kind of declaration with all that can be done with it, and a method of discovery.

What lieapp ships is made of the same classes and registered through the same hooks as what a plugin brings
(`lieapp_kinds`, `lieapp_methods`, docs/hooks.md). Functions load torch themselves, when they are called: that takes
more than a second, and everything that was typed is checked before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from lieapp.document import Block, Column, Document, Draw, Heading, Notice, Table, Text, undrawn
from lieapp.errors import CancelledError, LieappError, PluginError
from lieapp.results.base import Result


def outcome(result: Result) -> list[Block]:
    """The sentence and the warnings, which lead every document."""
    return [Notice(result.sentence, "success"), *(Notice(words, "warning") for words in result.warnings)]


ROWS = 100
"""Lines of a table at most of a result without a document of its own; the rest stands in summary.json."""


def described(result: Result, draw: Draw = undrawn) -> Document:
    """The outcome and whatever the result holds, for kinds that bring no document."""
    return [*outcome(result), *_held(result)]


def _held(result: Result) -> Iterator[Block]:
    """Numbers and texts as one table, lists of flat objects as one each."""
    shared = {field.encode_name for field in msgspec.structs.fields(Result)} | {"result", "seconds"}
    held = {key: value for key, value in msgspec.to_builtins(result).items() if key not in shared}
    facts = [[_said(key), _cell(value)] for key, value in held.items() if isinstance(value, str | int | float)]
    if facts:
        yield from (Heading("Result", "held"), Table([Column("what"), Column("value")], facts))
    for key, value in held.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            rows = [{k: v for k, v in row.items() if not isinstance(v, list | dict)} for row in value]
            heads = list(dict.fromkeys(head for row in rows for head in row))
            cells = [[_cell(row.get(head)) for head in heads] for row in rows[:ROWS]]
            yield Heading(_said(key).capitalize(), key)
            yield Table([Column(_said(head)) for head in heads], cells)
            if len(rows) > ROWS:
                yield Text(f"{ROWS} of {len(rows)} lines.", small=True)


def _said(key: str) -> str:
    return key.replace("_", " ")


def _cell(value: object) -> str | None:
    return None if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


class Nothing(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Of a method without settings."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to find symmetries, or to refine what another one found.

    Args:
        name: what `--method` takes and the JSON prints; lower-case letters, digits and `_`.
        title: one sentence for help and forms.
        settings: a msgspec.Struct with a default for every field: keys of `--set name.key=value`.
        discover: `discover(domain, data, session, settings)` -> a `lieapp.methods.result.Discovery`. `session` is
            a `lieapp.runs.store.session.Session`: what it reports to, where it keeps its state, its device, and in
            `session.config` the settings of the whole run.
        refine: `refine(found, domain, data, session, settings)` -> a Discovery at least as good; None for a method
            that can only come first.
        refinable: whether its fields have parameters that `refine` of another method can change.
        parts: methods that it is made of, in place of `discover`: the first one's `discover`, then `refine` of
            each; what can't be done on the data is left out with a warning.
        unfit: why `refine` is left out as a part, of the data and the settings; nothing if it isn't.
        family: the value of `method` that stages beginning with it go with, where that isn't its own name.
        checked_by: the method that checks what this one found.
        again: for a method that is trained anew, once, where the check finds more exact fields: how the second go
            differs, in words, of the settings. `session.again` then says that it is the second go.
    """

    name: str
    title: str
    settings: type[msgspec.Struct] = Nothing
    discover: Callable[[Any, Any, Any, Any], Any] | None = None
    refine: Callable[[Any, Any, Any, Any, Any], Any] | None = None
    refinable: bool = False
    parts: tuple[str, ...] = ()
    unfit: Callable[[Any, Any], str] = lambda data, settings: ""
    family: str = ""
    checked_by: str = "spectrum"
    again: Callable[[Any], str] | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "method")
        if (self.discover is None) == (not self.parts):
            raise PluginError(
                f"method {self.name}: either discover or parts must be given.",
                hint="Give discover=…, a function of domain, data, session and settings.",
            )
        check_settings(f"method {self.name}", self.settings, ())


Settings = Any
"""A struct of the class that stands in `settings` beside the function that takes it."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """One thing that can be done with declarations of a kind: a command, and the runs it makes.

    Args:
        command: `discover`, `train` or `augment`; the `kind` of its runs.
        words: what it does, on a button.
        settings: a msgspec.Struct whose only field without default is `plugin`. It has the fields `kind`, a
            Literal of the command, and `domain`, a Literal of the kind's name, by which a run is known again.
        execute: `execute(settings, declaration, session)`: does or goes on with a run and returns what it found, a
            `Result` of its own class, which is stored as summary.json and printed by `--json`.
        check: raises LieappError, before there is a run folder, for settings and a declaration that don't fit.
        costs: warnings about settings that would take long.
        complete: settings with what they name in the folder of runs made whole; raises LieappError too.
        typed: options of the command line as settings, of a plugin's name and what was typed (None: it wasn't);
            raises ConfigError.
        refused: why this can't be done with a declaration; nothing if it can.
        document: `document(result, draw)`: what a result says, on a terminal, in its report and in the app.
        draw: `draw(result, folder)`: the figures of a run by their keys, from the files of its folder.
        about: what stands above the title of its report.
    """

    command: str
    words: str
    settings: type[msgspec.Struct]
    execute: Callable[[Settings, Any, Any], Result]
    check: Callable[[Settings, Any], None] = lambda settings, declaration: None
    costs: Callable[[Settings, Any], Iterable[str]] = lambda settings, declaration: ()
    complete: Callable[[Settings, Path], Settings] = lambda settings, root: settings
    typed: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = lambda plugin, options: options
    refused: Callable[[Any], str] = lambda declaration: ""
    document: Callable[[Any, Draw], Document] = described
    draw: Callable[[Any, Path], Draw] = lambda result, folder: undrawn
    about: Callable[[Any], str] = lambda result: "Result"

    @property
    def domain(self) -> str | None:
        """What config.json says is worked on; None where it doesn't say."""
        found: dict[str, Any] = {field.name: field.default for field in msgspec.structs.fields(self.settings)}
        return found.get("domain")

    @property
    def presets(self) -> list[str]:
        """Names of the presets, the usual one first; none where there are none."""
        return list(getattr(self.settings, "presets", {}))


@dataclass(frozen=True)
class Check:
    """One thing that was verified, and what came out."""

    name: str
    ok: bool
    detail: str


def failed(name: str, error: Exception) -> Check:
    """A check that ended with an error. Raises it if it is CancelledError."""
    if isinstance(error, CancelledError):
        raise error
    return Check(name, False, error.line if isinstance(error, LieappError) else f"{type(error).__name__}: {error}")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of declaration: what `lieapp_domains` may list, and all that can be done with it.

    Args:
        name: lower-case letters, digits and `_`.
        declaration: the class; its objects have `name`, what is typed after `--plugin`, and `title`.
        words: what such things are called, one and several: `("an equation", "equations")`.
        works: what can be done, the main thing first.
        check: the self-check of a declaration: `check(declaration, report)` -> a list of `Check`.
        shown: what `lieapp plugins` says of a declaration as its equation; None if it has none.
        derivable: whether it is an equation, of which symmetries are derived and data simulated.
    """

    name: str
    declaration: type[Any]
    words: tuple[str, str]
    works: tuple[Work, ...]
    check: Callable[[Any, Any], list[Check]]
    shown: Callable[[Any], str | None] = lambda declaration: None
    derivable: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "kind")
        for work in self.works:
            check_settings(f"kind {self.name}, lieapp {work.command}", work.settings, ("plugin",))

    def work(self, command: str) -> Work | None:
        """What a command does with this kind."""
        return next((work for work in self.works if work.command == command), None)


def lazily(target: str) -> Callable[..., Any]:
    """The function `lazily("lieapp.pde.discover:execute")`: its module is loaded when it is called first."""
    module, _, name = target.partition(":")

    def call(*args: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*args, **named)

    call.__qualname__ = target
    return call


def check_name(name: str, what: str) -> None:
    """Raises PluginError unless a name can be typed and be a key of settings."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise PluginError(
            f"name={name!r}: the name of a {what} is made of lower-case letters, digits and '_', a letter first.",
            hint="It is typed on the command line and is a key of settings.",
        )


def check_settings(whose: str, settings: type[msgspec.Struct], needed: Sequence[str]) -> None:
    """Raises PluginError unless settings are a struct in which every field but those needed has a default."""
    if not (isinstance(settings, type) and issubclass(settings, msgspec.Struct)):
        raise PluginError(
            f"{whose}: settings are {settings!r}; they must be a class made from msgspec.Struct.",
            hint="class Settings(msgspec.Struct, kw_only=True, frozen=True): steps: int = 100",
        )
    bare = [field.name for field in msgspec.structs.fields(settings) if field.required]
    if sorted(bare) != sorted(needed):
        raise PluginError(
            f"{whose}: fields without default are {', '.join(bare) or 'none'}; they must be "
            f"{', '.join(needed) or 'none'}.",
            hint="Give every setting a default.",
        )
