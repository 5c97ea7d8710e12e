"""Extension points: kinds of declarations with their tasks, discovery methods, readers of files, ready networks.

lieapp's own ones use the same classes and hooks as plugins (`lieapp_kinds`, `lieapp_methods`, `lieapp_readers`,
`lieapp_networks`, docs/hooks.md). Functions load torch only when they are called: that takes more
than a second, and the input is checked before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from lieapp.arrays import Contents
from lieapp.document import Block, Column, Document, Draw, Heading, Notice, Table, Text, undrawn
from lieapp.errors import CancelledError, LieappError, PluginError
from lieapp.results.base import Result


def outcome(result: Result) -> list[Block]:
    """The sentence and the warnings, at the top of every document."""
    return [Notice(result.sentence, result.level), *(Notice(words, "warning") for words in result.warnings)]


ROWS = 100
"""Largest number of table lines for a result without its own document; summary.json has all."""


def described(result: Result, draw: Draw = undrawn) -> Document:
    """The outcome and the values of the result, for kinds without their own document."""
    return [*outcome(result), *_held(result)]


def _held(result: Result) -> Iterator[Block]:
    """One table for numbers and texts, and one for each list of flat objects."""
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
    """The settings of a method that has none."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method that finds symmetries or refines those found by another method.

    Args:
        name: the value of `--method`, also used in the JSON; lower-case letters, digits and `_`.
        title: one sentence for help and forms.
        settings: a msgspec.Struct with a default for every field: keys of `--set name.key=value`.
        discover: `discover(domain, data, session, settings)` -> a `lieapp.methods.result.Discovery`. `session` is
            a `lieapp.runs.store.session.Session`: it has the reporter, the checkpoint, the device, and in
            `session.config` the settings of the whole run.
        refine: `refine(found, domain, data, session, settings)` -> a Discovery at least as good; None for a method
            that can only come first.
        refinable: whether its fields have parameters that `refine` of another method can change.
        parts: methods to run in order, instead of `discover`: the first one's `discover`, then `refine` of each.
            A part that the data don't allow is skipped with a warning.
        unfit: `unfit(data, settings)` -> the reason for skipping `refine` as a part; empty if there is none.
        family: the value of `method` for stages that begin with this one, if that isn't its own name.
        checked_by: the method that checks the result of this one.
        spreads: whether its training goes on several processes of torchrun: every sum over a batch, and every draw
            of one, passes through `lieapp.numerics.ranks`.
        again: for a method that is retrained once if the check finds more exact fields: `again(settings)` describes
            how retraining differs. `session.again` is then true.
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
    spreads: bool = False
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
"""An instance of the class in `settings` of the same object."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """A task for declarations of a kind: a command and its runs.

    Args:
        command: `discover`, `train` or `augment`; the `kind` of its runs.
        words: the label of its button in the app.
        settings: a msgspec.Struct whose only field without default is `plugin`. Its fields `kind`, a Literal of the
            command, and `domain`, a Literal of the kind's name, identify a run.
        execute: `execute(settings, declaration, session)` starts or continues a run and returns its result, a
            `Result` of its own class, which is stored as summary.json and printed by `--json`.
        check: validates settings and declaration before a run folder is created; raises LieappError.
        costs: warnings about slow settings.
        estimate: approximate seconds and bytes needed; None if unknown.
        complete: of settings, declaration and the folder of runs: the settings with the runs they name looked up,
            and absolute paths of files; raises LieappError.
        typed: converts a plugin's name and the options of the command line (None: not given) to settings; raises
            ConfigError.
        refused: why this task isn't possible for a declaration; empty if it is.
        document: `document(result, draw)`: the presentation of a result on terminals, in reports and in the app.
        draw: `draw(result, folder)`: the figures of a run by their keys, from the files in its folder.
        about: the line above the title of its report.
        follow: `follow(settings, declaration, session)`: what other processes of torchrun do while the first one
            executes; None for a task that runs on one process.
        keeper: `keeper(settings, declaration, session)`: what has the chunks of a run's data at hand, on each
            process of a cluster; None for a task that one process does.
        unspread: what of the settings runs on one process all the same, in words; empty if nothing does.
        batches: sizes of the batches that processes of torchrun share, by the names of their settings.
    """

    command: str
    words: str
    settings: type[msgspec.Struct]
    execute: Callable[[Settings, Any, Any], Result]
    check: Callable[[Settings, Any], None] = lambda settings, declaration: None
    costs: Callable[[Settings, Any], Iterable[str]] = lambda settings, declaration: ()
    estimate: Callable[[Settings, Any], tuple[float, float] | None] = lambda settings, declaration: None
    complete: Callable[[Settings, Any, Path], Settings] = lambda settings, declaration, root: settings
    typed: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = lambda plugin, options: options
    refused: Callable[[Any], str] = lambda declaration: ""
    document: Callable[[Any, Draw], Document] = described
    draw: Callable[[Any, Path], Draw] = lambda result, folder: undrawn
    about: Callable[[Any], str] = lambda result: "Result"
    follow: Callable[[Settings, Any, Any], None] | None = None
    unspread: Callable[[Settings], str] = lambda settings: ""
    batches: Callable[[Settings], Mapping[str, int]] = lambda settings: {}
    keeper: Callable[[Settings, Any, Any], Any] | None = None

    @property
    def domain(self) -> str | None:
        """The `domain` in config.json; None if it has none."""
        # not structs.fields, which evaluates all annotations: each page of the app asks this of every work
        names, defaults = self.settings.__struct_fields__, self.settings.__struct_defaults__
        found: dict[str, Any] = dict(zip(reversed(names), reversed(defaults), strict=False))
        return found.get("domain")

    @property
    def presets(self) -> list[str]:
        """Names of the presets, the default first; empty if there are none."""
        return list(getattr(self.settings, "presets", {}))


OUTCOMES = {True: "ok", False: "FAILED", None: "not run"}
"""The words for the outcomes of a check."""


@dataclass(frozen=True)
class Check:
    """A check and its outcome; `ok` is None if it wasn't run."""

    name: str
    ok: bool | None
    detail: str


def failed(name: str, error: Exception) -> Check:
    """A check that ended with an error. Raises it if it is CancelledError."""
    if isinstance(error, CancelledError):
        raise error
    return Check(name, False, error.line if isinstance(error, LieappError) else f"{type(error).__name__}: {error}")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of declaration that `lieapp_domains` can list, with its tasks.

    Args:
        name: lower-case letters, digits and `_`.
        declaration: the class; its objects have `name`, for `--plugin`, and `title`.
        words: the noun for such objects, singular and plural: `("an equation", "equations")`.
        works: the tasks, the main one first.
        check: the self-check of a declaration: `check(declaration, report)` -> a list of `Check`.
        shown: the equation of a declaration for `lieapp plugins`; None if it has none.
        derivable: whether it is an equation that `lieapp truth` and `lieapp data` accept.
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
        """The task of a command for this kind; None if it has none."""
        return next((work for work in self.works if work.command == command), None)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A file format, or a layout of the arrays in files of a format.

    Args:
        name: lower-case letters, digits and `_`; the format or layout in `lieapp inspect`.
        title: one sentence.
        suffixes: of file names, for messages: `(".npz", ".npy")`.
        recognizes: `recognizes(path, start)` says whether `open` can read a file that begins with these bytes
            (512 at most; none of a folder). The name's ending decides only where the content can't.
        open: `open(path)` -> Contents, with arrays that aren't loaded. It may raise OSError or ValueError for a
            damaged file.
        formats: for a layout, the formats in which it occurs.
        layout: `layout(contents, path)` -> the contents with dimensions, roles and reasons filled in, one for each
            grid; None if the file doesn't have this layout. The first layout that recognizes a file is used.
        beside: `beside(path)` -> the files that `layout` reads besides this one, if they exist. They lie in its
            folder, and go along where a file is sent to another machine.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    recognizes: Callable[[Path, bytes], bool] = lambda path, start: False
    open: Callable[[Path], Contents] | None = None
    formats: tuple[str, ...] = ()
    layout: Callable[[Contents, Path], list[Contents] | None] | None = None
    beside: Callable[[Path], Sequence[Path]] = lambda path: ()

    def __post_init__(self) -> None:
        check_name(self.name, "reader")
        if (self.open is None) == (self.layout is None):
            raise PluginError(
                f"reader {self.name}: either open or layout must be given.",
                hint="open=… reads a format, layout=… recognizes the arrays of one.",
            )


@dataclass(frozen=True, kw_only=True)
class ReadyNetwork:
    """A network trained elsewhere, whose features judge how pictures are moved; or a family of such networks.

    Args:
        name: the value of `--set network=`; lower-case letters, digits, `_`, `.` and `-`.
        title: one sentence.
        build: `build(height, width, weights)` -> a torch module from RGB pictures (picture, channel, row, column)
            of that size, with values in [0, 1], to features (picture, feature). `weights` is a local file or None.
        sides: smallest and largest shorter side, in pixels, of pictures that it was made for; others are resized.
        packages: the Python modules that it needs, each with the name of its package; the last one has the weights.
        install: the command that installs them.
        takes_weights: whether its weights come from a local file.
        accuracy: as published, a share; None if unknown.
        published: what the accuracy is of, and where it is published.
        members: of a family: `members()` -> the names of its networks, typed as `network=FAMILY:MEMBER`.
        member: of a family: `member(name)` -> the declaration of that network.
    """

    name: str
    title: str
    build: Callable[[int, int, Path | None], Any] | None = None
    sides: tuple[int, int] = (224, 224)
    packages: Mapping[str, str] = field(default_factory=dict)
    install: str = ""
    takes_weights: bool = False
    accuracy: float | None = None
    published: str = ""
    members: Callable[[], Sequence[str]] | None = None
    member: Callable[[str], ReadyNetwork] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9_.:-]*", self.name):
            raise PluginError(
                f"name={self.name!r}: a network's name has lower-case letters, digits, '_', '.' and '-'.",
                hint="It is the value of --set network=.",
            )
        if (self.build is None) == (self.member is None) or (self.member is None) != (self.members is None):
            raise PluginError(
                f"network {self.name}: either build, or members and member must be given.",
                hint="build=… makes one network; members=… and member=… name those of a family.",
            )
        if not 0 < self.sides[0] <= self.sides[1]:
            raise PluginError(
                f"network {self.name}: sides={self.sides!r}; they are the smallest and the largest side in pixels.",
                hint="Write sides=(64, 224), or the same number twice.",
            )
        if self.accuracy is not None and not (0 < self.accuracy <= 1 and self.published):
            raise PluginError(
                f"network {self.name}: accuracy={self.accuracy!r}; it is a share from 0 to 1, with its source.",
                hint="Write accuracy=0.751 and published=…, what it was measured on and where it is published.",
            )

    @property
    def missing(self) -> list[str]:
        """The packages that it needs and that aren't installed."""
        return [package for module, package in self.packages.items() if find_spec(module) is None]


def lazily(target: str) -> Callable[..., Any]:
    """The function `lazily("lieapp.pde.discover:execute")`: its module is loaded on the first call."""
    module, _, name = target.partition(":")

    def call(*args: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*args, **named)

    call.__qualname__ = target
    return call


def check_name(name: str, what: str) -> None:
    """Raises PluginError unless a name is valid on the command line and as a key of settings."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise PluginError(
            f"name={name!r}: a {what}'s name has lower-case letters, digits and '_', beginning with a letter.",
            hint="It is used on the command line and as a key of settings.",
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
