"""Spaces of symmetries, generators and families together, compared as spaces of solutions.

What is compared is the space of jets at a random point over F_p, with every relation of the coefficients kept: two
spaces are the same when at each order both have jets of the same rank, and so have both together. That doesn't
depend on the basis, on the form of a family or on what is counted as generator or as family's member.
"""

from dataclasses import dataclass, replace
from itertools import product
from random import Random
from time import perf_counter
from unittest import mock

import sympy as sp

from lieapp.equations.parsing import parse_expression
from lieapp.lie.certificate import certify as certificate
from lieapp.lie.certificate.certify import known_counts
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.determining import determining_equations
from lieapp.lie.families import Group, family_holds

HIGHEST = 7
"""Order of the derivatives that a written family may contain."""


ORDER = 3
"""Order of the jets that are compared."""


@dataclass(frozen=True)
class Space:
    """Generators as vectors of coefficients, families as groups of functions under conditions."""

    vectors: tuple = ()
    groups: tuple = ()

    def __add__(self, other):
        return Space(self.vectors + other.vectors, self.groups + other.groups)

    def without_vector(self, k):
        """All but the generator k."""
        return replace(self, vectors=self.vectors[:k] + self.vectors[k + 1 :])

    def without_group(self, k):
        """All but the family k."""
        return replace(self, groups=self.groups[:k] + self.groups[k + 1 :])


class Symmetries:
    """Reads and judges symmetries of one system.

    Args:
        system: the equations.
    """

    def __init__(self, system):
        self.system = system
        self.determining = determining_equations(system)
        self.field, self.unknowns = self.determining.field, self.determining.unknowns
        self.coordinates = system.jets.coordinates
        self.names = {str(s): s for s in (*self.coordinates, *system.parameters)}

    def derived(self, truth):
        """The space of a derived truth, families read back from their JSON."""
        return self.space([f.as_json() for f in truth.generators], [f.as_json() for f in truth.families])

    def space(self, generators, families=()):
        """The space of generators and families in the notation of `lieapp truth --json`."""
        vectors = [self.vector({c: self._read(text, {}) for c, text in g.items()}) for g in generators]
        return Space(tuple(vectors), tuple(self.group(f) for f in families))

    def vector(self, components):
        """A field given by an expression for some of the coordinates."""
        parts = [components.get(str(c), sp.S.Zero) for c in self.coordinates]
        self.field.elements(parts)
        return tuple(self.field.elements(parts))

    def group(self, family):
        """A family in JSON as forms in new functions."""
        positions = {str(c): n for n, c in enumerate(self.coordinates)}
        jets = {}
        functions = []
        for name, arguments in family["functions"].items():
            f = self.unknowns.new(positions[a] for a in arguments)
            functions.append(f)
            for orders in product(range(HIGHEST + 1), repeat=len(arguments)):
                K = [0] * len(self.coordinates)
                for a, n in zip(arguments, orders, strict=True):
                    K[positions[a]] = n
                letters = "".join(str(c) * n for c, n in zip(self.coordinates, K, strict=True))
                jets[f"{name}_{letters}" if letters else name] = (f, tuple(K))
        forms = [self._form(text, jets) for text in family["conditions"]]
        values = [self._form(family["field"].get(str(c), "0"), jets) for c in self.coordinates]
        return Group(tuple(functions), tuple(forms), tuple(values))

    def family(self, family):
        """A derived family; unlike its JSON its expressions may have derivatives of the equation's functions."""
        return self.group(
            {"functions": family.functions, "conditions": family.conditions, "field": family.field.components}
        )

    def _form(self, text, jets):
        symbols = {name: sp.Symbol(name, real=True) for name in jets}
        if isinstance(text, str):
            expression = self._read(text, symbols)
        else:
            known = {**symbols, **self.names}
            expression = text.xreplace({s: known[str(s)] for s in text.free_symbols})
        found = [name for name, s in symbols.items() if s in expression.free_symbols]
        slopes = {name: sp.diff(expression, symbols[name]) for name in found}
        rest = expression - sum(c * symbols[name] for name, c in slopes.items())
        assert sp.expand(rest) == 0, f"{text} isn't linear and homogeneous in {', '.join(found)}"
        self.field.elements(slopes.values())
        return {jets[name]: self.field.element(c) for name, c in slopes.items()}

    def _read(self, text, more):
        return parse_expression(text, {**more, **self.names})

    def lifted(self, space):
        """The space in the field as it is now."""
        vectors = tuple(tuple(self.field.lift(c) for c in v) for v in space.vectors)
        return Space(vectors, tuple(g.lifted(self.field) for g in space.groups))

    def ranks(self, *spaces, order=ORDER, seed=1):
        """Ranks of the jets of order 0 … `order` of all spaces together."""
        whole = self.lifted(sum(spaces, Space()))
        highest = max((sum(K) for g in whole.groups for v in g.values for _, K in v), default=0)
        point = Point(self.field, order + highest + 4, Random(seed))
        deadline = perf_counter() + 120
        return known_counts(whole.vectors, whole.groups, self.unknowns, point, order, 3, deadline)[0]

    def same(self, one, other, **options):
        """Whether two spaces have the same jets at every order."""
        ranks = [self.ranks(*spaces, **options) for spaces in ((one,), (other,), (one, other))]
        return ranks[0] == ranks[1] == ranks[2]

    def holds(self, group):
        """Whether a family solves the determining equations, exactly."""
        return family_holds(group, self.determining)

    def certificate(self, space, further=certificate.FURTHER):
        """What the certificate says of a space.

        `further`: orders tried beyond those of the equations; few for spaces that aren't complete, which are tried
        to the end.
        """
        whole = self.lifted(space)
        with mock.patch.object(certificate, "FURTHER", further):
            return certificate.certify(self.determining, whole.vectors, whole.groups, budget=120.0)
