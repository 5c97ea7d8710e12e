"""The options that are alike in every command, what commands get instead of them, and how outcomes are printed."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lieapp import settings
from lieapp.document import Column, Document, Heading, Table
from lieapp.errors import UsageError
from lieapp.registry.catalog import Catalog, Entry, load_catalog
from lieapp.registry.modules import stdout_to_stderr
from lieapp.runs.store.files import encode
from lieapp.settings import Config, Owners

if TYPE_CHECKING:
    import msgspec
    from rich.console import Console

# the folders may come from a config of another machine: whether they exist is said later, by name
FOLDER = click.Path(path_type=Path)


def _only_one(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The value of an option that is given once. Raises UsageError for several: none of them wins silently."""
    if len(values) > 1:
        raise UsageError(
            f"--{parameter.name} is given {len(values)} times: {', '.join(values)}.", hint="Give one of them."
        )
    return values[0] if values else None


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "plugin": click.option(
        "--plugin", multiple=True, callback=_only_one, metavar="NAME",
        help="The plugin; `lieapp plugins` lists them.",
    ),
    "plugins": click.option(
        "--plugins", type=FOLDER, multiple=True, metavar="DIR", help="An additional folder of plugin files."
    ),
    "config": click.option("--config", type=FOLDER, metavar="FILE.toml", help="Settings from a TOML file."),
    "sets": click.option(
        "--set", "sets", multiple=True, metavar="KEY=VALUE", help="One setting; overrides --config."
    ),
    "seed": click.option("--seed", type=int, metavar="N", help="Random seed."),
    "device": click.option("--device", metavar="auto|cpu|cuda:0", help="Device for tensors."),
    "out": click.option(
        "--out", type=FOLDER, default=Path("runs"), metavar="DIR", help="Folder of runs.", show_default=True
    ),
    "resume": click.option("--resume", metavar="RUN", help="Continue a run: its id, the beginning of its id, or "
        "its path."),
    "json": click.option("--json", "json", is_flag=True, help="Print one JSON document on stdout."),
    "quiet": click.option("--quiet", is_flag=True, help="Show no progress, only warnings."),
    "debug": click.option("--debug", is_flag=True, help="Show the traceback of an error."),
}
ALWAYS = ("json", "quiet", "debug")

PIPE_WIDTH = 200
"""Columns of what is printed where there is no terminal: wide enough for any reader."""


@dataclass(frozen=True)
class Common:
    """The values of the common options; those a command doesn't take have their defaults."""

    plugin: str | None = None
    plugins: Sequence[Path] = ()
    config: Path | None = None
    sets: Sequence[str] = ()
    seed: int | None = None
    device: str | None = None
    out: Path = Path("runs")
    resume: str | None = None
    json: bool = False
    quiet: bool = False
    debug: bool = False

    def catalog(self, more: Sequence[Path] = ()) -> Catalog:
        """All plugins. Raises UsageError for a folder that doesn't exist."""
        return load_catalog([*self.plugins, *more])

    def entry(self, name: str) -> Entry:
        """The plugin of that name; a warning on stderr if other files declare the name too.

        Raises what `catalog` and `Catalog.get` raise.
        """
        catalog = self.catalog()
        entry, note = catalog.get(name), catalog.note(name)
        if note:
            print(f"warning: {note}", file=sys.stderr)
        return entry

    def load(self, cls: type[Config], *, owners: Owners | None = None, **options: Any) -> Config:
        """The configuration from all of --config, --set and options. Raises ConfigError."""
        owners = owners or (lambda: self.catalog().all_settings())
        return settings.load_config(cls, self.config, self.sets, owners, **self._options(options))

    def given(
        self, cls: type[msgspec.Struct], *, owners: Owners | None = None, beside: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Only the settings that were typed, checked. Raises ConfigError."""
        return settings.given(cls, self.config, self.sets, owners, beside, **self._options(options))

    def typed(self, key: str) -> Any:
        """The value typed for one setting, unchecked; None if there is none. Raises ConfigError."""
        return settings.typed(key, self.config, self.sets, **self._options({}))

    def _options(self, more: dict[str, Any]) -> dict[str, Any]:
        return {"plugin": self.plugin, "seed": self.seed, "device": self.device, **more}


@dataclass(frozen=True)
class Outcome:
    """What a command found: what --json prints, what prints the same for people, and the exit code."""

    document: msgspec.Struct | dict[str, Any]
    show: Callable[[], None] = field(default=lambda: None)
    code: int = 0


def common(*names: str) -> Callable[[Callable[..., Outcome]], Callable[..., int]]:
    """Give a command some of the common options; --json, --quiet and --debug always.

    The command gets them as its first argument, a `Common`, and returns an `Outcome`, which is printed here.
    """

    def decorate(body: Callable[..., Outcome]) -> Callable[..., int]:
        @functools.wraps(body)
        def command(**given: Any) -> int:
            values = {name: given.pop(name) for name in (*names, *ALWAYS)}
            settings = Common(**values)
            if "out" in names:
                _check_folder(settings.out)
            # what plugins and libraries print must not end up inside the JSON document
            with stdout_to_stderr() if settings.json else contextlib.nullcontext():
                outcome = body(settings, **given)
            if settings.json:
                print_json(outcome.document)
            else:
                outcome.show()
            return outcome.code

        wrapped: Callable[..., int] = command
        for name in reversed((*names, *ALWAYS)):
            wrapped = OPTIONS[name](wrapped)
        return wrapped

    return decorate


def given_several(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> list[str] | None:
    return list(texts) or None


def parts(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    """The parts of a text between commas."""
    return None if text is None else [part.strip() for part in text.split(",")]


FILE_OPTIONS = (
    click.option(
        "--data", multiple=True, callback=given_several, metavar="PLACE",
        help="Solutions of the equation: a file, or several. For pictures: a file, a folder, or a data set.",
    ),
    click.option("--map", metavar="MAP", help='What a file\'s arrays are: "u=usol(x,t), x=x, t=tt".'),
    click.option("--every", metavar="t=4,x=2", help="Read every n-th point of an axis."),
    click.option("--window", metavar="t=0:10", help="Read a part of an axis."),
    click.option("--drop-nan", is_flag=True, default=None, help="Leave out times and trajectories that hold NaN."),
    click.option(
        "--parameter", multiple=True, callback=given_several, metavar="NAME:VALUE",
        help="A parameter of the equation in the file.",
    ),
)


SAMPLES = click.option(
    "--samples", type=click.IntRange(1), metavar="N",
    help="Largest number of trajectories: of those read from --data, else simulated to learn from.",
)


def of_files(body: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which files of the user's own are read, and how."""
    return functools.reduce(lambda made, option: option(made), reversed(FILE_OPTIONS), body)


def on_cluster(words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that say where work is done.

    Args:
        words: what is done there.
    """

    def taking(body: Callable[..., Any]) -> Callable[..., Any]:
        file = click.option(
            "--scheduler-file", type=FOLDER, metavar="F", help="The file in which a scheduler wrote its address."
        )
        return click.option("--on", metavar="local:N|tcp://HOST:PORT", help=words)(file(body))

    return taking


EQUATION_OPTIONS = (
    click.option(
        "--equation", multiple=True, callback=given_several, metavar="EXPR",
        help="The equation of --data in place of a plugin: u_t + u*u_x + u_xxx.",
    ),
    click.option(
        "--independent", callback=parts, metavar="t,x", help="Its variables, unless derivatives name them."
    ),
    click.option("--dependent", callback=parts, metavar="u,v", help="Its unknowns, unless derivatives name them."),
)


def of_equation(body: Callable[..., Any]) -> Callable[..., Any]:
    """The options of an equation that is typed for files, in place of a plugin."""
    return functools.reduce(lambda made, option: option(made), reversed(EQUATION_OPTIONS), body)


def names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names in all of an option's values, each between commas."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


TYPED_OPTIONS = (
    click.option(
        "--equation", multiple=True, metavar="EXPR", help="An equation in jet notation: 'u_t + u*u_x + u_xxx'."
    ),
    click.option("--independent", multiple=True, callback=names, metavar="t,x", help="The independent variables."),
    click.option("--dependent", multiple=True, callback=names, metavar="u,v", help="The unknowns."),
    click.option("--parameter", multiple=True, metavar="NAME:WHAT", help="A constant: 'g:positive, g != 3'."),
    click.option(
        "--function", multiple=True, metavar="NAME:ARGS", help="An arbitrary function: 'k:u' or 'k:x,u'."
    ),
    click.option("--budget", type=float, metavar="SECONDS", help="Time limit; then the partial result is shown."),
)


def typed_equation(body: Callable[..., Any]) -> Callable[..., Any]:
    """The options of an equation that something is derived from, in place of a plugin."""
    return functools.reduce(lambda made, option: option(made), reversed(TYPED_OPTIONS), body)


def of_data(body: Callable[..., Any]) -> Callable[..., Any]:
    """The options of files where there is no equation."""
    return functools.reduce(lambda made, option: option(made), reversed(FILE_OPTIONS[:-1]), body)


def _check_folder(out: Path) -> None:
    """Raises UsageError if the folder of runs is a file, or would lie in one."""
    for place in (out, *out.parents):
        if place.exists():
            if not place.is_dir():
                raise UsageError(
                    f"--out {out}: {place} is a file, not a folder.", hint="Give the folder that holds runs."
                )
            return


def print_json(document: object) -> None:
    """One JSON document on stdout; NaN and infinities become null.

    Other encodings than UTF-8 get escapes for what isn't ASCII.
    """
    text = encode(document).decode()
    if (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8":
        text = re.sub("[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text)
    sys.stdout.flush()


def console() -> Console:
    """A console on stdout, as wide as the terminal."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; cells are shown as text, None as a dash."""
    # what is empty stays so
    cells = [[None if cell is None else str(cell) or " " for cell in row] for row in rows]
    print_document([Heading(title), Table([Column(name) for name in columns], cells)])


def print_line(text: str, style: str = "") -> None:
    """One line of text."""
    from rich.text import Text

    console().print(Text(text), style=style, soft_wrap=True)


def print_document(document: Document) -> None:
    """What a result says; lines stay whole, tables are folded."""
    from rich.text import Text

    from lieapp.report.terminal import rendered

    for item in rendered(document):
        console().print(item, soft_wrap=isinstance(item, Text))
