"""What is derived from equations: the Python interface to `lie`, the only access to it from lower layers.

Nothing is loaded before it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lieapp.lie.beyond.laws import Laws
    from lieapp.lie.classes.classification import Classification
    from lieapp.lie.given.holding import Holding
    from lieapp.lie.stages import Truth


def symmetries(
    equations: Any,
    independent: Any = (),
    dependent: Any = (),
    parameters: Any = (),
    functions: Any = (),
    *,
    periodic: Any = (),
    lengths: Mapping[Any, Any] | None = None,
    nonzero: Sequence[Any] = (),
    budget: float | None = 60.0,
    moving: Any = (),
    outputs: Any = (),
    order: int | None = None,
) -> Truth:
    """Derive, prove and certify the point symmetries of a differential equation or system.

    Example: `symmetries("u_t + u*u_x + u_xxx", "t,x", "u")`, or with SymPy and `u = sp.Function("u")(t, x)`:
    `symmetries(sp.Eq(u.diff(t), (k(u)*u.diff(x)).diff(x)))`. There, a function of all variables is an unknown, k(u)
    is an arbitrary function and any other symbol is a generic constant. A notebook displays the result as formulas.

    Args:
        equations: one equation or a list, as text in jet notation or as SymPy equations; `= 0` is implied.
        independent: the variables; required for text, otherwise read from the equations.
        dependent: the unknowns, likewise. They are required for an ODE with an arbitrary f(x).
        parameters: constants of typed equations with assumptions, `"g:positive, g != 3"`; several in a list or
            separated by semicolons, or as a mapping `{"g": "positive"}`.
        functions: arbitrary functions of typed equations, `"k:u"`, or as a mapping `{"k": "u"}`; `"k:x,u"` of
            several arguments, `"f:u_x"` of a derivative, `"F:s"` of any argument, F(x - t).
        periodic: variables in which solutions are periodic; this restricts `periodic` of the result.
        lengths: the lengths of these periods if known, `{x: 2*sp.pi}`; otherwise the restriction holds for every
            length.
        nonzero: expressions in the parameters of SymPy equations that are known to be nonzero.
        budget: time limit in seconds; at the limit the results so far are returned, with the rest in `unsolved`.
            None means no limit.
        moving: parameters that symmetries may move too, `"nu,k"`: `moving` of the result has them, with
            dimensionless groups.
        outputs: what is measured of an ODE's solutions, written as its equations are, `["c*x"]`. `identified` of
            the result says what they determine of the parameters in `moving`, all of them by default.
        order: with it `hierarchy` of the result has the generalised and contact symmetries with characteristics up
            to this differential order.

    Raises EquationError or ParseError, with a hint, if the equations can't be parsed or solved for derivatives,
    UsageError for an argument of the wrong type, and BudgetError if the budget is too small to parse them and to
    set up the determining equations.
    """
    from lieapp.lie.symmetries import Given
    from lieapp.lie.symmetries import symmetries as derived

    given = Given(equations, independent, dependent, parameters, functions, nonzero, outputs)
    return derived(given, periodic, lengths, budget, moving, order)


def holds(
    equations: Any,
    independent: Any = (),
    dependent: Any = (),
    parameters: Any = (),
    functions: Any = (),
    *,
    field: Any,
    nonzero: Sequence[Any] = (),
    budget: float | None = 60.0,
) -> Holding:
    """Whether a field is a symmetry of an equation, and for which values of its unknowns.

    Example: `holds("u_t - 6*u*u_x + u_xxx", "t,x", "u", field="x: a*t, u: 1").values` is `[{"a": -6}]`. Names in
    the field that are neither coordinates nor of the equation are unknown constants; f(t) is an unknown function.
    Special values of the equation's parameters, for which alone the field is a symmetry, are in `special`.

    Args:
        field: text, `"x: a*t, u: 1"` or `"a*t*d_x + d_u"`; a mapping from coordinates to text or to
            SymPy's expressions; or a generator of a derivation.

    The other arguments are those of `symmetries`, and so are the errors. Also raises UsageError for what is no
    field on the coordinates, for the field 0, and for one that isn't linear in its unknown functions.
    """
    from lieapp.lie.given.holding import of_equations
    from lieapp.lie.symmetries import Given

    given = Given(equations, independent, dependent, parameters, functions, nonzero)
    return of_equations(given, field, budget)


def classify(
    equations: Any,
    independent: Any = (),
    dependent: Any = (),
    parameters: Any = (),
    functions: Any = (),
    *,
    nonzero: Sequence[Any] = (),
    budget: float | None = 60.0,
    begun: Classification | None = None,
) -> Classification:
    """The parameters and arbitrary functions for which an equation has more symmetries, up to equivalence.

    Example: `classify("u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", "t,x", "u", "n").branches` has a branch for n = 0
    and one for n = -4/3. Scalings and translations take constants to 0 and 1; signs aren't told apart.

    Args:
        budget: time limit in seconds; at the limit the branches so far are returned, with the rest in `pending`.
        begun: a classification of the same equation that ended so; it is gone on with.

    The other arguments are those of `symmetries`, and so are the errors. Also raises UsageError for an
    equation without parameters and arbitrary functions.
    """
    from lieapp.lie.classes.classification import of_equations
    from lieapp.lie.symmetries import Given

    given = Given(equations, independent, dependent, parameters, functions, nonzero)
    return of_equations(given, budget, begun)


def conservation_laws(
    equations: Any,
    independent: Any = (),
    dependent: Any = (),
    parameters: Any = (),
    functions: Any = (),
    *,
    order: int = 2,
    nonzero: Sequence[Any] = (),
    budget: float | None = 60.0,
    actions: bool = False,
) -> Laws:
    """The conservation laws D_t T + Σ Dᵢ Xⁱ = 0 of an equation, with multipliers up to a differential order.

    Example: `conservation_laws("u_t + u*u_x + u_xxx", "t,x", "u").laws` has those of mass, momentum, energy and of
    the centre of mass. A multiplier Λ gives Λ·Δ = D_t T + Σ Dᵢ Xⁱ for the equation Δ = 0 as it is written.

    Args:
        order: the highest order of the derivatives that multipliers depend on.
        budget: time limit in seconds; at the limit the laws so far are returned, with the rest in `unsolved`.
        actions: also tell what symmetries make of the laws, of evolution systems, and which laws generate all.

    The other arguments are those of `symmetries`, and so are the errors. Also raises UsageError for a first-order
    ordinary differential equation.
    """
    from lieapp.lie.beyond.laws import of_equations
    from lieapp.lie.symmetries import Given

    given = Given(equations, independent, dependent, parameters, functions, nonzero)
    return of_equations(given, order, budget, actions)
