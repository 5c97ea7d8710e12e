"""A field that is given to be tested: its components, with unknown constants and unknown functions in them.

It is typed as `t*d_x + d_u`, as `x: t, u: 1`, or as the JSON of a field. A name that is neither a coordinate nor
the equation's is an unknown constant; one that is applied to coordinates, as f(t), an unknown function. Its
derivatives are written f_t.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.declarations import FUNCTIONS, RESERVED, SPECIAL, functions_of
from lieapp.equations.equation import System, as_expression, exact
from lieapp.equations.jets import AmbiguousError, multi_index
from lieapp.equations.parsing import COMPLEX, NOT_LOCAL, parse_expression
from lieapp.errors import ParseError, UsageError
from lieapp.lie.vector_field import Field, typed_field

HEAD = re.compile(r"(?:^|,)\s*(\w+)\s*:")
"""The beginning of a component in `x: t, u: 1`."""

NAME = re.compile(r"[^\W\d]\w*")
CALL = re.compile(r"([^\W\d]\w*)\s*\(([^()]*)\)")
BASIS = re.compile(r"(?:d_|∂)\w+")
"""What stands for a direction in `t*d_x + d_u`."""


@dataclass(frozen=True)
class GivenField:
    """Components by coordinate name, all of them; the unknown constants, and the unknown functions as f(t)."""

    components: dict[str, sp.Expr]
    constants: tuple[sp.Symbol, ...] = ()
    functions: tuple[AppliedUndef, ...] = ()

    def replaced(self, values: Mapping[sp.Symbol, sp.Expr]) -> GivenField:
        """The field with some of its constants replaced."""
        components = {name: e.subs(values).doit() for name, e in self.components.items()}
        return GivenField(components, tuple(c for c in self.constants if c not in values), self.functions)


@dataclass
class _Names:
    """What the names in a typed field stand for, and what it declares by using them."""

    system: System
    known: dict[str, sp.Expr] = field(default_factory=dict)
    functions: dict[str, sp.Expr] = field(default_factory=dict)
    constants: list[sp.Symbol] = field(default_factory=list)
    unknown: list[AppliedUndef] = field(default_factory=list)

    def __post_init__(self) -> None:
        jets = self.system.jets
        self.coordinates = {str(c): c for c in jets.coordinates}
        self.known |= {**self.coordinates, **{str(p): p for p in self.system.parameters}}
        typed = [f"{name}:{','.join(arguments)}" for name, arguments in self.system.functions.items()]
        self.functions |= functions_of(typed, jets)[0]

    def take(self, text: str) -> None:
        """Take in the names of a text. Raises UsageError for a function of nothing or of other than coordinates."""
        for name, inside in CALL.findall(text):
            if name in (*FUNCTIONS, *SPECIAL, *RESERVED, *self.functions):
                continue
            _check_name(name)
            arguments = [a.strip() for a in inside.split(",")]
            if name in self.known or not all(a in self.coordinates for a in arguments):
                _refuse_call(name, inside, list(self.coordinates), name in self.known)
            found = sp.Function(name, real=True)(*(self.coordinates[a] for a in dict.fromkeys(arguments)))
            self.functions[name] = found
            self.unknown.append(found)
        for name in NAME.findall(BASIS.sub(" ", text)):
            if name in (*FUNCTIONS, *SPECIAL, *RESERVED, *self.functions, *self.known):
                continue
            _check_name(name)
            derivative = self._derivative(name)
            if derivative is None:
                self.constants.append(sp.Symbol(name, real=True))
            self.known[name] = self.constants[-1] if derivative is None else derivative

    def _derivative(self, name: str) -> sp.Expr | None:
        """f_tx of a function; None for a name that is no derivative."""
        base, _, letters = name.partition("_")
        if base in self.system.jets.dependent and letters and not letters.isdigit():
            raise UsageError(
                f"the field has the derivative {name}: components of a point symmetry depend on "
                f"{', '.join(self.coordinates)} only.",
                hint="Leave derivatives of the unknowns out of the field.",
            )
        if not letters or letters.isdigit():
            return None
        if base not in self.functions:
            first = next(iter(self.coordinates))
            raise UsageError(
                f"{name}: there is no function {base} in the field to be differentiated.",
                hint=f"Write {base}({first}) for the function, or {base}{letters} for an unknown constant.",
            )
        function = self.functions[base]
        try:
            J = multi_index(letters, [str(a) for a in function.args])
        except AmbiguousError as error:
            raise UsageError(f"{name}: {error}.", hint="Write f_x_y with _ between the variables.") from None
        if J is None:
            hint = f"Write {base}_{function.args[0]}."
            raise UsageError(f"{name}: {function} doesn't depend on {letters}.", hint=hint)
        return sp.diff(function, *((a, n) for a, n in zip(function.args, J, strict=True) if n))


def _check_name(name: str) -> None:
    """Raises UsageError for what stands for something that a field can't have."""
    if name in (*NOT_LOCAL, *COMPLEX) or not name[0].isalpha():
        raise UsageError(
            f"{name} can't stand in a field.",
            hint="Components are real and smooth, made of names, numbers, + - * / **, parentheses and functions.",
        )


def _refuse_call(name: str, inside: str, coordinates: list[str], taken: bool) -> NoReturn:
    if taken:
        hint = f"Write {name}*({inside}) for a product."
        raise UsageError(f"{name}({inside}): {name} is no function.", hint=hint)
    what = f"{name}({inside}):" if inside.strip() else f"{name}() is a function of nothing;"
    raise UsageError(
        f"{what} an unknown function has coordinates as its arguments: {', '.join(coordinates)}.",
        hint=f"Write {name}({coordinates[0]}), or {name} alone for an unknown constant.",
    )


def given_field(given: Any, system: System) -> GivenField:
    """The field that was given: text, a mapping from coordinates to text or to SymPy's expressions, or a Field.

    Raises UsageError for what is no field on the coordinates of the system, and for one that is 0.
    """
    if isinstance(given, Field):
        given = given.components
    names = _Names(system)
    if isinstance(given, str):
        components = _typed(given, names)
    elif isinstance(given, Mapping):
        components = _components({_called(key): value for key, value in given.items()}, names)
    else:
        raise UsageError(f"field is {given!r}.", hint="Write field='x: t, u: 1', or field={'x': 't', 'u': '1'}.")
    if all(e == 0 for e in components.values()):
        raise UsageError("the field is 0: nothing moves.", hint="Give a component that isn't 0, as x: t.")
    coordinates = {*names.coordinates.values()}
    moved = (e for value in components.values() for e in value.free_symbols if system.jets.is_jet(e))
    if high := sorted(map(str, {*moved} - coordinates)):
        raise UsageError(
            f"the field depends on {high[0]}: components of a point symmetry depend on "
            f"{', '.join(names.coordinates)} only.",
            hint="Leave functions of derivatives out of the field.",
        )
    whole = {name: components.get(name, sp.S.Zero) for name in names.coordinates}
    return GivenField(whole, tuple(names.constants), tuple(names.unknown))


def _typed(text: str, names: _Names) -> dict[str, sp.Expr]:
    if not text.strip():
        raise UsageError("the field is empty.", hint=_example(names))
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            raise UsageError(f"{text} can't be read as JSON.", hint=_example(names)) from None
        return _components({str(k): str(v) for k, v in found.items()}, names)
    if ":" in text:
        return _components(_separate(text, names), names)
    names.take(text)
    return typed_field(text, names.system.jets, "--field", names.known, names.functions).components


def _separate(text: str, names: _Names) -> dict[str, str]:
    """The components of `x: t, u: 1`."""
    heads = list(HEAD.finditer(text))
    if not heads or text[: heads[0].start()].strip():
        raise UsageError(f"{text!r} is no field.", hint=_example(names))
    components: dict[str, str] = {}
    for here, following in zip(heads, [*heads[1:], None], strict=True):
        if here[1] in components:
            raise UsageError(f"the field has two components of {here[1]}.", hint="Give one of them.")
        components[here[1]] = text[here.end() : following.start() if following else len(text)]
    return components


def _components(given: Mapping[str, Any], names: _Names) -> dict[str, sp.Expr]:
    for name in given:
        if name not in names.coordinates:
            raise UsageError(
                f"the field has a component of {name}: the coordinates are {', '.join(names.coordinates)}.",
                hint=_example(names),
            )
    names.take("; ".join(value for value in given.values() if isinstance(value, str)))
    return {name: _component(name, value, names) for name, value in given.items()}


def _component(name: str, value: Any, names: _Names) -> sp.Expr:
    if isinstance(value, str):
        try:
            return parse_expression(value, names.known, names.functions, typed=True)
        except ParseError as error:
            raise UsageError(f"the component of {name}: {error.message}", hint=error.hint) from None
    return _from_sympy(exact(as_expression(value, f"the component of {name}")), names)


def _from_sympy(value: sp.Expr, names: _Names) -> sp.Expr:
    """u(t, x) as u, symbols as those of the equation of the same name, others as unknown."""
    dependent = names.system.jets.dependent
    applied = {e: e.func.__name__ for e in value.atoms(AppliedUndef)}
    value = value.xreplace({e: names.coordinates[name] for e, name in applied.items() if name in dependent})
    for symbol in sorted(value.free_symbols, key=str):
        names.take(str(symbol))
    value = value.xreplace({s: names.known[str(s)] for s in value.free_symbols})
    for e in sorted(value.atoms(AppliedUndef), key=str):
        names.take(str(e))
        value = value.subs(e, names.functions[e.func.__name__])
    return value.doit()


def _called(key: Any) -> str:
    return str(key.func.__name__) if isinstance(key, AppliedUndef) else str(key)


def _example(names: _Names) -> str:
    first, last = next(iter(names.coordinates)), list(names.coordinates)[-1]
    return f"For example '{first}: 1, {last}: a*{last}', or 'd_{first} + a*{last}*d_{last}'."
