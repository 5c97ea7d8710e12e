"""A plugin verifies itself: `lieapp check`.

A step that fails becomes a failed check with its text; those that need what it should have given say so, the
others still run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import sympy as sp

from lieapp.api import MIN_POINTS, PDE
from lieapp.data.declared import check_coefficients, check_times
from lieapp.data.trajectories import Trajectories
from lieapp.domains.check_change import change_leaves
from lieapp.domains.check_numbers import (
    bridge_error,
    defects,
    frechet_error,
    short_declaration,
    short_trajectories,
    wrong_field,
)
from lieapp.domains.pde import PDEDomain
from lieapp.equations.equation import System, exact, read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.errors import CancelledError, DataError, EquationError, LieappError
from lieapp.extension import Check
from lieapp.lie.stages import Truth, derive
from lieapp.progress import Reporter

ROUND_OFF = 1e-11
"""Relative difference allowed between tensors and exact evaluation."""

QUOTIENT = 1e-5
"""Relative difference allowed between the linearisation and a difference quotient of second order."""

ACCURATE = 1e-3
"""Estimated relative error allowed in simulated data."""

FLOOR = 1e-5
"""Defect η that derived generators stay below; a field that is no symmetry lies far above it."""

Result = TypeVar("Result")


def check(pde: PDE, report: Reporter) -> list[Check]:
    """Verify an equation: itself, its derived symmetries, data, and that tensors and formulas agree."""
    return _Checks(pde, report).run()


class _Checks:
    def __init__(self, pde: PDE, report: Reporter) -> None:
        self.pde, self.report, self.done = pde, report, list[Check]()

    def run(self) -> list[Check]:
        """All checks in order."""
        system = self._step("equation", lambda: self._equation())
        truth = self._step("truth", lambda: self._truth(system), equation=system)
        evolution = self._step("evolution form", lambda: self._evolution(system), equation=system)
        needs: dict[str, Any] = {"evolution form": evolution}
        if self.pde.transform is not None:
            self._step("change of variables", self._change, **needs)
        domain = self._step("tensors", self._bridge, **needs)
        data = self._step("data", self._data, **needs)
        needs |= {"tensors": domain, "data": data}
        self._step("linearisation", lambda: self._linearisation(domain, data), **needs)
        self._step("generators on data", lambda: self._generators(domain, data, truth), truth=truth, **needs)
        return self.done

    def _step(self, name: str, work: Callable[[], tuple[Result, str]], **needs: Any) -> Result | None:
        """Run one step unless something it needs is missing; None if it failed."""
        missing = [key for key, value in needs.items() if value is None]
        result: Result | None = None
        if missing:
            outcome = Check(name, False, f"not run: it needs {', '.join(missing)}.")
        else:
            try:
                result, detail = work()
                outcome = Check(name, True, detail)
            except CancelledError:
                raise
            except LieappError as error:
                outcome = Check(name, False, f"{error.message} {error.hint}".strip())
            except Exception as error:  # a plugin's own code may raise anything
                outcome = Check(name, False, f"{type(error).__name__}: {error}")
        self.done.append(outcome)
        self.report.line(f"{name}: {'ok' if outcome.ok else 'failed'} {outcome.detail}")
        return result

    def _equation(self) -> tuple[System, str]:
        system = read_pde(self.pde)
        return system, "; ".join(f"{r} = 0" for r in system.residuals)

    def _truth(self, system: System | None) -> tuple[Truth, str]:
        assert system is not None
        lengths = {x: exact(self.pde.region[x][1]) - exact(self.pde.region[x][0]) for x in self.pde.periodic}
        truth = derive(system, list(self.pde.periodic), lengths)
        kept = f", {len(truth.periodic)} of them on the periodic domain" if self.pde.periodic else ""
        text = f"{truth.dimension} generators{kept}"
        count = len(truth.families)
        families = f", {count} {'family' if count == 1 else 'families'}" if count else ""
        return truth, text + families

    def _evolution(self, system: System | None) -> tuple[Evolution, str]:
        assert system is not None
        evolution = evolution_form(system)
        # over the whole region: the short data of a check don't reach its end
        check_coefficients(self.pde, evolution)
        t = evolution.jets.independent[evolution.time]
        pairs = zip(evolution.jets.dependent, evolution.rhs, strict=True)
        return evolution, "; ".join(f"{name}_{t} = {f}" for name, f in pairs)

    def _change(self) -> tuple[bool, str]:
        left = [e for e in change_leaves(self.pde) if e != 0]
        if left:
            raise EquationError(
                f"the change of variables leaves {', '.join(map(str, left))} in the equation.",
                hint="Correct unknowns or equation of the ChangeOfVariables.",
            )
        return True, "sends solutions to solutions, exactly"

    def _bridge(self) -> tuple[PDEDomain, str]:
        domain = PDEDomain(self.pde)
        error, points = bridge_error(domain)
        if not error < ROUND_OFF:
            raise EquationError(f"tensors and exact evaluation differ by {error:.1e}; at most {ROUND_OFF:g}.")
        return domain, f"agree with exact evaluation to {error:.0e} at {points} random jets"

    def _data(self) -> tuple[Trajectories, str]:
        check_times(self.pde, evolution_form(read_pde(self.pde)), MIN_POINTS)
        data = short_trajectories(short_declaration(self.pde), self.report.progress)
        if not data.values.isfinite().all():
            raise DataError("the data hold NaN or infinite values.")
        data.check_varying(self.pde.name)
        if data.error > ACCURATE:
            raise DataError(f"the data's estimated error is {data.error:.1e}; at most {ACCURATE:g}.")
        shape = " x ".join(map(str, data.values.shape))
        return data, f"{shape} values, estimated relative error {data.error:.0e}"

    def _linearisation(self, domain: PDEDomain | None, data: Trajectories | None) -> tuple[bool, str]:
        assert domain is not None and data is not None
        error = frechet_error(domain, data)
        if not error < QUOTIENT:
            raise EquationError(
                f"linearisation and difference quotient differ by {error:.1e}, more than {QUOTIENT:g}."
            )
        return True, f"agrees with a difference quotient to {error:.0e}"

    def _generators(
        self, domain: PDEDomain | None, data: Trajectories | None, truth: Truth | None
    ) -> tuple[bool, str]:
        assert domain is not None and data is not None and truth is not None
        wrong = wrong_field(domain)
        fields = [*(f.components for f in truth.periodic), *([wrong] if wrong else [])]
        values = defects(domain, data, fields)
        found, other = values[: len(truth.periodic)], values[len(truth.periodic) :]
        worst = max(found, default=0.0)
        bad = [str(f) for f, eta in zip(truth.periodic, found, strict=True) if not eta < FLOOR]
        if bad:
            raise EquationError(f"on the data, {'; '.join(bad)} has η = {worst:.1e}; at most {FLOOR:g}.")
        if other and not other[0] > max(FLOOR, 100 * worst):
            raise EquationError(
                f"on the data, a field that is no symmetry, {_written(wrong)}, has η = {other[0]:.1e} only."
            )
        text = f"η of {len(found)} derived generators at most {worst:.0e}" if found else "none to test"
        return True, text + (f"; of {_written(wrong)}, no symmetry, {other[0]:.0e}" if other else "")


def _written(field: dict[str, sp.Expr] | None) -> str:
    return " + ".join(f"({value}) d_{name}" for name, value in (field or {}).items() if value != 0)
