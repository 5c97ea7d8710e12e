"""The command line: a group whose commands are imported only when used, and what is said of what goes wrong."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import click

import lieapp
from lieapp.errors import (
    PLUGIN,
    CancelledError,
    LieappError,
    LostProcessError,
    UsageError,
    file_error,
    plugin_fault,
)
from lieapp.interrupted import EXIT_CODE, leads
from lieapp.numerics.torchrun import Launch, launch
from lieapp.runs.process.signals import interrupted

COMMANDS = {
    "plugins": ("lists", "List the plugins with their sources, and any broken files."),
    "check": ("short", "Run a plugin's self-check."),
    "truth": ("short", "Derive the symmetries of an equation."),
    "holds": ("questions", "Test whether a given field is a symmetry of an equation."),
    "classify": ("questions", "Find the parameters and functions with more symmetries."),
    "laws": ("questions", "Derive the conservation laws of an equation."),
    "inspect": ("inspect", "Show what a data file holds and how it is understood."),
    "identify": ("identify", "Find the equation that data in files solve."),
    "data": ("data", "Simulate trajectories and write them to a file."),
    "train": ("working", "Train a network on pictures; its features are used by discover."),
    "discover": ("working", "Find the symmetries in data and compare them with the derived ones."),
    "augment": ("working", "Train networks on data augmented along symmetries, and compare them."),
    "sweep": ("sweep", "Run a grid of plugins, methods, seeds and settings, on many processes."),
    "runs": ("lists", "List, show or cancel runs."),
    "compare": ("lists", "Show the results of several runs side by side."),
    "app": ("app", "Open the app in a browser."),
}
"""Each command's module in lieapp.cli, and its line in --help, which must not import them."""

AGAIN = "Run the command again."
RESUME = "Run the command again, or continue a run with --resume; `lieapp runs list` shows them."
"""The next step after Ctrl-C, and that of commands which leave a run behind."""

SAMPLES = "Lower the plugin's points or the number of trajectories."
ROOM = "End other programs, or use a machine with more memory."
LEARNING = "Lower batch, flow_batch, patch_space, samples or the plugin's points, or set adjoint = true."
MEMORY = {
    "discover": LEARNING, "data": SAMPLES, "check": SAMPLES,
    "augment": "Lower batch or the amounts of data.", "train": "Lower batch or side.",
}  # fmt: skip
"""What to do where memory lacks, by the settings that a command has."""

WITH_RUNS = ("discover", "train", "augment")
TOGETHER = ("discover", "augment")
"""Commands that train on several processes."""

NO_COMMAND: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What click raises where a command is needed and none is given; before 8.2 it prints the help by itself."""


class Commands(click.Group):
    """Imports the module of a command when that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"lieapp.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click, but an unknown name is answered with the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}."
            ctx.fail(f"there is no command {args[0]!r}; {meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in --help, from the texts above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(lieapp.__version__, prog_name="lieapp")
def cli() -> None:
    """Find the continuous symmetries of data and of equations, and prove what is found."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code: 0 done, 1 failed, 2 usage, 130 interrupted."""
    _prepare_streams()
    try:
        with _own_warnings():
            _check_text(arguments)
            if place := launch():
                if place.rank:
                    from lieapp.runs.along import follow

                    return follow(place)
                _check_together(arguments, place)
            code = cli.main(args=list(arguments), prog_name="lieapp", standalone_mode=False)
            if place:
                from lieapp.runs.along import dismiss

                dismiss(place)
    except NO_COMMAND as error:
        # no command where one is needed: its help is the answer, and nothing was done
        click.echo(error.format_message(), err=True)
        return 2
    except BaseException as error:
        # an interrupt inside the import of a library or of a plugin may come out as any other error
        # torchrun ends the first process by a signal when another one ended: the error then tells of that one
        lost = interrupted() and not isinstance(error, CancelledError | LostProcessError)
        failure = KeyboardInterrupt() if lost else error
        if isinstance(failure, KeyboardInterrupt) and not leads():
            return EXIT_CODE
        return report_failure(
            failure,
            as_json="--json" in arguments,
            debug="--debug" in arguments,
            command=arguments[0] if arguments else "",
        )
    return code if isinstance(code, int) else 0


def _check_together(arguments: Sequence[str], place: Launch) -> None:
    """Raises UsageError for commands that run on one process."""
    command = arguments[0] if arguments else ""
    if command not in TOGETHER:
        raise UsageError(
            f"`lieapp {command}` runs on one process; torchrun started {place.size}.",
            hint=f"Start it without torchrun, which is for {' and '.join(TOGETHER)}.",
        )


@contextlib.contextmanager
def _own_warnings() -> Iterator[None]:
    """Of overflows and the like a plugin's own are shown; where lieapp meets one, its result says what matters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        warnings.filterwarnings("default", category=RuntimeWarning, module=PLUGIN)
        yield


def report_failure(error: BaseException, *, as_json: bool, debug: bool, command: str = "") -> int:
    """Say what went wrong, on stderr or as the JSON error object on stdout, and give the exit code."""
    if isinstance(error, BrokenPipeError):
        # the reader of our output left, as `| head` does; nothing must be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if debug:
        traceback.print_exception(error)
    told = as_lieapp_error(error, command)
    if as_json:
        # loaded by now, unless what was typed is no command
        from lieapp.cli.options import print_json

        print_json(told.as_json())
    else:
        print(f"error: {told.message}", file=sys.stderr)
        if told.hint:
            print(f"hint: {told.hint}", file=sys.stderr)
    return told.exit_code


def as_lieapp_error(error: BaseException, command: str = "") -> LieappError:
    """Any error as one of the family; what isn't of it is a bug and says so."""
    if isinstance(error, LieappError):
        return error
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return CancelledError("interrupted.", hint=RESUME if command in WITH_RUNS else AGAIN)
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "lieapp"
        return UsageError(error.format_message(), hint=f"`{path} --help` lists the options.")
    told = file_error(error) or plugin_fault(error)
    if told is not None:
        return told
    text = " ".join(str(error).split())
    if isinstance(error, SystemExit):
        return UnexpectedError("something ended the program: SystemExit.", hint="Run again with --debug.")
    if isinstance(error, MemoryError) or "can't allocate memory" in text or "CUDA out of memory" in text:
        return MemoryLackError("out of memory.", hint=MEMORY.get(command, ROOM))
    return UnexpectedError(
        f"{type(error).__name__}: {text}" if text else type(error).__name__,
        hint="This is a bug in lieapp. Run again with --debug for the traceback, and report it.",
    )


class MemoryLackError(LieappError):
    """The machine or the device has no memory left."""


class UnexpectedError(LieappError):
    """An exception that no code of ours meant to raise."""


def _prepare_streams() -> None:
    """Where the caller closed stdout or stderr, as `>&-` does, what is printed goes nowhere.

    Signs that the encoding of a terminal lacks are printed as `?`.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _check_text(arguments: Sequence[str]) -> None:
    """Raises UsageError for an argument that isn't text: runs keep the command that made them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            told = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            raise UsageError(
                f"the argument {told!r} isn't text in UTF-8.",
                hint="Type it in UTF-8; rename a file of such a name.",
            ) from None


def main() -> NoReturn:
    """Entry point of the program in installations made before `lieapp.__main__` was."""
    from lieapp.__main__ import main

    main()
