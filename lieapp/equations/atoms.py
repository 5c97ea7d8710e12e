"""Expressions made rational in atoms: exp, log, sin, cos, roots and powers with known derivatives.

Every function that isn't rational becomes an *atom*, a new generator of the coefficient ring. Relations
between atoms are kept exactly: exp(2t) = exp(t)², cos² = 1 - sin², (t+1)^(1/2) squared is t+1, uⁿ⁻¹ =
uⁿ/u. Branches are the real generic ones: radicands and arguments of logarithms count as positive.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.algebraic import RealRoot
from lieapp.equations.arbitrary import Composed, child, parent
from lieapp.equations.independence import check_independent, known_value, vanishes, without
from lieapp.equations.jets import MultiIndex, multi_indices, raised
from lieapp.equations.special import (
    DERIVATIVES,
    FIRST,
    HALF,
    ORDERED,
    PRIMITIVES,
    REFLECTED,
    SPECIAL,
    by_wronskian,
    check_related,
    elementary,
    second_slope,
    shifted,
)
from lieapp.equations.splitting import factors, multiple_angle, never_positive, parts
from lieapp.errors import EquationError

FUNCTION_ORDERS = (4, 3, 2)
"""Orders beyond those that occur whose derivatives get atoms, of arbitrary functions of 1, 2 or more arguments."""


@dataclass(frozen=True)
class Atom:
    """A ring generator that stands for an expression, with ∂/∂v for each variable v it depends on.

    The derivatives are rational in generators and atoms. `symbol**degree = power` if the atom is algebraic over
    earlier ones, else degree 0; degree 1 if a finer atom replaced it. `power` contains the symbol itself, to lower
    degrees, if the atom is a zero of a polynomial of several terms.
    """

    symbol: sp.Symbol
    expression: sp.Expr
    derivatives: dict[sp.Symbol, sp.Expr]
    degree: int = 0
    power: sp.Expr = sp.S.Zero


Units = dict[tuple, list[tuple[sp.Rational, sp.Expr]]]
Mark = tuple[list[Atom], Units, int]


@dataclass
class AtomTable:
    """The atoms met so far, and the rewriting into them; constants are parameters."""

    variables: tuple[sp.Symbol, ...]
    constants: tuple[sp.Symbol, ...]
    atoms: list[Atom] = field(default_factory=list)
    _units: Units = field(default_factory=dict)
    _known: dict[sp.Expr, sp.Expr] = field(default_factory=dict)

    def copy(self) -> AtomTable:
        """The same atoms, to add others to."""
        atoms, units, _ = self.mark()
        return AtomTable(self.variables, self.constants, atoms, units, dict(self._known))

    def mark(self) -> Mark:
        """What `back_to` needs to forget all that comes later."""
        units = {group: list(finer) for group, finer in self._units.items()}
        return list(self.atoms), units, len(self._known)

    def back_to(self, mark: Mark) -> None:
        """Forget all that was met since a mark."""
        self.atoms, self._units, known = mark
        while len(self._known) > known:
            self._known.popitem()

    def rational(self, expression: sp.Expr) -> sp.Expr:
        """The expression with every non-rational part replaced by atoms, which are made as needed."""
        if expression in self._known:
            return self._known[expression]
        result = self._rational(expression)
        self._known[expression] = result
        return result

    def _rational(self, e: sp.Expr) -> sp.Expr:
        if e.is_Rational:
            return e
        if e.is_Symbol:
            if e in self.variables or e in self.constants or any(e == a.symbol for a in self.atoms):
                return e
            raise EquationError(
                f"{e} is neither a variable nor an unknown nor a declared parameter.",
                hint=f"Declare {e} with the same symbol and assumptions everywhere, or give it a value.",
            )
        if e.is_Float:
            return sp.Rational(str(e))
        if e.is_Add or e.is_Mul:
            return e.func(*(self.rational(a) for a in e.args))
        if e.is_Pow and e.exp.is_Integer:
            return self.rational(e.base) ** e.exp
        if e.is_Pow and e.base is not sp.E:
            return self._power(e.base, e.exp)
        if isinstance(e, sp.exp) or e.is_Pow:
            return sp.Mul(*(self._exponential(term) for term in sp.Add.make_args(parts(e.exp))))
        if isinstance(e, sp.log):
            return self._logarithm(e.args[0])
        if isinstance(e, (sp.sin, sp.cos)):
            return self._circular(e)
        if isinstance(e, (sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.sech, sp.csch)):
            return self.rational(e.rewrite(sp.exp))
        if isinstance(e, (sp.tan, sp.cot, sp.sec, sp.csc)):
            sine, cosine = sp.sin(e.args[0]), sp.cos(e.args[0])
            quotients = {sp.tan: sine / cosine, sp.cot: cosine / sine, sp.sec: 1 / cosine, sp.csc: 1 / sine}
            return self.rational(quotients[e.func])
        if isinstance(e, (AppliedUndef, sp.Derivative)):
            return self._arbitrary(e)
        if isinstance(e, sp.acos):
            return self.rational(sp.pi / 2 - sp.asin(e.args[0]))
        if isinstance(e, (sp.atan, sp.asin)):
            return self._free_atom(e, {v: r for v in self.variables if (r := sp.diff(e, v)) != 0})
        if isinstance(e, SPECIAL):
            return self._special(e)
        if isinstance(e, sp.Integral) and e.limits in [(sp.Tuple(v),) for v in self.variables]:
            # formal, from the solver: its derivative is the integrand
            return self._free_atom(e, {e.limits[0][0]: e.function})
        if e.is_NumberSymbol:
            return self._free_atom(e, {})
        if isinstance(e, RealRoot):
            return self._real_root(e)
        raise EquationError(
            f"{e} is not supported in coefficients.",
            hint="Use exp, log, sqrt, sin, cos, tan, sinh, cosh, tanh, powers.",
        )

    def _exponential(self, term: sp.Expr) -> sp.Expr:
        """exp of a term c·M with rational c, a power of exp(unit·M)."""
        c, M = term.as_coeff_Mul()
        logs = [f for f in sp.Mul.make_args(M) if isinstance(f, sp.log)]
        if logs:
            return self._power(logs[0].args[0], term / logs[0])
        return self._in_unit(sp.E, c, M)

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        """base**exponent, factor by factor of the base."""
        if isinstance(base, sp.exp):
            return self.rational(sp.exp(sp.expand(base.exp * exponent)))
        if base.is_Pow:
            return self._power(base.base, sp.expand(base.exp * exponent))
        split = factors(base)
        if split != [(base, sp.S.One)]:
            return sp.Mul(*(self._power(b, sp.expand(n * exponent)) for b, n in split))
        result: sp.Expr = sp.S.One
        for term in sp.Add.make_args(parts(exponent)):
            c, M = term.as_coeff_Mul()
            if M is sp.S.One:
                whole = sp.floor(c)
                result *= self.rational(base) ** whole * self._root(base, c - whole)
            else:
                result *= self._in_unit(base, c, M)
        return result

    def _root(self, base: sp.Expr, c: sp.Rational) -> sp.Expr:
        if c == 0:
            return sp.S.One
        if self._units.get((base, sp.S.One, True)):
            return self._in_unit(base, c, sp.S.One, root=True)
        if never_positive(base):
            raise EquationError(f"({base})**({c}) is not real.", hint="Complex coefficients are not supported.")
        rational = sp.together(self.rational(base))
        if sp.denom(rational).free_symbols:
            # cosh(x) - 1 and tan(x) - 1 are quotients of atoms
            whole = sp.factor(rational).xreplace(self.expressions())
            if factors(whole) != [(base, sp.S.One)]:
                return self._power(whole, c)
            raise EquationError(
                f"({base})**({c}) is not supported.", hint="Write the root of a quotient as a quotient of roots."
            )
        return self._in_unit(base, c, sp.S.One, root=True)

    def _in_unit(self, base: sp.Expr, c: sp.Rational, M: sp.Expr, root: bool = False) -> sp.Expr:
        """base**(c M), as an integer power of an atom of the group of all base**(r M) with rational r.

        A finer unit than the group's last one gives an atom algebraic over it; a `root` is algebraic over the base.
        """
        units = self._units.setdefault((base, M, root), [])
        for unit, symbol in reversed(units):
            if (c / unit).is_Integer:
                return symbol ** (c / unit)
        if units and units[-1][1].is_Symbol:
            last, coarse = units[-1]
            unit = sp.Rational(1, sp.ilcm(last.q, c.q)) if root else sp.gcd(last, c)
            degree, power = int(last / unit), coarse
        elif root:
            unit = sp.Rational(1, c.q)
            degree, power = int(c.q), self.rational(base)
        else:
            unit, degree, power = abs(c), 0, sp.S.Zero
        symbol = sp.Dummy(f"a{len(self.atoms)}", real=True)
        slopes = {v: M * sp.diff(base, v) / base + sp.log(base) * sp.diff(M, v) for v in self.variables}
        # first what may be refused
        derivatives = {v: self.rational(sp.together(unit * s)) * symbol for v, s in slopes.items() if s != 0}
        atom = Atom(symbol, base ** (unit * M), derivatives, degree, power)
        if (value := known_value(atom, self.atoms, self.variables, self.constants)) is not None:
            units.append((unit, value))
            return value ** (c / unit)
        units.append((unit, symbol))
        self.atoms.append(atom)
        return symbol ** (c / unit)

    def _real_root(self, e: sp.Expr) -> sp.Expr:
        """A zero of a monic polynomial."""
        coefficients = [self.rational(c) for c in e.args[2:]]
        symbol, n = sp.Dummy(f"a{len(self.atoms)}", real=True), len(coefficients)
        power = -sp.Add(*(c * symbol ** (n - 1 - k) for k, c in enumerate(coefficients)))
        atom = Atom(symbol, e, {}, n, sp.expand(power))
        alone = all(c.is_Rational for c in coefficients) and all(a.degree < 2 for a in self.atoms)
        if not alone:
            check_independent(atom, self.atoms, self.variables, self.constants)
        self.atoms.append(atom)
        return symbol

    def _logarithm(self, argument: sp.Expr) -> sp.Expr:
        argument = sp.factor(sp.together(argument))
        if isinstance(argument, sp.exp):
            return self.rational(argument.exp)
        if argument.is_Pow:
            return self.rational(argument.exp) * self._logarithm(argument.base)
        split = factors(argument)
        if split != [(argument, sp.S.One)]:
            return sp.Add(*(n * self._logarithm(b) for b, n in split))
        rates = {v: sp.diff(argument, v) / argument for v in self.variables}
        return self._free_atom(sp.log(argument), {v: r for v, r in rates.items() if r != 0})

    def _circular(self, e: sp.Expr) -> sp.Expr:
        """sin and cos of c·M, polynomials in sin and cos of unit·M (Chebyshev)."""
        argument = parts(e.args[0])
        if argument.is_Add:
            return self.rational(sp.expand_trig(e.func(argument)))
        c, M = argument.as_coeff_Mul()
        units = self._units.setdefault(("circle", M), [])
        if not units:
            self._new_circle(units, abs(c), M)
        unit, sine = units[0]
        n = c / unit
        if not n.is_Integer:
            self._finer_circle(units, sp.gcd(unit, c), M)
            unit, sine = units[0]
            n = c / unit
        cosine = self.atoms[self._place(sine) + 1].symbol
        return multiple_angle(n, sine, cosine)[isinstance(e, sp.cos)]

    def _new_circle(self, units: list[tuple[sp.Rational, sp.Symbol]], unit: sp.Rational, M: sp.Expr) -> None:
        sine, cosine = (sp.Dummy(f"a{len(self.atoms) + k}", real=True) for k in range(2))
        # first what may be refused
        slopes = {v: self.rational(unit * sp.diff(M, v)) for v in self.variables if sp.diff(M, v) != 0}
        units.insert(0, (unit, sine))
        self.atoms.append(Atom(sine, sp.sin(unit * M), {v: s * cosine for v, s in slopes.items()}))
        falling = {v: -s * sine for v, s in slopes.items()}
        self.atoms.append(Atom(cosine, sp.cos(unit * M), falling, 2, 1 - sine**2))

    def _finer_circle(self, units: list[tuple[sp.Rational, sp.Symbol]], unit: sp.Rational, M: sp.Expr) -> None:
        """A smaller unit; the sine and cosine in use become polynomials in the new ones."""
        coarse, sine = units[0]
        self._new_circle(units, unit, M)
        fresh = self.atoms[-2].symbol, self.atoms[-1].symbol
        for k, value in enumerate(multiple_angle(coarse / unit, *fresh)):
            place = self._place(sine) + k
            self.atoms[place] = replace(self.atoms[place], degree=1, power=value)
        # a radicand may be a square now: 1 + cos(2*x) = 2*cos(x)**2
        for atom in self.atoms:
            if atom.degree > 1:
                check_independent(atom, without(atom, self.atoms), self.variables, self.constants)

    def _place(self, symbol: sp.Symbol) -> int:
        return next(k for k, a in enumerate(self.atoms) if a.symbol == symbol)

    def _arbitrary(self, e: sp.Expr) -> sp.Expr:
        """An arbitrary function of variables or of an expression in them, with atoms for its next derivatives."""
        function, start = parent(e)
        known = {*self.variables, *self.constants}
        if any(a.free_symbols - known or not a.is_rational_function(*a.free_symbols) for a in function.args):
            raise EquationError(
                f"{e}: the arguments of an arbitrary function must be variables, unknowns or derivatives, or one "
                "rational expression in these.",
                hint="Write the inner function as another arbitrary one, or choose other variables.",
            )
        if isinstance(e, Composed) and (argument := sp.cancel(e.args[0])) != e.args[0]:
            return self.rational(e.func(argument))
        if not any(a.has(*self.variables) for a in function.args):
            raise EquationError(
                f"{e} is a constant, not a function of the variables.",
                hint="Put a parameter, such as a, in its place.",
            )
        size = len(function.args)
        highest = sum(start) + FUNCTION_ORDERS[min(size, len(FUNCTION_ORDERS)) - 1]
        indices = [K for n in range(highest + 1) for K in multi_indices(size, n)]
        fresh = [K for K in indices if child(function, K) not in self._known]
        for n, K in enumerate(fresh):
            self._known[child(function, K)] = sp.Dummy(f"a{len(self.atoms) + n}", real=True)
        slopes = [{v: self.rational(r) for v in self.variables if (r := sp.diff(a, v)) != 0} for a in function.args]

        def rates(K: MultiIndex) -> dict[sp.Symbol, sp.Expr]:
            found: dict[sp.Symbol, sp.Expr] = {}
            for i, slope in enumerate(slopes):
                above = self._known.get(child(function, raised(K, i)), sp.nan)
                for v, rate in slope.items():
                    found[v] = found.get(v, 0) + rate * above
            return found

        for K in fresh:
            self.atoms.append(Atom(self._known[child(function, K)], child(function, K), rates(K)))
        for place, atom in enumerate(self.atoms):
            # what were the highest derivatives so far have known ones now
            if sp.nan in atom.derivatives.values() and (own := parent(atom.expression))[0] == function:
                self.atoms[place] = replace(atom, derivatives=rates(own[1]))
        return self._known[e]

    def _special(self, e: sp.Expr) -> sp.Expr:
        """A special function in the atoms y and y1 of its kind; beside a second solution in those of the first."""
        f, z = e.func, self._written(e.args[-1])
        e = f(*e.args[:-1], z)
        if not isinstance(e, f):
            return self.rational(e)
        if moving := [v for v in self.variables if any(a.has(v) for a in e.args[:-1])]:
            raise EquationError(
                f"{e} isn't supported: its order varies with {moving[0]}.",
                hint="Orders of special functions are numbers, or parameters that don't move.",
            )
        check_related(e, [a.expression for a in self.atoms])
        if f not in ORDERED:
            y = PRIMITIVES[f](*e.args) if f in PRIMITIVES else e
            if y.func is sp.airybi:
                self._pair(sp.airyai(z), sp.airyaiprime(z), z, (sp.airyaiprime(z), second_slope(sp.airyai(z))))
                self._pair(y, None, z, (by_wronskian(y),))
                return self.rational(y if e == y else by_wronskian(y))
            y1 = DERIVATIVES[y.func](*e.args)
            self._pair(y, y1, z, (y1, second_slope(y)))
            return self.rational(e)
        first = FIRST.get(f, f)
        if f in HALF and (2 * e.args[0]).is_odd:
            return self.rational(elementary(e))
        known = [a.expression.args[0] for a in self.atoms if isinstance(a.expression, first)
                 and a.expression.args[-1] == z]  # fmt: skip
        n = next((n for n in known if sp.expand(e.args[0] - n).is_Integer), e.args[0])
        if n not in known and f in REFLECTED and any(sp.expand(e.args[0] + n).is_Integer for n in known):
            return self.rational(REFLECTED[f](sp.expand(-e.args[0]), z))
        y, y1, rules = first(n, z), first(n + 1, z), ORDERED[first]
        self._pair(y, y1, z, (rules.slope(n, z, y, y1), rules.slope1(n, z, y, y1)))
        if first is not f:
            y = f(n, z)
            y1 = by_wronskian(y)
            self._pair(y, None, z, (ORDERED[f].slope(n, z, y, y1),))
        return self.rational(shifted(f, n, int(sp.expand(e.args[0] - n)), z, y, y1))

    def _written(self, z: sp.Expr) -> sp.Expr:
        """An argument of special functions as it is written in the atoms that have the same one."""
        known = dict.fromkeys(a.expression.args[-1] for a in self.atoms if isinstance(a.expression, SPECIAL))
        try:
            return z if z in known else next((w for w in known if vanishes(self.rational(z - w), self.atoms)), z)
        except EquationError:
            # its slope may be supported yet
            return z

    def _pair(self, y: sp.Expr, y1: sp.Expr | None, z: sp.Expr, slopes: tuple[sp.Expr, ...]) -> None:
        """Atoms for y and y1, unless they are there, with what their slopes in z say."""
        if y in self._known:
            return
        own = [y] if y1 is None else [y, y1]
        for k, e in enumerate(own):
            self._known[e] = sp.Dummy(f"a{len(self.atoms) + k}", real=True)
        moving = {v: dz for v in self.variables if (dz := sp.diff(z, v)) != 0}
        try:
            rates = [{v: self.rational(slope * dz) for v, dz in moving.items()} for slope in slopes]
        except EquationError:
            for e in own:
                del self._known[e]
            raise
        self.atoms += [Atom(self._known[e], e, rate) for e, rate in zip(own, rates, strict=True)]

    def _free_atom(self, e: sp.Expr, rates: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
        for atom in self.atoms:
            if atom.expression == e:
                return atom.symbol
        derivatives = {v: self.rational(r) for v, r in rates.items()}
        symbol = sp.Dummy(f"a{len(self.atoms)}", real=True)
        self.atoms.append(Atom(symbol, e, derivatives))
        return symbol

    def expressions(self) -> dict[sp.Symbol, sp.Expr]:
        """What each atom stands for."""
        return {a.symbol: a.expression for a in self.atoms}
