"""Texts that somebody might type as equations, drawn at random: number n is the same text in every process.

`deep` draws for the parser: towers of functions, powers, quotients and derivatives, long sums, large numbers,
LaTeX, declarations. `plain` draws what is read and derived: one or two equations of order 1 to 4 with functions,
powers, parameters and arbitrary functions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lieapp.equations.declarations import FUNCTIONS, SPECIAL

HUGE = "123456789012345678901234567890123456789"
LEAVES = (
    "u", "v", "x", "t", "u_x", "u_tx", "v_xx", "p", "n", "k(u)", "k", "k_u", "F(x - t)", "2", "3", "(1/3)", "pi",
    "-1", "13", "1e9", "1e-99", "0.1", HUGE, "(7/97)", "(pi/17)", "(1-pi)", "0x1f", "Rational(1, 3)",
    "u(t, x)", "y",
)  # fmt: skip
EXPONENTS = ("2", "-1", "4", "64", "-64", "(1/3)", "(-3/2)", "u", "p", "n", "pi", "(1-x)", "1.5", "(x-3)", "10**9")
FORMS = (
    *(f"{name}({sign}@)" for name in FUNCTIONS for sign in ("", "-", "1-")),
    *(f"(@)**{exponent}" for exponent in EXPONENTS),
    *(f"{base}**(@)" for base in ("2", "u", "p", "(-2)", "(1/3)")),
    *("D_x(@)", "(@)_x", "(@)_txx", "Derivative(@, x, 2)", "diff(@, (t, 2), x)", "F(@)", "F_s(@)"),
    *("besselj(n, @)", "airyai(x*(@))", "besselk(@, x)"),
    *("1/(@)", "(1-@)", "u*(@)", "(pi/2-@)", "(@)*(@+1)", "(@)**2+x**2", "(@)/(1+@)", "-@", "((@))"),
)
LATEX = (
    r"\frac{@}{1+x}", r"\sqrt{@}", r"\sqrt[3]{@}", r"\sin(@)", r"\left(@\right)^2", r"\partial_x(@)", "e^{@}",
    r"\frac{\partial}{\partial x}(@)", "{@}", r"u_{x}@", r"\frac{1}{@}",
)  # fmt: skip
LATEX_LEAVES = ("u", "u_{xx}", "x", "2", r"\nu_1", r"\partial_t u", r"\frac{\partial^2 u}{\partial x \partial t}")
SEPARATORS = ("+", "-", "*", "/", "**", " ", ",", ";", "=", "(", ")", "_", ".", "@", "\\", "{", "}")
WORDS = (
    "positive", "nonzero", "integer", "real", "u", "x", "p", "n", "q1", "q_2", "k_u", "0", "1/2", "lambda", "ν",
)  # fmt: skip


@dataclass(frozen=True)
class Typed:
    """What was typed, as `lieapp truth` takes it."""

    equations: tuple[str, ...]
    independent: tuple[str, ...] = ("t", "x")
    dependent: tuple[str, ...] = ("u", "v")
    parameters: tuple[str, ...] = ("p:positive", "n:integer, n != 2")
    functions: tuple[str, ...] = ("k:u", "F:s")


def deep(number: int) -> Typed:
    """Text `number` for the parser, without regard for what can be read."""
    rng = random.Random(f"lieapp typed {number}")
    kind = rng.choices(("tower", "sum", "latex", "noise", "declared"), (45, 20, 15, 10, 10))[0]
    if kind == "declared":
        return Typed(("u_t + u*u_x + p*n*v_x",), **_declared(rng))
    text = {"tower": _towers, "sum": _wide, "latex": _latex, "noise": _noise}[kind](rng)
    # what is declared has to occur
    return Typed((f"u_t + k*p*n*F(x)*v*({text})" if kind != "latex" else text, "v_t = k*p*n*F(x)"))


def plain(number: int) -> Typed:
    """Equation or system `number` that can be read, for the whole derivation."""
    rng = random.Random(f"lieapp derived {number}")
    ordinary = rng.random() < 0.15
    variables = ("x",) if ordinary else ("t", "x", "y") if rng.random() < 0.08 else ("t", "x")
    unknowns = ("u", "v") if rng.random() < 0.2 else ("u",)
    parameters = ("a",) if rng.random() < 0.3 else ("n:positive",) if rng.random() < 0.1 else ()
    functions = ("k:u",) if rng.random() < 0.15 else ("h:x",) if rng.random() < 0.1 else ()
    names = [name.split(":")[0] for name in (*parameters, *functions)]
    equations = []
    for unknown in unknowns:
        first = f"{unknown}_{variables[0] * rng.choice((2, 3, 4) if ordinary else (1, 1, 1, 2))}"
        most = len(first) - 3 if ordinary else 4
        terms = [_term(rng, variables, unknowns, names, most) for _ in range(rng.randint(1, 3))]
        equations.append(" ".join([f"{first} =", *(f"{rng.choice('+-')} {term}" for term in terms)]))
    text = " ".join(equations)
    # what is declared and doesn't occur is an error
    equations[0] += "".join(f" + {name}*u" for name in names if name not in text.replace("(", " ").split())
    return Typed(tuple(equations), variables, unknowns, parameters, functions)


def _term(
    rng: random.Random, variables: Sequence[str], unknowns: Sequence[str], names: Sequence[str], most: int
) -> str:
    """A product of a coefficient and a derivative."""
    inner = [*unknowns, *variables, *names, f"{rng.choice(unknowns)}_{rng.choice(variables)}" if most else "u"]
    factors = [f"{rng.randint(2, 7)}"] if rng.random() < 0.3 else []
    for _ in range(rng.choice((0, 1, 1, 2))):
        leaf = rng.choice(inner)
        if rng.random() < 0.35:
            leaf = f"({leaf} {rng.choice('+-')} {rng.choice([*inner, '1', '2'])})"
        if rng.random() < 0.3:
            leaf = f"{rng.choice(('exp', 'sin', 'cos', 'log', 'tanh', 'sqrt', 'atan', 'cosh'))}({leaf})"
        if rng.random() < 0.3:
            leaf += f"**{rng.choice(('2', '3', '(-1)', '(1/2)', '(-3/2)', '(4/3)', *names))}"
        factors.append(leaf)
    order = rng.randint(0, most)
    letters = "".join(sorted(rng.choice(variables) for _ in range(order)))
    unknown = rng.choice(unknowns)
    return "*".join([*factors, f"{unknown}_{letters}" if letters else unknown])


def _towers(rng: random.Random) -> str:
    """Forms inside one another, times others."""
    return rng.choice("*+/").join(f"({_tower(rng, FORMS, LEAVES)})" for _ in range(rng.randint(1, 4)))


def _tower(rng: random.Random, forms: Sequence[str], leaves: Sequence[str]) -> str:
    cycle = rng.choices(forms, k=rng.randint(1, 4))
    text = rng.choice(leaves)
    for form in cycle * rng.choice((1, 1, 1, 2, 3, 10, 40)):
        if len(text) > 20_000:
            break
        text = form.replace("@", text)
    return text


def _wide(rng: random.Random) -> str:
    """Many terms or factors, each of them small."""
    parts = [_tower(rng, FORMS, LEAVES) if rng.random() < 0.3 else rng.choice(LEAVES) for _ in range(4)]
    count = rng.choice((5, 20, 60, 150, 600, 5000))
    numbered = (f"{rng.choice(parts)}*({k}+x)**{rng.choice((1, 2, -1))}" for k in range(count))
    return rng.choice(("+", "*", "-", "/")).join(numbered if rng.random() < 0.6 else rng.choices(parts, k=count))


def _latex(rng: random.Random) -> str:
    return "u_t + " + _tower(rng, (*LATEX, *LATEX, *FORMS), LATEX_LEAVES)


def _noise(rng: random.Random) -> str:
    """Signs and words in any order."""
    return "".join(rng.choice(rng.choice((SEPARATORS, LEAVES, tuple(SPECIAL)))) for _ in range(rng.randint(1, 300)))


def _declared(rng: random.Random) -> dict[str, tuple[str, ...]]:
    """Declarations of any length, of which most contradict one another."""

    def words(separators: str) -> str:
        count = rng.choice((1, 3, 10, 300, 20_000))
        return "".join(f"{rng.choice(WORDS)}{rng.choice(separators)}" for _ in range(count))

    found = {"parameters": (words(",;:!= ("),), "functions": (words(",;:_ "),)}
    letters = rng.choice(("x", "xt", "tx_"))
    longer = tuple(letters * k for k in range(1, rng.choice((2, 5, 40, 400))))
    return rng.choice((
        {"parameters": found["parameters"]}, {"functions": found["functions"]},
        {"independent": ("t", "x", *longer)},
        {"dependent": ("u", *(f"u_{k}" for k in range(rng.choice((2, 50, 3000)))))},
        {"functions": (f"k:u; {_towers(rng)} != 0",)}, {"parameters": (f"p, n, {_towers(rng)} != 1",)},
        {"functions": (f"F:{'s' * rng.choice((1, 30, 5000))}",)},
    ))  # fmt: skip
