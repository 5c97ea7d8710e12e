"""The one place that turns what went wrong into words and an exit code."""

from __future__ import annotations

import os
import sys
import traceback

import click

from lieapp.errors import CancelledError, LieappError, UsageError, file_error

AGAIN = "Type the command again."
RESUME = "Type the command again; `lieapp runs list` shows runs that --resume goes on with."
"""The next step after Ctrl-C, and that of commands which leave a run behind."""

WITH_RUNS = ("discover", "train")


def report_failure(error: BaseException, *, as_json: bool, debug: bool, command: str = "") -> int:
    """Say what went wrong, on stderr or as the JSON error object on stdout, and give the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, BrokenPipeError):
        # the reader of our output left, as `| head` does; nothing must be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if debug:
        traceback.print_exception(error)
    told = as_lieapp_error(error, command)
    if as_json:
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
        return UsageError(error.format_message(), hint=f"`{path} --help` lists what can be typed.")
    told = file_error(error)
    if told is not None:
        return told
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or "can't allocate memory" in text or "CUDA out of memory" in text:
        return MemoryLackError(
            "there is not enough memory.",
            hint="Lower batch, flow_batch, patch_space, samples or the plugin's points, or set adjoint = true.",
        )
    return UnexpectedError(
        f"{type(error).__name__}: {text}" if text else type(error).__name__,
        hint="This is a bug in lieapp. Run again with --debug for the traceback, and report it.",
    )


class MemoryLackError(LieappError):
    """The machine or the device has no memory left."""


class UnexpectedError(LieappError):
    """An exception that no code of ours meant to raise."""


def print_json(document: object) -> None:
    """One JSON document on stdout; NaN and infinities become null."""
    from lieapp.runs.store.files import encode

    sys.stdout.write(encode(document).decode())
    sys.stdout.flush()
