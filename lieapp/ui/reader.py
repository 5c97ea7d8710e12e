"""What somebody types is read by a process of its own, which is ended where that takes too long.

A page can't be interrupted, and SymPy may take any time. The process is ended too where the page that asked was
closed: nobody waits for its answer any more. Otherwise it stays, as starting one takes a second:
`python -m lieapp.ui.reader N` answers each question, in JSON, that comes through the pipe N. What is typed are
texts; the whitelist parser reads them.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lieapp.child import child_command, leave_with_parent
from lieapp.config_symbolic import HoldsConfig
from lieapp.equations.parsing import parse_system
from lieapp.equations.plugin_file import Draft, plugin_text
from lieapp.equations.printing import ordered_latex
from lieapp.errors import BudgetError, LieappError, UsageError, describe
from lieapp.lie.parameters.moving import moved_of
from lieapp.pde.derivation import Failure, error_told
from lieapp.pde.questions import HoldsRequest, holds
from lieapp.results.holding import HoldsResult

Answer = TypeVar("Answer", bound=msgspec.Struct)

LISTS = ("equation", "independent", "dependent", "parameter", "function", "periodic", "moving", "output")
"""The settings of a derivation that are typed."""

SEPARATORS = {"equation": "\n", "parameter": ";", "function": ";", "output": ";"}
"""What stands between several; a comma elsewhere. `g:positive, g != 3` is one parameter."""

BUDGET = 5.0
"""Seconds for an answer; usual ones take a hundredth of one."""

LOOK = 0.1
"""Seconds between two looks whether the page that asked is still open."""

STARTING = 120.0
"""Seconds in which the process must have loaded SymPy."""


@dataclass(frozen=True)
class Typed:
    """What was typed, as `lieapp truth` takes it."""

    equation: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    parameter: tuple[str, ...] = ()
    function: tuple[str, ...] = ()
    periodic: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    def settings(self) -> dict[str, list[str]]:
        """The settings of a derivation."""
        return {name: list(getattr(self, name)) for name in LISTS}


def split(name: str, text: str) -> tuple[str, ...]:
    """The entries of one text field."""
    # k:u, q:x as well, though k:x,u has a comma of its own
    separator = r";|,(?=\s*\w+\s*:)" if name == "function" else SEPARATORS.get(name, ",")
    parts = re.split(separator, text)
    return tuple(part.strip() for part in parts if part.strip())


def joined(name: str, entries: Sequence[str]) -> str:
    """One text field of several entries; `split` takes it apart again."""
    separator = SEPARATORS.get(name, ",")
    return (separator if separator == "\n" else f"{separator} ").join(entries)


def typed_of(config: Mapping[str, Any]) -> Typed:
    """What was typed for a run, from its config.json; entries of other types are left out."""
    lists = {name: config.get(name) for name in LISTS}
    return Typed(
        **{
            name: tuple(entry for entry in entries if isinstance(entry, str))
            for name, entries in lists.items()
            if isinstance(entries, list)
        }
    )


class FieldQuestion(msgspec.Struct, tag="field"):
    """Whether a field is a symmetry of an equation; `folders` hold plugins outside the working folder."""

    config: HoldsConfig
    folders: list[str]


class Tested(msgspec.Struct):
    """Whether it is one, or why that isn't known."""

    result: HoldsResult | None = None
    failure: Failure | None = None

    @property
    def error(self) -> LieappError | None:
        """The failure as an error."""
        return None if self.failure is None else error_told(self.failure, "the test")


class Question(msgspec.Struct, tag="equation"):
    """What was typed, and what is declared besides where a plugin file is asked for."""

    typed: Typed
    draft: Draft | None = None


class Reading(msgspec.Struct):
    """What the parser makes of it.

    Args:
        latex: each equation as LaTeX.
        parameters: names of the parameters.
        text: the plugin file, where one is asked for.
        failure: why there is none of these; None if there is.
        place: the number of the equation that the error points into; None for everything else.
    """

    latex: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    text: str = ""
    failure: Failure | None = None
    place: int | None = None

    @property
    def error(self) -> LieappError | None:
        """The failure as an error."""
        return None if self.failure is None else error_told(self.failure, "reading")


def read(typed: Typed) -> Reading:
    """Parse what was typed, and write it as formulas. Raises nothing: the error is in the answer."""
    try:
        return _READER.ask(Question(typed), Reading)
    except BudgetError as late:
        return Reading(failure=Failure("BudgetError", late.message, late.hint))


def tested(config: HoldsConfig, folders: Sequence[Path]) -> Tested:
    """Whether a field is a symmetry. Raises nothing: the error is in the answer."""
    try:
        return _READER.ask(FieldQuestion(config, [str(folder) for folder in folders]), Tested)
    except BudgetError as late:
        hint = "Test it with `lieapp holds`, which takes as long as --budget says."
        return Tested(failure=Failure("BudgetError", late.message, hint))


def plugin_file_text(typed: Typed, draft: Draft) -> str:
    """The plugin file of a typed equation. Raises LieappError for what a declaration doesn't allow."""
    found = _READER.ask(Question(typed, draft), Reading)
    if error := found.error:
        raise error
    return found.text


class _Reader:
    """The process; it is started when something is asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, question: Question | FieldQuestion, kind: type[Answer]) -> Answer:
        """Raises BudgetError if no answer comes in time."""
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._start()
            answer = self._exchange(msgspec.json.encode(question), BUDGET)
            if answer:
                return msgspec.json.decode(answer, type=kind)
            self._end()
        raise BudgetError(
            f"this couldn't be parsed within {BUDGET:g} s.",
            hint="Use fewer nested functions and roots, or derive it with `lieapp truth` and a longer --budget.",
        )

    def _start(self) -> None:
        self._pipe, far = Pipe()
        with far:
            command = child_command("lieapp.ui.reader", str(far.fileno()))
            # in a session of its own: Ctrl-C ends the app, and the end of the pipe this
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=[far.fileno()], start_new_session=True
            )
        # an empty question: answered once the libraries are loaded
        self._exchange(b"", STARTING)

    def _exchange(self, question: bytes, seconds: float) -> bytes:
        """The answer; empty if none comes within so many seconds, the process has ended, or the page is closed."""
        end = time.monotonic() + seconds
        try:
            self._pipe.send_bytes(question)
            while not self._pipe.poll(LOOK):
                if time.monotonic() > end or (question and _closed()):
                    return b""
            return self._pipe.recv_bytes()
        except (OSError, EOFError):
            return b""

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None
        self._pipe.close()


def _closed() -> bool:
    """Whether the page that this thread draws was closed; False outside of the app."""
    from streamlit.runtime import exists, get_instance
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    page = get_script_run_ctx(suppress_warning=True)
    return page is not None and exists() and not get_instance().is_active_session(page.session_id)


_READER = _Reader()


def _answer(question: Question | FieldQuestion) -> Reading | Tested:
    """The answer, here in this process."""
    if isinstance(question, FieldQuestion):
        try:
            return Tested(holds(HoldsRequest(question.config, question.folders)))
        except Exception as error:
            return Tested(failure=msgspec.convert(describe(error), Failure))
    typed = question.typed
    try:
        _complete(typed)
        system = parse_system(
            typed.equation, typed.independent, typed.dependent, typed.parameter, typed.function,
            outputs=typed.output,
        )  # fmt: skip
        _check_periodic(typed)
        moved_of(system, typed.moving)
        if question.draft is not None:
            return Reading(text=plugin_text(system, question.draft))
        latex = tuple(f"{ordered_latex(r, system.jets)} = 0" for r in system.residuals)
    except Exception as error:
        return Reading(failure=msgspec.convert(describe(error), Failure), place=_place(error, typed.equation))
    return Reading(latex, tuple(map(str, system.parameters)))


def _complete(typed: Typed) -> None:
    """Raises UsageError for a field that must not be empty."""
    needed = {"equation": "an equation is", "independent": "the variables are", "dependent": "the unknowns are"}
    for name, what in needed.items():
        if not getattr(typed, name):
            hint = "For example u_t + u*u_x + u_xxx with variables t, x and unknown u."
            raise UsageError(f"{what} missing.", hint=hint)


def _check_periodic(typed: Typed) -> None:
    """Raises UsageError for a name that is no variable."""
    for name in typed.periodic:
        if name not in typed.independent:
            raise UsageError(
                f"periodic in {name}: the variables are {', '.join(typed.independent)}.",
                hint="Name one of the independent variables.",
            )


def _place(error: Exception, equations: Sequence[str]) -> int | None:
    """Which equation a caret points into."""
    lines = error.message.split("\n") if isinstance(error, LieappError) else []
    shown = lines[1].strip() if len(lines) > 1 else ""
    return equations.index(shown) if shown in equations else None


QUESTION = Question | FieldQuestion

FIRST = Question(Typed(("u_t + n*sin(u)*u_x",), ("t", "x"), ("u",), ("n",)))
"""Read at the start: SymPy loads and caches much with the first equation."""


def _main(pipe: Connection) -> None:
    """Reading until nobody asks any more."""
    leave_with_parent()
    with contextlib.suppress(EOFError):
        while True:
            line = pipe.recv_bytes()
            found = msgspec.json.encode(_answer(msgspec.json.decode(line, type=QUESTION) if line else FIRST))
            pipe.send_bytes(found if line else b"")


if __name__ == "__main__":
    _main(Connection(int(sys.argv[1])))
