"""Rank tests of observability done the slow way, and models with what is known of them."""

from dataclasses import dataclass, field

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.leading import solve_for_leading
from lieapp.equations.parsing import parse_system


@dataclass(frozen=True)
class Model:
    """First-order equations x_t = …, and what their outputs determine.

    Args:
        known: parameters that are identifiable; `combinations`: what else is determined, up to functions of these.
        hidden: in how many directions the outputs stay the same.
    """

    equations: list[str]
    unknowns: list[str]
    parameters: list[str]
    outputs: list[str]
    known: set[str]
    combinations: list[str]
    hidden: int
    functions: list[str] = field(default_factory=list)

    def system(self) -> System:
        return parse_system(
            self.equations, ["t"], self.unknowns, self.parameters, self.functions, outputs=self.outputs
        )


TWO = ["x_t + (k12 + k01)*x - k21*y - w", "y_t - k12*x + (k21 + k02)*y"]
RATES = ["k12", "k21", "k01", "k02"]

MODELS = {
    # beta and the fraction k that is counted are confounded with the size of the population
    "SIR, a fraction counted": Model(
        ["S_t + b*S*J", "J_t - b*S*J + g*J"], ["S", "J"], ["b", "g", "k"], ["k*J"], {"g"}, ["b/k"], 1
    ),
    "SIR with N, a fraction counted": Model(
        ["S_t + b*S*J/N", "J_t - b*S*J/N + g*J"], ["S", "J"], ["b", "g", "N", "k"], ["k*J"], {"g"}, ["b/(N*k)"], 2
    ),
    "SIR, all counted": Model(
        ["S_t + b*S*J", "J_t - b*S*J + g*J"], ["S", "J"], ["b", "g"], ["J"], {"b", "g"}, [], 0
    ),
    # Godfrey 1983, *Compartmental Models and their Application*; Meshkat & Sullivant 2014, J. Symb. Comput. 63, 46
    "two compartments that leak": Model(
        TWO, ["x", "y"], RATES, ["x"], set(), ["k12 + k01", "k21 + k02", "k12*k21"], 1, ["w:t"]
    ),
    "two compartments, one leaks": Model(
        [TWO[0], "y_t - k12*x + k21*y"], ["x", "y"], RATES[:3], ["x"], set(RATES[:3]), [], 0, ["w:t"]
    ),
    "two compartments, an unknown volume": Model(
        [TWO[0], "y_t - k12*x + k21*y"], ["x", "y"], [*RATES[:3], "V"], ["x/V"], {*RATES[:3], "V"}, [], 0, ["w:t"]
    ),
    "two compartments without input": Model(
        [TWO[0].removesuffix(" - w"), TWO[1]], ["x", "y"], RATES, ["x"], set(),
        ["k12 + k01 + k21 + k02", "(k12 + k01)*(k21 + k02) - k12*k21"], 2,
    ),
    "logistic growth, scaled": Model(["x_t - r*x*(1 - x/K)"], ["x"], ["r", "K", "c"], ["c*x"], {"r"}, ["K*c"], 1),
    "logistic growth": Model(["x_t - r*x*(1 - x/K)"], ["x"], ["r", "K"], ["x"], {"r", "K"}, [], 0),
    "Michaelis-Menten": Model(["s_t + V*s/(K + s)"], ["s"], ["V", "K"], ["s"], {"V", "K"}, [], 0),
    "Michaelis-Menten, scaled": Model(
        ["s_t + V*s/(K + s)"], ["s"], ["V", "K", "c"], ["c*s"], set(), ["V/K", "K*c"], 1
    ),
    "predator and prey, prey counted": Model(
        ["x_t - a*x + b*x*y", "y_t - c*x*y + d*y"], ["x", "y"], ["a", "b", "c", "d"], ["x"], {"a", "c", "d"}, [], 1
    ),
    "an offset and a gain": Model(
        ["m_t - k1 + d1*m", "p_t - k2*m + d2*p"], ["m", "p"], ["k1", "k2", "d1", "d2", "s", "o"], ["s*p + o"],
        {"d1", "d2"}, ["k1*k2*s + d1*d2*o"], 3,
    ),
}  # fmt: skip


def slow_rank_test(system: System) -> tuple[dict[str, bool], int]:
    """What the outputs determine, by Lie derivatives written out, at integers; and the hidden directions."""
    jets, leading = system.jets, solve_for_leading(system)
    states = [jets.symbol(a, (0,)) for a in range(len(jets.dependent))]
    rates = [leading.rules[a, (1,)] for a in range(len(states))]
    z = [*states, *system.parameters]
    field, elements = sp.sfield([*rates, *system.outputs], z)
    gens = dict(zip(field.symbols, field.gens, strict=True))
    point = [(g, sp.prime(5 + 3 * k)) for k, g in enumerate(field.ring.gens)]
    rows = []
    for h in elements[len(rates) :]:
        for _ in z:
            slopes = [h.diff(gens[s]) for s in z]
            rows.append([sp.Rational(int(e.numer.evaluate(point)), int(e.denom.evaluate(point))) for e in slopes])
            # none of the models depends on the time
            h = sum((f * slope for f, slope in zip(elements[: len(rates)], slopes, strict=False)), field.zero)
    jacobian = sp.Matrix(rows)
    rank = jacobian.rank()
    alone = {str(s): jacobian.col_join(sp.eye(len(z))[k, :]).rank() == rank for k, s in enumerate(z)}
    return alone, len(z) - rank
