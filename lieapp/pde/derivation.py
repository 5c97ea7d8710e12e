"""Derive a truth within a budget: SymPy works in a child process, which can be ended.

The child is `python -m lieapp.pde.derivation`; it reads a request as JSON and answers with a result or an error as
JSON, so that no live object crosses over.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from lieapp import errors
from lieapp.child import child_command, leave_with_parent
from lieapp.config import TruthConfig
from lieapp.config_symbolic import EquationConfig
from lieapp.errors import BudgetError, EquationError, LieappError, UsageError
from lieapp.results.truth import TruthResult

if TYPE_CHECKING:
    from lieapp.api import PDE
    from lieapp.equations.equation import System
    from lieapp.lie.deadline import Clock
    from lieapp.lie.stages import Truth

Answer = TypeVar("Answer", bound=msgspec.Struct)

GRACE = 8.0
"""Seconds beyond the budget after which the process is ended: it starts, and tells its result, in addition."""

LOOK = 0.25
"""Seconds between two looks of whoever waits."""

LONGEST = 1e6
"""Seconds that nobody waits; more than that can't be set as an alarm."""


class DerivationError(LieappError):
    """A derivation whose process failed in a way that nobody foresaw, or was ended by somebody else."""


class _RemoteError(Exception):
    """The traceback of another process, as the cause of an error here: shown with --debug."""


class Request(msgspec.Struct):
    """What the child is asked: a configuration and the plugin folders outside the working folder.

    Args:
        notes: a file for what is being worked on; none if empty.
    """

    config: TruthConfig
    folders: list[str]
    notes: str = ""


def derive_in_child(
    config: TruthConfig, folders: Sequence[Path] = (), notes: str = "", watch: Callable[[], None] | None = None
) -> TruthResult:
    """The truth of a plugin's or typed equation.

    After `config.budget` seconds the partial result, with what is unsolved. `watch` is called a few times a
    second meanwhile, and ends the derivation by what it raises; what is being worked on then stands in the file
    `notes`. Raises UsageError if it isn't said which equation, BudgetError if there is no partial result either,
    and whatever the derivation raises; DerivationError if it fails unforeseen.
    """
    request = Request(config, [str(folder) for folder in folders], notes)
    return ask_child("lieapp.pde.derivation", request, config, TruthResult, watch)


def ask_child(
    module: str, request: msgspec.Struct, config: EquationConfig, kind: type[Answer],
    watch: Callable[[], None] | None = None,
) -> Answer:  # fmt: skip
    """What `python -m MODULE` answers to a request; config and errors are as for `derive_in_child`."""
    check_request(config)
    with subprocess.Popen(child_command(module), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            answer = _answer(child, msgspec.json.encode(request), min(config.budget, LONGEST) + GRACE, watch)
        except subprocess.TimeoutExpired:
            name = config.plugin or "; ".join(config.equation)
            raise BudgetError(
                f"{name}: no result within the budget of {config.budget:g} s.",
                hint="Raise --budget.",
            ) from None
        finally:
            child.kill()
    return _read(answer, child.returncode, kind)


def _answer(
    child: subprocess.Popen[bytes], request: bytes, seconds: float, watch: Callable[[], None] | None
) -> bytes:
    """What the child says. Raises TimeoutExpired after so many seconds, and what `watch` raises."""
    if watch is None:
        return child.communicate(request, timeout=seconds)[0]
    end = time.monotonic() + seconds
    text: bytes | None = request
    while True:
        watch()
        try:
            return child.communicate(text, timeout=LOOK)[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise
        # what wasn't sent yet is kept by communicate, which takes no more
        text = None


def check_request(config: EquationConfig) -> None:
    """Raises UsageError unless exactly one of plugin and equation is given, the latter with its names."""
    if config.plugin is not None and config.equation:
        raise UsageError(
            f"both a plugin, {config.plugin}, and an equation, {config.equation[0]!r}, are given.",
            hint="Give one of them: the plugin has its own equation.",
        )
    if config.plugin is None and not config.equation:
        raise UsageError(
            f"{config.kind} needs either a plugin or an equation.",
            hint="Give --plugin NAME, or --equation 'u_t + u*u_x + u_xxx' --independent t,x --dependent u.",
        )
    if config.equation:
        for key in ("independent", "dependent"):
            if not getattr(config, key):
                raise UsageError(
                    f"{key} variables of {config.equation[0]!r} are not given.",
                    hint="For example --independent t,x --dependent u.",
                )
        return
    for key in ("independent", "dependent", "parameter", "function"):
        if getattr(config, key):
            raise UsageError(
                f"--{key} belongs to --equation; the plugin {config.plugin} has its own.",
                hint=f"Leave --{key} out, or give --equation in place of --plugin.",
            )


class Failure(msgspec.Struct):
    """An error of the child, as `describe` tells it."""

    type: str
    message: str
    hint: str = ""
    traceback: str = ""


class _Answer(msgspec.Struct):
    """What tells a result from an error."""

    error: Failure | None = None


def _read(answer: bytes, code: int | None, kind: type[Answer]) -> Answer:
    try:
        error = msgspec.json.decode(answer, type=_Answer).error
        if error is None:
            return msgspec.json.decode(answer, type=kind)
    except msgspec.DecodeError:
        raise DerivationError(
            f"the derivation's process ended with code {code} and no answer.",
            hint="It may have run out of memory; try again.",
        ) from None
    told = error_told(error, "the derivation")
    raise told from (_RemoteError("\n" + error.traceback) if isinstance(told, DerivationError) else None)


def error_told(error: Failure, work: str) -> LieappError:
    """The error that another process met at its work."""
    kind = getattr(errors, error.type, None)
    if isinstance(kind, type) and issubclass(kind, LieappError):
        return kind(error.message, hint=error.hint)
    return DerivationError(f"{work} failed: {error.type}: {error.message}", hint=error.hint)


def derive(request: Request) -> TruthResult:
    """The derivation itself, here in this process. Raises LieappError."""
    from lieapp.lie.deadline import Clock, OutOfTimeError

    # SymPy is loaded at the cost of the budget too
    clock = Clock(min(request.config.budget, LONGEST), noting(request.notes))
    clock.note("reading the equation")
    try:
        with clock.limit():
            from lieapp.lie import stages as truth
            from lieapp.lie.parameters.moving import moved_of

            system, periodic, lengths, title = system_asked(request.config, request.folders)
            moved = moved_of(system, request.config.moving)
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was parsed.", hint="Raise --budget.") from None
    named = {str(symbol): symbol for symbol in system.jets.independent}
    unknown = [name for name in periodic if name not in named]
    if unknown:
        raise UsageError(
            f"periodic in {unknown[0]}: the variables are {', '.join(named)}.",
            hint="Name one of the independent variables.",
        )
    variables = [named[name] for name in periodic]
    found = truth.derive(system, variables, lengths, clock, moved, request.config.order)
    result = _told(found, periodic, request.config, clock)
    result.plugin, result.title = request.config.plugin, title
    return result


def derive_encoded(request: bytes) -> TruthResult:
    """`derive` of a request as JSON."""
    return derive(msgspec.json.decode(request, type=Request))


def _told(found: Truth, periodic: Sequence[str], config: TruthConfig, clock: Clock) -> TruthResult:
    """The result with what else was asked for; flows and reductions in what is left of the budget."""
    from lieapp.lie import consequences
    from lieapp.lie.told import named, statement, told, told_flow, told_reduced

    result = told(found, periodic)
    # first: flows and reductions take all the time that is left
    asked = statement(found.system, clock) if config.explain else {}
    rows: list[str] = []
    wanted = config.flows + config.reductions
    if config.flows:
        flows = consequences.flows(found, clock.part(1 / wanted))
        result.parameter = consequences.parameter_of(found.system)
        result.parameter_shown = named(result.parameter)
        result.flows = list(map(told_flow, flows))
        rows += consequences.flows_latex(found, flows)
    if config.reductions:
        reductions = consequences.reductions(found, clock.part())
        result.reductions = list(map(told_reduced, reductions))
        rows += consequences.reductions_latex(reductions)
    if config.explain:
        clock.note("telling the derivation")
        result.explain = found.explain(asked)
    if config.latex:
        result.latex = found.latex(config.explain, rows)
    if wanted:
        result.seconds = round(time.perf_counter() - clock.started, 3)
    return result


def noting(notes: str) -> Callable[[str], None] | None:
    """Writes what is being worked on into a file."""
    if not notes:
        return None

    def note(stage: str) -> None:
        # whoever waits does without rather than have the derivation fail
        with contextlib.suppress(OSError):
            Path(notes).write_text(stage, encoding="utf-8")

    return note


def system_asked(
    config: EquationConfig, folders: Sequence[str]
) -> tuple[System, list[str], dict[Any, Any] | None, str]:
    """The system, its periodic variables, the lengths of the periods where they are known, and the title."""
    # the others ask neither for a period nor for outputs
    typed = config if isinstance(config, TruthConfig) else None
    periodic, outputs = (typed.periodic, typed.output) if typed else ([], [])
    if config.plugin is None:
        from lieapp.equations.parsing import parse_system

        system = parse_system(
            config.equation, config.independent, config.dependent, config.parameter, config.function,
            outputs=outputs,
        )  # fmt: skip
        return system, periodic, None, ""
    from lieapp.equations.equation import exact, read_pde
    from lieapp.registry.catalog import load_catalog

    declaration = load_catalog([Path(folder) for folder in folders]).get(config.plugin).declaration
    if declaration.fitted is not None:
        raise EquationError(
            f"{config.plugin}: its right side was learned from data; nothing is derived from such an equation.",
            hint="`lieapp discover` with the data finds fields that nearly keep it.",
        )
    periodic = periodic or [str(symbol) for symbol in declaration.periodic]
    lengths = {
        symbol: exact(right) - exact(left)
        for symbol, (left, right) in declaration.region.items()
        if str(symbol) in periodic
    }
    system = _with_moved(declaration, typed) if typed else read_pde(declaration)
    return system, periodic, lengths, declaration.title


def _with_moved(declaration: PDE, config: TruthConfig) -> System:
    """A plugin's system with the outputs that are typed, and its parameters symbolic where they may move."""
    from lieapp.equations.equation import read_pde
    from lieapp.equations.parsing import parse_expression

    named = list(map(str, declaration.parameters))
    for name in config.moving:
        if name not in named:
            raise UsageError(
                f"moving {name}: it is no parameter of the plugin {config.plugin}.",
                hint=f"Its parameters are {', '.join(named)}." if named else "It has none that could be moved.",
            )
    system = read_pde(declaration, config.moving or (named if config.output else ()))
    names = {str(s): s for s in (*system.jets.coordinates, *system.parameters)}
    outputs = tuple(parse_expression(text, names, typed=True) for text in config.output)
    return replace(system, outputs=outputs)


def answered(work: Callable[[bytes], msgspec.Struct], request: bytes) -> bytes:
    """The answer to a request: a result, or the error that was raised."""
    from lieapp.errors import describe

    try:
        return msgspec.json.encode(work(request))
    except Exception as error:
        # told by the one that asked, if it is asked for it
        lines = "".join(traceback.format_exception(error)).rstrip()
        return msgspec.json.encode({"error": {**describe(error), "traceback": lines}})


def answer(work: Callable[[bytes], msgspec.Struct]) -> None:
    """Answer the one request on stdin, on stdout."""
    from lieapp.registry.modules import stdout_to_stderr

    leave_with_parent()
    with stdout_to_stderr():
        try:
            told = answered(work, sys.stdin.buffer.read())
        except KeyboardInterrupt:
            return
    try:
        sys.stdout.buffer.write(told)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # the one that asked was killed a moment ago
        os._exit(1)


if __name__ == "__main__":
    answer(derive_encoded)
