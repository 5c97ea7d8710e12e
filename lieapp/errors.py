"""One family of errors: each names the thing, the value, the rule and the next step.

The command line prints `message` and `hint` and exits with `exit_code`; the contract's JSON form is
`{"error": {"type", "message", "hint"}}`.
"""

from __future__ import annotations

import contextlib
import errno
import re
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

BEYOND_US = ("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO")
"""System errors that are nobody's bug: no room, no permission, a broken disk."""

HINT = "Free disk space, or write elsewhere."
"""What to do about a system error while writing."""

HINTS = {
    **dict.fromkeys(("EACCES", "EPERM"), "Ask its owner for permission to read or write it, or use another."),
    "EIO": "The disk or its connection fails; use another place.",
}
"""What to do about those that reading meets too."""


UNNAMED = "equation"
"""What a system without a name is called in the code; its errors are told without it: there is no other."""


TYPED = "typed-"
"""How names of plugins begin that are made of equations typed for data in files; errors are told without them."""


class LieappError(Exception):
    """Base of every error a user can meet; anything else that escapes is a bug."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        message = re.sub(f"^(?:{UNNAMED}|{TYPED}[0-9a-f]+): ", "", message)
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def line(self) -> str:
        """Message and hint in one line."""
        return f"{self.message} {self.hint}".strip()

    def as_json(self) -> dict[str, Any]:
        """The error object of the JSON contract."""
        return {"error": {"type": type(self).__name__, "message": self.message, "hint": self.hint}}


class UsageError(LieappError):
    """Usage error: an unknown option, value or name."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration key or value that isn't known or has the wrong type."""


class UnknownPluginError(UsageError):
    """No domain of that name was loaded."""


class DeviceError(UsageError):
    """The device asked for doesn't exist here."""


class PluginError(LieappError):
    """A plugin file that can't be loaded, or a declaration in it that breaks a rule."""


class EquationError(LieappError):
    """An equation that can't be read, or not in the form that a step needs."""


class ParseError(EquationError):
    """A typed expression outside the grammar; the message points at the column."""

    exit_code = 2


class DeclarationError(EquationError):
    """Equations that don't fit the unknowns declared with them."""

    exit_code = 2


class BudgetError(LieappError):
    """A derivation that was given too little time to tell anything."""


class GridError(LieappError):
    """A grid or region on which the asked derivative doesn't exist."""


class DataError(LieappError):
    """Data that can't be read, or can't be used for what is asked."""


class SimulationError(DataError):
    """The time stepper didn't reach a resolved, finite solution."""


class DiscoveryError(LieappError):
    """The discovery engine can't go on with what it was given."""


class LostProcessError(LieappError):
    """A process that trains along with others ended."""


class RunError(LieappError):
    """A run directory that doesn't exist, can't be written, or doesn't fit what is asked."""


class UnknownRunError(RunError):
    """No run, or several, are meant by what was typed."""

    exit_code = 2


class ResumeError(RunError):
    """Nothing to resume, or a run of something else."""

    exit_code = 2


class CancelledError(LieappError):
    """The user asked the work to stop; what was done so far is kept."""

    exit_code = 130


class FileError(LieappError):
    """A file that the system won't let be read or written."""


def file_error(error: BaseException) -> FileError | None:
    """A system error that is nobody's bug, as one of the family; None for every other error."""
    if not isinstance(error, OSError) or errno.errorcode.get(error.errno or 0) not in BEYOND_US:
        return None
    name = errno.errorcode[error.errno or 0]
    return FileError(f"{error.filename or 'a file'}: {error.strerror}.", hint=HINTS.get(name, HINT))


def _keyword(option: re.Match[str]) -> str:
    """`--drop-nan`, `--window t=0:1` or `--set misfit=2` as a keyword of a function."""
    name, value = option["name"].replace("-", "_"), option["value"]
    if name == "set":
        name, _, value = value.partition("=")
        return f'**{{"{name}": {value}}}' if "." in name else f"{name}={value}"
    if value is None:
        return f"{name}=True" if name == "drop_nan" else name
    text = value if value.startswith('"') or value == "FILE" or value.isdigit() else f'"{value}"'
    return f"{name}=[{text}]" if name == "parameter" else f"{name}={text}"


OPTION = re.compile(
    r"--(?P<name>set|map|every|window|data|parameter|method|drop-nan|extend|equation|samples)\b"
    r"(?: (?P<value>\"[^\"]*\"|[\w.]+[=:][^\s;]*[^\s;,.:)]|\d+|FILE))?"
)
"""An option of the command line in an error, with its value where it has one."""


@contextlib.contextmanager
def in_python() -> Iterator[None]:
    """Tell errors inside the block to a caller of functions: options of the command line as keywords."""
    try:
        yield
    except LieappError as error:
        error.message, error.hint = (OPTION.sub(_keyword, text) for text in (error.message, error.hint))
        error.args = (error.message,)
        raise


@contextlib.contextmanager
def refused(kind: type[LieappError], what: str, hint: str, caught: type[OSError] = OSError) -> Iterator[None]:
    """Tell a system error inside the block as one of the family: `what: reason.`"""
    try:
        yield
    except caught as error:
        raise kind(f"{what}: {error.strerror or error}.", hint=hint) from None


def not_utf8(error: UnicodeDecodeError) -> str:
    """Why bytes aren't text, without a full stop."""
    return f"it isn't text in UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start}"


PLUGIN = "lieapp_plugin_"
"""How the names of modules begin that were loaded from plugin files."""


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def plugin_fault(error: BaseException) -> PluginError | None:
    """An error that the code of a plugin raised, with its place; None for one out of lieapp itself."""
    places = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(frame, line) for frame, line in places if _module(frame).startswith((PLUGIN, "lieapp."))]
    if not own or not _module(own[-1][0]).startswith(PLUGIN):
        return None
    frame, line = own[-1]
    where = f"{frame.f_code.co_filename}, line {line}"
    text = " ".join(str(error).split())
    told = f"{where}: {type(error).__name__}: {text}"
    return PluginError(told, hint="Fix that file; --debug shows the traceback.")


def describe(error: BaseException) -> dict[str, Any]:
    """Type, message and hint of any error, as status.json and `--json` carry it."""
    told = error if isinstance(error, LieappError) else file_error(error) or plugin_fault(error)
    if told is not None:
        found: dict[str, Any] = told.as_json()["error"]
        return found
    return {
        "type": type(error).__name__,
        "message": " ".join(str(error).split()) or type(error).__name__,
        "hint": "This is a bug in lieapp; run again with --debug for the traceback.",
    }
