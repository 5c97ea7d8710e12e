"""How exponents, arguments and bases are split before they become atoms."""

from __future__ import annotations

import sympy as sp


def parts(e: sp.Expr) -> sp.Expr:
    """The expression expanded; with sums in denominators in partial fractions, of which there is one sum only."""
    below = (p.base for p in e.atoms(sp.Pow) if p.exp.is_Integer and p.exp.is_negative)
    variables = sorted(e.free_symbols, key=str)
    if variables and any(base.is_Add for base in below) and e.is_rational_function(*variables):
        return sp.apart(sp.together(e), variables[0])
    return sp.expand(e)


def factors(base: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """Irreducible factors with multiplicities; integers split into primes, a sign joins the last factor."""
    if base.is_Rational:
        signless = sp.factorrat(abs(base))
        found = [(sp.Integer(p), sp.Integer(n)) for p, n in sorted(signless.items())]
        return found if base > 0 else [*found, (sp.Integer(-1), sp.S.One)] if found else [(base, sp.S.One)]
    base = sp.factor(sp.together(base))
    found = []
    sign = 1
    for factor in sp.Mul.make_args(base):
        b, n = factor.as_base_exp()
        if b.is_Rational and n.is_Integer:
            sign *= 1 if b > 0 or n % 2 == 0 else -1
            found += [(p, n * k) for p, k in factors(abs(b)) if p != 1]
        elif n.is_Integer and never_positive(b):
            # an irrational number, as sqrt(5) - 5, or sin(x) - 1
            sign *= -1 if n % 2 else 1
            found.append((-b, n))
        else:
            found.append((b, n))
    if sign < 0 and found:
        odd = [k for k, (b, n) in enumerate(found) if not b.is_number and n.is_Integer and n % 2]
        if not odd:
            return [*found, (sp.Integer(-1), sp.S.One)]
        b, n = found[odd[-1]]
        found[odd[-1]] = (sp.expand(-b), n)
    return found


def never_positive(e: sp.Expr) -> bool:
    """Whether an expression is known to be at most 0 everywhere, by |sin| ≤ 1 and |cos| ≤ 1 too."""
    if e.is_nonpositive is not None or not e.has(sp.sin, sp.cos):
        return bool(e.is_nonpositive)
    waves = sorted(e.atoms(sp.sin, sp.cos), key=str)
    gaps = sp.symbols(f"g:{len(waves)}", cls=sp.Dummy, nonnegative=True)
    # each wave is 1 less something, or -1 and something more: where it is added, or subtracted
    rising = dict(zip(waves, gaps, strict=True))
    tops = {w: 1 - g if not sp.diff(e.xreplace(rising), g).is_nonpositive else g - 1 for w, g in rising.items()}
    return bool(sp.expand(e.xreplace(tops)).is_nonpositive)


def multiple_angle(n: sp.Integer, sine: sp.Expr, cosine: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """sin(nθ) and cos(nθ) as Chebyshev polynomials."""
    return sp.sign(n) * sine * sp.chebyshevu(abs(n) - 1, cosine), sp.chebyshevt(abs(n), cosine)
