"""The command line: a group whose commands are imported only when one of them is used."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import click

import lieapp
from lieapp.cli.failures import report_failure
from lieapp.errors import CancelledError
from lieapp.runs.process.signals import interrupted

COMMANDS = {
    "plugins": "List the plugins, where each came from, and the files that are broken.",
    "check": "Let a plugin verify itself.",
    "truth": "Derive the symmetries of an equation.",
    "data": "Simulate trajectories and write them to a file.",
    "train": "Train a network on pictures, for its features.",
    "discover": "Find the symmetries in data and compare them with the derived ones.",
    "augment": "Train networks on data moved along symmetries, and compare them.",
    "runs": "List, show or cancel runs.",
    "compare": "Put the results of several runs side by side.",
    "app": "Open the app in a browser.",
}
"""Each command's module in lieapp.cli and its line in --help, which must not import them."""


NO_COMMAND: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What click raises where a command is needed and none is given; before 8.2 it prints the help by itself."""


class Commands(click.Group):
    """Imports `lieapp.cli.<name>` when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"lieapp.cli.{cmd_name}").command
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
            formatter.write_dl(list(COMMANDS.items()))


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
    _open_closed_streams()
    try:
        code = cli.main(args=list(arguments), prog_name="lieapp", standalone_mode=False)
    except NO_COMMAND as error:
        # no command where one is needed: its help is the answer, and nothing was done
        click.echo(error.format_message(), err=True)
        return 2
    except BaseException as error:
        # an interrupt inside the import of a library or of a plugin may come out as any other error
        lost = interrupted() and not isinstance(error, (CancelledError, SystemExit))
        failure = KeyboardInterrupt() if lost else error
        return report_failure(
            failure,
            as_json="--json" in arguments,
            debug="--debug" in arguments,
            command=arguments[0] if arguments else "",
        )
    return code if isinstance(code, int) else 0


def _open_closed_streams() -> None:
    """Where the caller closed stdout or stderr, as `>&-` does, what is printed goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def main() -> NoReturn:
    """Entry point of the program in installations made before `lieapp.__main__` was."""
    from lieapp.__main__ import main

    main()
