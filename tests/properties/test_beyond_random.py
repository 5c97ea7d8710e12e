"""Laws and generalised symmetries of random evolution equations: proved, judged anew, the same however written."""

from functools import cache
from random import Random

import pytest
import sympy as sp
from jets_by_hand import RandomJet, euler, rank, total, totals

from lieapp.equations.parsing import parse_system
from lieapp.lie.beyond.laws import conservation_laws
from lieapp.lie.deadline import Clock
from lieapp.lie.stages import derive

SEEDS = range(12)
BUDGET = 60.0
JETS = ("u", "u_x", "u_xx", "u_xxx")


def equation(seed):
    """u_t = a linear term and one or two products of up to three derivatives, with coefficients that may have x."""
    random = Random(seed)
    terms = [f"{random.choice(JETS[2:])}"]
    for _ in range(random.randint(1, 2)):
        jets = "*".join(random.choice(JETS) for _ in range(random.randint(2, 3)))
        terms.append(f"{random.choice([-3, -2, -1, 1, 2, 3])}*{random.choice(['', '', '', 'x*'])}{jets}")
    return "u_t - (" + " + ".join(terms) + ")"


@cache
def system_of(text, independent=("t", "x"), dependent=("u",)):
    return parse_system([text], independent, dependent)


def laws_of(system):
    return conservation_laws(system, 2, Clock(BUDGET))


@cache
def found(seed):
    system = system_of(equation(seed))
    return laws_of(system), derive(system, budget=BUDGET, order=3).hierarchy


def counts(laws, hierarchy):
    """Whether something is left open, and how many of each kind there are."""
    orders = sorted(law.order for law in laws.laws), len(laws.families)
    kinds = sorted((one.kind, one.order) for one in hierarchy.symmetries), len(hierarchy.families)
    return bool(laws.unsolved or hierarchy.unsolved), orders, kinds


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_proved_and_holds_at_random_jets(seed):
    laws, hierarchy = found(seed)
    system = laws.system
    jets, (residual,) = system.jets, system.residuals
    lead = jets.symbol(0, (1, 0))
    for law in laws.laws:
        assert law.proved
        product = sp.expand(law.multiplier[0] * residual)
        assert RandomJet(jets, seed=seed).vanishes(sp.expand(euler(product, jets, 0)))
        if law.density is not None:
            whole = total(law.density, jets, 0) + total(law.flux["x"], jets, 1)
            assert RandomJet(jets, [residual], [lead], seed).vanishes(sp.expand(whole))
    for one in hierarchy.symmetries:
        assert one.proved
        (q,) = one.characteristic
        linear = sum(sp.diff(residual, s) * totals(q, jets, J) for s, (_, J) in jets.jets(residual).items())
        assert RandomJet(jets, [residual], [lead], seed).vanishes(sp.expand(linear))
    # ∂t is always there, of the order of the equation
    assert any(one.field is not None and one.field.components["t"] != 0 for one in hierarchy.symmetries)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_other_names_and_units_give_the_same_counts(seed):
    """w(y, s) in place of u(t, x), with y time: the same equation; so is that of u/2."""
    text = equation(seed)
    expected = counts(*found(seed))
    assert not expected[0]
    renamed = text.translate(str.maketrans({"t": "y", "x": "s", "u": "w"}))
    halved = str(sp.expand(2 * sp.sympify(text).xreplace({sp.Symbol(s): sp.Symbol(s) / 2 for s in ("u_t", *JETS)})))
    for other in (system_of(renamed, ("y", "s"), ("w",)), system_of(halved)):
        assert counts(laws_of(other), derive(other, budget=BUDGET, order=3).hierarchy) == expected


@pytest.mark.parametrize("seed", range(6))
def test_hamiltonian_equations_conserve_mass_momentum_and_energy(seed):
    """u_t = D_x E(H) with H(u, u_x) free of x and t: ∫u, ∫u²/2 and ∫H are conserved (Olver 1993, ch. 7.1)."""
    random = Random(100 + seed)
    jets = system_of("u_t").jets
    u, u_x = jets.symbol(0, (0, 0)), jets.symbol(0, (0, 1))
    powers = [(3, 0), (4, 0), (5, 0), (1, 2), (2, 2)]
    energy = u_x**2 + sum(random.randint(1, 4) * u**m * u_x**n for m, n in random.sample(powers, 2))
    slope = sp.expand(euler(energy, jets, 0))
    found = laws_of(system_of(f"u_t - ({sp.expand(total(slope, jets, 1))})"))
    multipliers = [law.multiplier for law in found.laws]
    for known in (sp.Integer(1), u, slope):
        assert rank([*multipliers, (known,)], {}) == len(multipliers), known


def test_a_law_and_a_symmetry_of_one_random_equation():
    """As above, for one of them that is quick."""
    test_everything_is_proved_and_holds_at_random_jets(2)
