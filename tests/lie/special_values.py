"""Random equations with symbolic parameters, and what they have at special values of these."""

import random
from dataclasses import dataclass

import sympy as sp

from lieapp.equations.parsing import parse_system
from lieapp.errors import LieappError
from lieapp.lie.stages import derive

VALUES = [sp.Rational(n, d) for d, numbers in ((1, range(-6, 7)), (2, (-5, -3, -1, 1, 3, 5)), (3, (-4, -2, 2, 4)))
          for n in numbers]  # fmt: skip

OF_X = ["x**k", "exp(k*x)", "k", "x", "1", "k/x", "x**(k+1)", "1/x**2", "sin(k*x)", "k*x + 1", "(x + k)**2"]
OF_U = ["u**n", "exp(n*u)", "u**(n+1)", "n*u", "n + u", "u**2 + n", "1", "u", "n*u**2", "u**(2*n)", "log(u) + n"]


@dataclass(frozen=True)
class Case:
    """An equation as text, its variables, unknown and parameters."""

    equation: str
    variables: list[str]
    unknown: str
    parameters: list[str]

    def at(self, values):
        """Derived for numbers in place of parameters; None if it can't be, or not in time."""
        real = [f"{p}:real" for p in self.parameters]
        system = parse_system([self.equation], self.variables, [self.unknown], real)
        if values:
            given = {p: values[str(p)] for p in system.parameters}
            text = str(sp.sympify(system.residuals[0]).subs(given))
            system = parse_system([text], self.variables, [self.unknown], [])
        return derive(system, budget=20)


def drawn(seed):
    """An equation of one of several kinds."""
    r = random.Random(seed)
    x, u = (lambda: r.choice(OF_X)), (lambda: r.choice(OF_U))
    shape, variables, unknown = r.choice(
        [
            (f"u_t - ({x()})*u_xx - ({x()})*u", "t,x", "u"),
            (f"u_t - u_xx - ({x()})*u_x - ({x()})*u", "t,x", "u"),
            (f"u_t - ({u()})*u_xx - ({u()})", "t,x", "u"),
            (f"u_t - u_xx - ({u()})*u_x", "t,x", "u"),
            (f"u_t - u_xx - ({x()})*({u()})", "t,x", "u"),
            (f"u_t + ({u()})*u_x + u_xxx", "t,x", "u"),
            (f"u_tt - ({u()})*u_xx - ({u()})", "t,x", "u"),
            (f"u_tt - u_xx - ({x()})*({u()})", "t,x", "u"),
            (f"u_tx - ({u()}) - ({x()})*u_x", "t,x", "u"),
            (f"y_xx - ({x()})*({u()})".replace("u", "y"), "x", "y"),
            (f"y_xx - ({x()})*y_x - ({x()})*y", "x", "y"),
            (f"y_xxx - ({u()})*y_x".replace("u", "y"), "x", "y"),
            (f"u_t - u_xx + ({x()})*u_y", "t,x,y", "u"),
            (f"u_t - ({u()})*u_xx - n*u_x**2", "t,x", "u"),
        ]
    )
    parameters = [p for p in ("k", "n") if sp.Symbol(p) in sp.sympify(shape, {"Q": None}).free_symbols]
    return Case(shape, variables.split(","), unknown, parameters)


def untold(case, random_values, count=5):
    """Special values with more symmetries than in general at which no condition that was told fails."""
    try:
        general = case.at({})
    except LieappError:
        return None
    if general.unsolved or not general.certified:
        return None
    found = []
    for _ in range(count):
        values = {p: random_values.choice(VALUES) for p in case.parameters}
        at = {sp.Symbol(p, real=True): v for p, v in values.items()}
        if any(sp.simplify(e.subs(at)) == 0 for e in general.assumed_nonzero) or general.assumed_generic:
            continue
        try:
            special = case.at(values)
        except LieappError:
            continue
        if special.infinite != general.infinite or (
            len(special.families) == len(general.families) and special.dimension > general.dimension
        ):
            found.append((values, general, special))
    return found
