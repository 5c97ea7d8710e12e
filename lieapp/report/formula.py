"""Formulas as the summary writes them (SymPy syntax in strings) turned into LaTeX and into plain text.

Read with Python's `ast` by a whitelist, not by SymPy: pages stay fast, and a run folder from somewhere else
can hold any string without harm.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

_LETTERS = (
    "alpha:α beta:β gamma:γ delta:δ epsilon:ε zeta:ζ eta:η theta:θ kappa:κ lambda:λ mu:μ nu:ν xi:ξ pi:π "
    "rho:ρ sigma:σ tau:τ phi:φ chi:χ psi:ψ omega:ω "
    "Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω"
)
GREEK = dict(pair.split(":") for pair in _LETTERS.split())
"""Greek letters by their English names, as SymPy writes them."""
_FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log"}
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


def expression_latex(text: str) -> str:
    """LaTeX of one expression; what can't be read is shown as it stands."""
    try:
        return _written(ast.parse(text.strip(), mode="eval").body)[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return verbatim(text)


def field_latex(field: Mapping[str, str]) -> str:
    r"""LaTeX of a vector field: `{"x": "2*t", "u": "2"}` gives `2\,t\,\partial_{x} + 2\,\partial_{u}`."""
    terms = []
    for name, text in field.items():
        if text.strip() in {"0", "0.0"}:
            continue
        basis = rf"\partial_{{{name_latex(name)}}}"
        try:
            latex, rank = _written(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            latex, rank = verbatim(text), _ATOM
        if rank == _SUM:
            latex = rf"\left({latex}\right)"
        terms.append(basis if latex == "1" else f"-{basis}" if latex == "-1" else rf"{latex}\,{basis}")
    return _joined(terms) or "0"


def field_text(field: Mapping[str, str]) -> str:
    """The field on a terminal: `2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u`."""
    terms = []
    for name, text in field.items():
        text = text.strip()
        if text in {"0", "0.0"}:
            continue
        if text in {"1", "-1"}:
            terms.append(f"{text[:-1]}∂{name}")
        else:
            terms.append(f"({text}) ∂{name}" if _is_sum(text) else f"{text} ∂{name}")
    return _joined(terms) or "0"


def name_latex(name: str) -> str:
    """A symbol: Greek letters by name, what follows an underscore below the line."""
    head, _, tail = name.partition("_")
    # w1_zz is w with two scripts
    word = head.rstrip("0123456789")
    letter = "\\" + word if word in GREEK else word if len(word) == 1 else rf"\mathrm{{{word}}}"
    scripts = [head[len(word) :], name_latex(tail) if tail in GREEK else tail]
    below = ",".join(filter(None, scripts))
    return f"{letter}_{{{below}}}" if below else letter


def verbatim(text: str) -> str:
    """Any text inside a formula, harmless to every reader of LaTeX."""
    return r"\text{" + "".join(c if c not in "\\{}$%#&_^~|`\n" else " " for c in text) + "}"


def _joined(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def _is_sum(text: str) -> bool:
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _written(node: ast.expr) -> tuple[str, int]:
    """LaTeX and how tightly its outermost operation binds."""
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("truth values are no formula")
        case ast.Constant(value=int() | float() as value):
            return (str(value), _ATOM) if isinstance(value, int) else _decimal(value)
        case ast.Name(id=name):
            return name_latex(name), _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "-" + _bracketed(operand, _PRODUCT), _PRODUCT
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _written(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(left, op, right)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments), _ATOM
    raise ValueError(f"{type(node).__name__} is no part of a formula")


def _decimal(value: float) -> tuple[str, int]:
    """Six digits; 5.46e-05 as a power of ten."""
    mantissa, _, exponent = f"{value:g}".partition("e")
    return (rf"{mantissa} \cdot 10^{{{int(exponent)}}}", _PRODUCT) if exponent else (mantissa, _ATOM)


def _operation(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, int]:
    match op:
        case ast.Add():
            return f"{_written(left)[0]} + {_written(right)[0]}".replace("+ -", "- "), _SUM
        case ast.Sub():
            return f"{_written(left)[0]} - {_bracketed(right, _PRODUCT)}", _SUM
        case ast.Mult():
            first, second = _bracketed(left, _PRODUCT), _bracketed(right, _PRODUCT)
            sign = r" \cdot " if second[0].isdigit() or second[0] == "-" else r"\,"
            return first + sign + second, _PRODUCT
        case ast.Div():
            first, second = _written(left)[0], _written(right)[0]
            # the sign in front of the fraction, as one writes by hand
            if first.startswith("-") and _written(left)[1] == _PRODUCT:
                return rf"-\frac{{{first[1:]}}}{{{second}}}", _PRODUCT
            return rf"\frac{{{first}}}{{{second}}}", _PRODUCT
        case ast.Pow():
            if isinstance(right, ast.BinOp) and ast.unparse(right) in {"1 / 2"}:
                return rf"\sqrt{{{_written(left)[0]}}}", _ATOM
            # braces around the base: a base that has a script of its own stays valid
            return f"{{{_bracketed(left, _ATOM)}}}^{{{_written(right)[0]}}}", _POWER
    raise ValueError(f"{type(op).__name__} is no operation of a formula")


def _call(name: str, arguments: list[ast.expr]) -> str:
    if name == "Derivative" and arguments:
        return _derivative(arguments[0], arguments[1:])
    written = [_written(argument)[0] for argument in arguments]
    if name == "Rational" and len(written) == 2:
        return rf"\frac{{{written[0]}}}{{{written[1]}}}"
    if name == "sqrt" and len(written) == 1:
        return rf"\sqrt{{{written[0]}}}"
    if name == "exp" and len(written) == 1:
        return rf"e^{{{written[0]}}}"
    head = "\\" + name if name in _FUNCTIONS else name_latex(name)
    return head + r"\left(" + ", ".join(written) + r"\right)"


def _derivative(function: ast.expr, variables: list[ast.expr]) -> str:
    """`Derivative(k(w), (w, 2))` as k_{ww}(w)."""
    letters = []
    for variable in variables:
        match variable:
            case ast.Name(id=name):
                letters.append(name_latex(name))
            case ast.Tuple(elts=[ast.Name(id=name), ast.Constant(value=int(count))]) if 0 < count < 100:
                letters += [name_latex(name)] * count
            case _:
                raise ValueError("a derivative is with respect to names")
    match function:
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if letters and "_" not in name:
            inside = ", ".join(_written(argument)[0] for argument in arguments)
            return rf"{name_latex(name)}_{{{' '.join(letters)}}}\left({inside}\right)"
    raise ValueError("only functions are differentiated")


def _bracketed(node: ast.expr, least: int) -> str:
    latex, rank = _written(node)
    return latex if rank >= least else rf"\left({latex}\right)"
