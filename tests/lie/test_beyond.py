"""Conservation laws, generalised and contact symmetries of the literature: derived and compared.

`beyond.json` has each equation with its `source`, cited from memory as author and year, as in `corpus.json`. What
is `published` (or a conserved density of a system solved for time derivatives, in `densities`) must lie in the
span that is derived. `orders` are those of a basis modulo families, of symmetries beyond point ones; null where no
count is known. None is taken from lieapp; `argument` says where a number follows that the source doesn't tell.
`members` are published laws or symmetries that a family must have for a choice of its functions.

What is derived and what is published is judged by `jets_by_hand` too.
"""

from functools import cache

import pytest
import sympy as sp
from jets_by_hand import RandomJet, euler, orders, rank, total, totals
from published import entries, read

from lieapp.equations.parsing import parse_expression
from lieapp.lie.beyond.laws import conservation_laws
from lieapp.lie.deadline import Clock
from lieapp.lie.stages import derive

SUITE = entries("beyond.json")
BUDGET = 180.0
"""Enough beside other work; how long each takes is measured in benchmarks/beyond.py."""
KEYS = {"id", "kind", "independent", "dependent", "parameters", "functions", "equations", "order", "solved_for",
        "orders", "families", "source"}  # fmt: skip
MORE = {"point", "published", "densities", "members", "argument", "slow"}


class Case:
    """An entry with its system and what is derived."""

    def __init__(self, name):
        self.entry = SUITE[name]
        self.system = read(self.entry)
        self.jets = self.system.jets
        self.numbers = dict(zip(self.system.parameters, (5, 7, 11), strict=False))
        if self.entry["kind"] == "laws":
            self.found = conservation_laws(self.system, self.entry["order"], Clock(BUDGET))
            self.vectors = [law.multiplier for law in self.found.laws]
        else:
            self.truth = derive(self.system, budget=BUDGET, order=self.entry["order"])
            self.found = self.truth.hierarchy
            self.vectors = [one.characteristic for one in self.found.symmetries]

    def read(self, text):
        names = {str(s): s for s in (*self.jets.independent, *self.system.parameters)}
        for s in sp.sympify(text).free_symbols - {sp.Symbol(n) for n in names}:
            names[str(s)] = self.symbol(str(s))
        return parse_expression(text, names)

    def symbol(self, name):
        """A derivative in whatever order its variables are named."""
        unknown, _, by = name.partition("_")
        J = tuple(by.count(str(x)) for x in self.jets.independent)
        return self.jets.symbol(self.entry["dependent"].index(unknown), J)

    def published(self):
        known = [tuple(map(self.read, vector)) for vector in self.entry.get("published", ())]
        for density in map(self.read, self.entry.get("densities", ())):
            known.append(tuple(euler(density, self.jets, a) for a in range(len(self.jets.dependent))))
        return known

    def jet(self, seed=0, solutions=True):
        """Random, on solutions if asked for."""
        if not solutions:
            return RandomJet(self.jets, seed=seed)
        solved = [self.symbol(s) for s in self.entry["solved_for"]]
        return RandomJet(self.jets, self.system.residuals, solved, seed)

    def divergence_free(self, multiplier):
        """E(Λ·Δ) = 0, at a random jet."""
        whole = sp.expand(sum(m * r for m, r in zip(multiplier, self.system.residuals, strict=True)))
        jet = self.jet(solutions=False)
        return all(jet.vanishes(sp.expand(euler(whole, self.jets, a))) for a in range(len(self.jets.dependent)))

    def linearised(self, Q):
        """Σ ∂Δ/∂uᵃ_J D_J Qᵃ = 0, at a random jet of solutions."""
        jet = self.jet()
        for r in self.system.residuals:
            terms = [sp.diff(r, s) * totals(Q[self.jets.index(s)[0]], self.jets, self.jets.index(s)[1])
                     for s in self.jets.jets(r)]  # fmt: skip
            if not jet.vanishes(sp.expand(sp.Add(*terms))):
                return False
        return True

    def judged(self, vector):
        if self.system.functions:
            # no values of an arbitrary function
            return True
        return self.divergence_free(vector) if self.entry["kind"] == "laws" else self.linearised(vector)


case = cache(Case)


def agree(name):
    """All that is compared for an entry."""
    one = case(name)
    found, entry = one.found, one.entry
    assert not found.unsolved, found.unsolved
    assert found.certified or found.certificate.reason
    assert all(map(one.judged, one.vectors))
    assert rank(one.vectors, one.numbers) == len(one.vectors)
    for known in one.published():
        assert one.judged(known), known
        assert rank([*one.vectors, known], one.numbers) == len(one.vectors), known
    if entry["families"] is not None:
        assert len(found.families) == entry["families"]
    if entry["kind"] == "laws":
        assert all(law.proved for law in (*found.laws, *found.families))
        if entry["orders"] is not None:
            assert orders(one.vectors, one.jets, one.numbers) == entry["orders"]
    else:
        assert all(symmetry.proved for symmetry in found.symmetries)
        beyond = [s.characteristic for s in found.symmetries if s.kind != "point"]
        points = [s.characteristic for s in found.symmetries if s.kind == "point"]
        if entry["point"] is not None:
            assert len(points) == entry["point"]
        if entry["orders"] is not None:
            # of a complement of the point symmetries
            assert sorted(s.order for s in found.symmetries if s.kind != "point") == entry["orders"]
            assert len(beyond) == len(entry["orders"])


def conserved(name):
    """D_t T + Σ Dᵢ Xⁱ = 0 on solutions, at random jets; and the law isn't trivial."""
    one = case(name)
    independent = one.jets.independent
    for law in one.found.laws:
        if law.density is None or one.system.functions:
            continue
        parts = {one.found.variable: law.density, **law.flux}
        whole = sum(total(parts[str(x)], one.jets, i) for i, x in enumerate(independent))
        assert one.jet(seed=1).vanishes(sp.expand(whole)), law
        if law.density != 0:
            # not by itself, for all functions
            assert not one.jet(seed=1, solutions=False).vanishes(sp.expand(whole)), law


def contained(name):
    """Each published member is one of a family."""
    one = case(name)
    for member in one.entry.get("members", ()):
        wanted = tuple(map(one.read, member["published"]))
        assert one.judged(wanted), wanted
        assert any(belongs(one, family, member["functions"], wanted) for family in one.found.families), wanted


def belongs(one, family, values, wanted):
    given = {str(f): f for f in family.functions}
    if given.keys() != values.keys():
        return False
    chosen = {given[name]: one.read(text) for name, text in values.items()}

    def of(e):
        return sp.expand(e.subs(chosen).doit())

    multiplier = tuple(map(of, family.multiplier))
    return rank([multiplier, wanted], one.numbers) == 1 and not any(map(of, family.conditions))


QUICK = [name for name, entry in SUITE.items() if not entry.get("slow")]
SLOW = [name for name in SUITE if name not in QUICK]


def test_the_suite_is_large_and_tells_its_sources():
    assert len(SUITE) >= 40
    for entry in SUITE.values():
        assert KEYS <= entry.keys() <= KEYS | MORE, entry["id"]
        assert entry["source"] and len(entry["solved_for"]) == len(entry["equations"]), entry["id"]
        # something that can fail
        assert entry["orders"] is not None or entry.get("published") or entry.get("densities"), entry["id"]


def test_the_judges_refuse_what_is_wrong():
    """u_x is an adjoint symmetry of u_t = u_xxx and no multiplier; u_xxxxx is no symmetry of KdV."""
    airy, kdv = case("airy_laws"), case("kdv_symmetries")
    assert airy.linearised((airy.read("u_x"),)) and not airy.divergence_free((airy.read("u_x"),))
    assert not kdv.linearised((kdv.read("u_xxxxx"),))
    assert rank([*kdv.vectors, (kdv.read("u_xxxxx"),)], {}) == len(kdv.vectors) + 1
    one = case("liouville_laws")
    wrong = (one.read("x**3*u_x - 3*x**2"),)
    assert not any(belongs(one, family, {"alpha(x)": "x**3"}, wrong) for family in one.found.families)


@pytest.mark.parametrize("name", QUICK)
def test_what_is_published_is_derived(name):
    agree(name)
    if SUITE[name]["kind"] == "laws":
        conserved(name)
        contained(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_what_takes_longer_is_derived(name):
    agree(name)
    if SUITE[name]["kind"] == "laws":
        conserved(name)
        contained(name)
