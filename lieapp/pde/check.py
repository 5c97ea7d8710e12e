"""A plugin of an equation verifies itself: `lieapp check`.

Tensors are checked against exact evaluation, a change of variables by substitution on jets, the linearisation and
the defects of derived fields on short data. A step that fails becomes a failed check with its text; those that need
what it should have given say so, the others still run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
import torch
from torch import Tensor

from lieapp.api import MIN_POINTS, PDE
from lieapp.config_types import FileData
from lieapp.data.change import unknowns_on_jets
from lieapp.data.declared import check_coefficients, check_times
from lieapp.data.own import described
from lieapp.data.own_trajectories import own_data
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Characteristics
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import Slices
from lieapp.equations.equation import System, exact, read_pde, read_transform
from lieapp.equations.evolution import Evolution, degree, evolution_form, time_variable
from lieapp.errors import DataError, EquationError
from lieapp.extension import OUTCOMES, Check, failed
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import Truth, derive
from lieapp.numerics.codegen import Tape
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import FIELD_DEGREE, PDEDomain
from lieapp.pde.misfit import misfit, misfits, unlike
from lieapp.progress import Reporter


def change_leaves(pde: PDE) -> tuple[sp.Expr, ...]:
    """What the change of variables leaves in each of the plugin's equations; all 0 if it is right."""
    assert pde.transform is not None
    system = read_pde(pde)
    solved = evolution_form(read_transform(pde, pde.transform))
    expressions = unknowns_on_jets(pde, evolution_form(system), solved)
    result = []
    for residual in system.residuals:
        values = {
            s: solved.jets.total_derivatives(expressions[a], J) for s, (a, J) in system.jets.jets(residual).items()
        }
        result.append(_vanishing(_on_solutions(residual.xreplace(values), solved)))
    return tuple(result)


def _on_solutions(expression: sp.Expr, solved: Evolution) -> sp.Expr:
    """Replace every time derivative by derivatives in space."""
    jets = solved.jets
    while True:
        found = {
            s: jets.total_derivatives(solved.rhs[a], tuple(n - (i == solved.time) for i, n in enumerate(J)))
            for s, (a, J) in jets.jets(expression).items() if J[solved.time]
        }  # fmt: skip
        if not found:
            return expression
        expression = expression.xreplace(found)


def _vanishing(expression: sp.Expr) -> sp.Expr:
    """0 if the numerator expands to 0, else a simplified form."""
    numerator, _ = sp.fraction(sp.together(expression))
    return sp.S.Zero if sp.expand(numerator) == 0 else sp.simplify(expression)


SAMPLES = 2
TIMES = 16
SHARE = 0.1
"""Part of the time window that the short simulation covers; the cheap part, as initial states are smooth."""

STEP = 1e-3
"""Relative step of the difference quotient: smaller ones drown in the round-off of high derivatives."""


def short_declaration(pde: PDE) -> PDE:
    """The declaration with fewer times, and with a shorter window unless data come by a change of variables.

    Those are cheap, and what they start from may be too steep for the plugin's own grid.
    """
    if pde.source is not None:
        return pde
    t = tuple(pde.region)[time_variable(read_pde(pde))]
    left, right = (float(end) for end in pde.region[t])
    share = 1.0 if pde.transform is not None else SHARE
    region = {**pde.region, t: (left, left + share * (right - left))}
    return replace(pde, region=region, points={**pde.points, t: TIMES}, keep_last=TIMES // 2)


def short_trajectories(pde: PDE, progress: Callable[[int, int], None]) -> Trajectories:
    """A few trajectories of a declaration."""
    return simulate(pde, SAMPLES, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-6), progress=progress)


def bridge_error(domain: PDEDomain, points: int = 8) -> tuple[float, int]:
    """Largest relative difference of F and its derivatives, on tensors and by `evalf`, and at how many jets.

    Jets are positive, so that roots and logarithms of them are real.
    """
    evolution, draw = domain.evolution, random.Random(0)
    expressions = [*evolution.rhs, *evolution.frechet().values()]
    jets = list({s: None for e in expressions for s in evolution.jets.jets(e)})
    symbols = [*evolution.jets.independent, *jets]
    tape, worst = Tape(expressions, symbols), 0.0
    for _ in range(points):
        ends = [domain.declaration.region[x] for x in evolution.jets.independent]
        values = [draw.uniform(float(a), float(b)) for a, b in ends] + [draw.uniform(0.3, 1.3) for _ in jets]
        found = tape(*torch.tensor(values, dtype=torch.float64).unbind())
        for expression, value in zip(expressions, found, strict=True):
            exactly = {s: sp.Float(v, 30) for s, v in zip(symbols, values, strict=True)}
            truth = float(expression.xreplace(exactly).evalf(25))
            worst = max(worst, abs(float(value) - truth) / max(abs(truth), 1.0))
    return worst, points


def frechet_error(domain: PDEDomain, data: Trajectories) -> float:
    """Relative difference of F'[u](q) and (F[u + εq] - F[u - εq])/(2ε) for random smooth q."""
    train = _slices(domain, data)
    batch = next(iter(train.batches(4, 4)))
    scales, p = train.scales, len(domain.evolution.jets.independent)
    unit = torch.tensor(scales.size[p:], dtype=torch.float64).reshape(-1, *(1 for _ in train.grid.axes))
    q = _smooth(batch.points[:, p:], domain, train.grid.shape)
    u, t = batch.points[:, p:] * unit, batch.points[:, domain.evolution.time]
    time = scales.origin[domain.evolution.time] + scales.size[domain.evolution.time] * t.flatten(1)[:, 0]

    def rate(values: Tensor) -> Tensor:
        return domain.linearisation.slices(time, values, train.grid, scales).tangents[:, p:]

    quotient = (rate(u + STEP * unit * q) - rate(u - STEP * unit * q)) / (2 * STEP)
    linear = -domain.tangent(batch, Characteristics(q[None], torch.zeros_like(q[None])))[0]
    return float((quotient - linear).square().mean().sqrt() / linear.square().mean().sqrt().clamp_min(1e-300))


def _slices(domain: PDEDomain, data: Trajectories) -> SliceData:
    """All trajectories as slices, padded for fields of low degree in u."""
    padding = degree(domain.evolution, domain.evolution.rhs) + FIELD_DEGREE
    return SliceData([data], domain.linearisation, measure_scales([data], domain.arguments.names), padding)


def _smooth(like: Tensor, domain: PDEDomain, shape: tuple[int, ...]) -> Tensor:
    """Two Fourier modes with random phases along each axis, for each component of each slice."""
    generator, result = torch.Generator().manual_seed(1), torch.ones_like(like)
    for axis, n in enumerate(shape):
        line = torch.arange(n, dtype=torch.float64) * (2 * torch.pi / n)
        phase = 2 * torch.pi * torch.rand(2, *like.shape[:2], 1, generator=generator, dtype=torch.float64)
        values = torch.cos(line + phase[0]) + 0.5 * torch.cos(2 * line + phase[1])
        result = result * values.reshape(*like.shape[:2], *(n if i == axis else 1 for i in range(len(shape))))
    return result


def wrong_field(domain: PDEDomain) -> dict[str, sp.Expr] | None:
    """A field that is no symmetry, periodic where the domain is; None if every candidate is one."""
    zero = dict.fromkeys(domain.components, sp.S.Zero)
    candidates = []
    for x in domain.declaration.periodic:
        left, right = (exact(end) for end in domain.declaration.region[x])
        candidates.append({**zero, str(x): sp.sin(2 * sp.pi * (x - left) / (right - left))})
    candidates += [{**zero, str(u): u**2} for u in domain.evolution.jets.unknowns]
    return next((field for field in candidates if not is_symmetry(domain.system, field)), None)


def defects(domain: PDEDomain, data: Trajectories, fields: Sequence[dict[str, sp.Expr]]) -> list[float]:
    """η = rms(M)/rms(Q) of each field on the data: the relative error that moved solutions gather."""
    train = _slices(domain, data)
    batches: list[Slices] = list(train.batches(SAMPLES * TIMES // 2, 8))
    result = []
    for components in fields:
        formulas = FixedFields(domain.scaled_field(components, train.scales))
        residual, size = 0.0, 0.0
        for batch in batches:
            _, q = domain.characteristic(batch, formulas)
            residual += float(domain.tangent(batch, q).square().sum())
            size += float(q.value.square().sum())
        result.append((residual / size) ** 0.5 if size else float("inf"))
    return result


ROUND_OFF = 1e-11
"""Relative difference allowed between tensors and exact evaluation."""

QUOTIENT = 1e-5
"""Relative difference allowed between the linearisation and a difference quotient of second order."""

ACCURATE = 1e-3
"""Estimated relative error allowed in simulated data."""

FLOOR = 1e-5
"""Defect η that derived generators stay below; a field that is no symmetry lies far above it."""


def check_files(pde: PDE, files: FileData, report: Reporter) -> list[Check]:
    """Verify an equation on data in files: the equation holds, and derived generators keep it there.

    Raises DataError and UsageError for files that can't be read as solutions of it.
    """
    return _Checks(described(pde, files), report, files).run()


def check(pde: PDE, report: Reporter) -> list[Check]:
    """Verify an equation: itself, its derived symmetries, data, and that tensors and formulas agree."""
    return _Checks(pde, report).run()


class _Checks:
    """The steps; each gets what those that it needs have found."""

    def __init__(self, pde: PDE, report: Reporter, files: FileData | None = None) -> None:
        self.pde, self.report, self.done, self.files = pde, report, list[Check](), files
        self.found: dict[str, Any] = {}

    def run(self) -> list[Check]:
        self._step("equation", self._equation)
        self._step("truth", self._truth, "equation")
        self._step("evolution form", self._evolution, "equation")
        if self.pde.transform is not None:
            self._step("change of variables", self._change, "evolution form")
        self._step("tensors", self._bridge, "evolution form")
        self._step("data", self._data, "evolution form")
        needed = ("evolution form", "tensors", "data")
        self._step("linearisation", self._linearisation, *needed)
        self._step("generators on data", self._generators, "truth", *needed)
        return self.done

    def _step(self, name: str, work: Callable[..., tuple[Any, str]], *needs: str) -> None:
        """Run one step unless something it needs is missing."""
        if missing := [key for key in needs if key not in self.found]:
            outcome = Check(name, None, f"It needs {', '.join(missing)}.")
        else:
            try:
                self.found[name], detail = work(*(self.found[key] for key in needs))
                outcome = Check(name, True, detail)
            except Exception as error:  # a plugin's own code may raise anything
                outcome = failed(name, error)
        self.done.append(outcome)
        self.report.line(f"{name}: {OUTCOMES[outcome.ok]} {outcome.detail}")

    def _equation(self) -> tuple[System, str]:
        system = read_pde(self.pde)
        return system, "; ".join(f"{r} = 0" for r in system.residuals)

    def _truth(self, system: System) -> tuple[Truth, str]:
        lengths = {x: exact(self.pde.region[x][1]) - exact(self.pde.region[x][0]) for x in self.pde.periodic}
        truth = derive(system, list(self.pde.periodic), lengths)
        kept = f", {len(truth.periodic)} of them on the periodic domain" if self.pde.periodic else ""
        count = len(truth.families)
        families = f", {count} {'family' if count == 1 else 'families'}" if count else ""
        return truth, f"{truth.dimension} generators{kept}{families}"

    def _evolution(self, system: System) -> tuple[Evolution, str]:
        evolution = evolution_form(system)
        # over the whole region: the short data of a check don't reach its end
        check_coefficients(self.pde, evolution)
        t = evolution.jets.independent[evolution.time]
        pairs = zip(evolution.jets.dependent, evolution.rhs, strict=True)
        return evolution, "; ".join(f"{name}_{t} = {f}" for name, f in pairs)

    def _change(self, evolution: Evolution) -> tuple[bool, str]:
        left = [e for e in change_leaves(self.pde) if e != 0]
        if left:
            raise EquationError(
                f"the change of variables leaves {', '.join(map(str, left))} in the equation.",
                hint="Correct unknowns or equation of the ChangeOfVariables.",
            )
        return True, "sends solutions to solutions, exactly"

    def _bridge(self, evolution: Evolution) -> tuple[PDEDomain, str]:
        domain = PDEDomain(self.pde)
        error, points = bridge_error(domain)
        if not error < ROUND_OFF:
            raise EquationError(f"tensors and exact evaluation differ by {error:.1e}; at most {ROUND_OFF:g}.")
        return domain, f"agree with exact evaluation to {error:.0e} at {points} random jets"

    def _data(self, evolution: Evolution) -> tuple[Trajectories, str]:
        if self.files is not None:
            return self._own(evolution, self.files)
        check_times(self.pde, evolution, MIN_POINTS)
        data = short_trajectories(short_declaration(self.pde), self.report.progress)
        if not data.values.isfinite().all():
            raise DataError("the data hold NaN or infinite values.")
        data.check_varying(self.pde.name)
        if data.error > ACCURATE:
            raise DataError(f"the data's estimated error is {data.error:.1e}; at most {ACCURATE:g}.")
        shape = " x ".join(map(str, data.values.shape))
        return data, f"{shape} values, estimated relative error {data.error:.0e}"

    def _own(self, evolution: Evolution, files: FileData) -> tuple[Trajectories, str]:
        own = own_data(self.pde, files, self.report)
        for piece in own.pieces:
            piece.check_varying(self.pde.name)
        wrong, missing = unlike(misfits(evolution, own.pieces), 0.0)
        if wrong:
            raise DataError(f"not all files solve the equation: {wrong}.")
        found = misfit(evolution, own.pieces)
        if found is not None and found.refutes:
            raise DataError(f"the data don't solve the equation: {found.words()}.")
        words = "too few times, or too far apart, to tell whether they solve the equation"
        if found is not None:
            words = f"the equation leaves {found.relative:.2g} of their change in time"
        words += f"; files differ: {missing}" if missing else ""
        return own.pieces[0], f"{own.words[-1]}; {words}"

    def _linearisation(self, evolution: Evolution, domain: PDEDomain, data: Trajectories) -> tuple[bool, str]:
        error = frechet_error(domain, data)
        if not error < QUOTIENT:
            raise EquationError(
                f"linearisation and difference quotient differ by {error:.1e}, more than {QUOTIENT:g}."
            )
        return True, f"agrees with a difference quotient to {error:.0e}"

    def _generators(
        self, truth: Truth, evolution: Evolution, domain: PDEDomain, data: Trajectories
    ) -> tuple[bool, str]:
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
                f"on the data, a field that isn't a symmetry, {_written(wrong)}, has η = {other[0]:.1e} only."
            )
        text = f"η of {len(found)} derived generators at most {worst:.0e}" if found else "none to test"
        return True, text + (f"; of {_written(wrong)}, no symmetry, {other[0]:.0e}" if other else "")


def _written(field: dict[str, sp.Expr] | None) -> str:
    return " + ".join(f"({value}) d_{name}" for name, value in (field or {}).items() if value != 0)
