"""Derive a truth within a budget: SymPy works in a child process, which can be ended.

The child is `python -m lieapp.runs.derivation`; it reads a request as JSON and answers with JSON, so that
no live object crosses over.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lieapp import errors
from lieapp.child import child_command
from lieapp.config import TruthConfig
from lieapp.errors import BudgetError, LieappError, UsageError

if TYPE_CHECKING:
    from lieapp.symbolic.deadline import Clock
    from lieapp.symbolic.equation import System
    from lieapp.symbolic.truth import Truth


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
) -> dict[str, Any]:
    """The truth of a plugin's or typed equation, as the JSON of `lieapp truth --json`.

    After `config.budget` seconds the partial result, with what is unsolved. `watch` is called a few times a
    second meanwhile, and ends the derivation by what it raises; what is being worked on then stands in the file
    `notes`. Raises UsageError if it isn't said which equation, BudgetError if there is no partial result either,
    and whatever the derivation raises; DerivationError if it fails unforeseen.
    """
    check_request(config)
    request = msgspec.json.encode(Request(config, [str(folder) for folder in folders], notes))
    command = child_command("lieapp.runs.derivation")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            answer = _answer(child, request, min(config.budget, LONGEST) + GRACE, watch)
        except subprocess.TimeoutExpired:
            name = config.plugin or "; ".join(config.equation)
            raise BudgetError(
                f"{name}: nothing could be told within the budget of {config.budget:g} s.",
                hint="Give it longer with --budget SECONDS.",
            ) from None
        finally:
            child.kill()
    return _read(answer, child.returncode)


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


def check_request(config: TruthConfig) -> None:
    """Raises UsageError unless exactly one of plugin and equation is given, the latter with its names."""
    if config.plugin is not None and config.equation:
        raise UsageError(
            f"both a plugin, {config.plugin}, and an equation, {config.equation[0]!r}, are given.",
            hint="Give one of them: the plugin has its own equation.",
        )
    if config.plugin is None and not config.equation:
        raise UsageError(
            "truth needs either a plugin or an equation.",
            hint="Give --plugin NAME, or --equation 'u_t + u*u_x + u_xxx' --independent t,x --dependent u.",
        )
    typed = {"independent": config.independent, "dependent": config.dependent}
    if config.equation:
        for key, names in typed.items():
            if not names:
                raise UsageError(
                    f"{key} variables of {config.equation[0]!r} are not given.",
                    hint="For example --independent t,x --dependent u.",
                )
    else:
        extra = [
            key
            for key, value in {**typed, "parameter": config.parameter, "function": config.function}.items()
            if value
        ]
        if extra:
            raise UsageError(
                f"--{extra[0]} belongs to --equation; the plugin {config.plugin} has its own.",
                hint=f"Leave --{extra[0]} out, or give --equation in place of --plugin.",
            )


def _read(answer: bytes, code: int | None) -> dict[str, Any]:
    try:
        document: dict[str, Any] = msgspec.json.decode(answer)
    except msgspec.DecodeError:
        raise DerivationError(
            f"the derivation's process ended with code {code} and no answer.",
            hint="Something ended it, too little memory perhaps; try again.",
        ) from None
    error = document.get("error")
    if error is None:
        return document
    told = error_told(error, "the derivation")
    unforeseen = _RemoteError("\n" + error.get("traceback", "")) if isinstance(told, DerivationError) else None
    raise told from unforeseen


def error_told(error: Mapping[str, Any], work: str) -> LieappError:
    """The error that another process met at its work, as `session.describe` writes it."""
    kind = getattr(errors, error["type"], None)
    if isinstance(kind, type) and issubclass(kind, LieappError):
        return kind(error["message"], hint=error["hint"])
    return DerivationError(f"{work} failed: {error['type']}: {error['message']}", hint=error["hint"])


def derive(request: Request) -> dict[str, Any]:
    """The derivation itself, here in this process. Raises LieappError."""
    from lieapp.symbolic.deadline import Clock, OutOfTimeError

    # SymPy is loaded at the cost of the budget too
    clock = Clock(min(request.config.budget, LONGEST), _noting(request.notes))
    clock.note("reading the equation")
    try:
        with clock.limit():
            from lieapp.symbolic import truth

            system, periodic, lengths = _system(request)
    except OutOfTimeError:
        raise BudgetError(f"{clock.told()} before the equation was read.", hint="Raise --budget.") from None
    named = {str(symbol): symbol for symbol in system.jets.independent}
    unknown = [name for name in periodic if name not in named]
    if unknown:
        raise UsageError(
            f"periodic in {unknown[0]}: the variables are {', '.join(named)}.",
            hint="Name one of the independent variables.",
        )
    variables = [named[name] for name in periodic]
    found = truth.derive(system, variables, lengths, clock)
    return {**_told(found, request.config, clock), "periodic_in": periodic}


def _told(found: Truth, config: TruthConfig, clock: Clock) -> dict[str, Any]:
    """The JSON with what else was asked for; flows and reductions in what is left of the budget."""
    from lieapp.symbolic import consequences
    from lieapp.symbolic.explain import statement

    document: dict[str, Any] = found.as_json()
    # first: flows and reductions take all the time that is left
    asked = statement(consequences.system_of(found), clock) if config.explain else {}
    rows: list[str] = []
    wanted = config.flows + config.reductions
    if config.flows:
        flows = consequences.flows(found, clock.part(1 / wanted))
        document |= consequences.flows_json(found, flows)
        rows += consequences.flows_latex(found, flows)
    if config.reductions:
        reductions = consequences.reductions(found, clock.part())
        document["reductions"] = consequences.reductions_json(reductions)
        rows += consequences.reductions_latex(reductions)
    if config.explain:
        clock.note("telling the derivation")
        document["explain"] = asked | found.explain()
    if config.latex:
        document["latex"] = found.latex(config.explain, rows)
    if wanted:
        document["seconds"] = round(time.perf_counter() - clock.started, 3)
    return document


def _noting(notes: str) -> Callable[[str], None] | None:
    """Writes what is being worked on into a file."""
    if not notes:
        return None

    def note(stage: str) -> None:
        # whoever waits does without rather than have the derivation fail
        with contextlib.suppress(OSError):
            Path(notes).write_text(stage, encoding="utf-8")

    return note


def _system(request: Request) -> tuple[System, list[str], dict[Any, Any] | None]:
    """The system, its periodic variables, and the lengths of the periods where they are known."""
    config = request.config
    if config.plugin is None:
        from lieapp.symbolic.parsing import parse_system

        system = parse_system(
            config.equation, config.independent, config.dependent, config.parameter, config.function
        )
        return system, config.periodic, None
    from lieapp.registry.catalog import load_catalog
    from lieapp.symbolic.equation import exact, read_pde

    declaration = load_catalog([Path(folder) for folder in request.folders]).get(config.plugin).declaration
    periodic = config.periodic or [str(symbol) for symbol in declaration.periodic]
    lengths = {
        symbol: exact(right) - exact(left)
        for symbol, (left, right) in declaration.region.items()
        if str(symbol) in periodic
    }
    return read_pde(declaration), periodic, lengths


def leave_with(parent: int) -> None:
    """End this process once the one that asked is gone: nobody waits for the answer any more."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _main() -> None:
    """Answer one request."""
    from lieapp.registry.modules import stdout_to_stderr
    from lieapp.runs.session import describe

    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    with stdout_to_stderr():
        try:
            answer = derive(msgspec.json.decode(sys.stdin.buffer.read(), type=Request))
        except KeyboardInterrupt:
            return
        except Exception as error:
            # told by the one that asked, if it is asked for it
            lines = "".join(traceback.format_exception(error)).rstrip()
            answer = {"error": {**describe(error), "traceback": lines}}
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    _main()
