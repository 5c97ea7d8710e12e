"""The derivation written out: it says what was solved, and its last line is the algebra."""

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.equations.parsing import parse_expression
from lieapp.lie.invariance import defect
from lieapp.lie.told import told
from lieapp.lie.vector_field import Field

EQUATIONS = [
    (["u_t + u*u_x + u_xxx"], "t,x", "u", (), ()),
    (["y_xx - exp(y)"], "x", "y", (), ()),
    (["u_t + v_xx + (u**2+v**2)*v", "v_t - u_xx - (u**2+v**2)*u"], "t,x", "u,v", (), ()),
    (["u_t - nu*u_xx - u*u_x"], "t,x", "u", "nu:positive", ()),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0][0])
def test_each_constant_of_the_general_symmetry_multiplies_a_symmetry(case):
    truth = symmetries(*case)
    explained = truth.explain()
    system = truth.determining.system
    constants = sorted({name for step in explained.steps for name in step.new if name.startswith("c")})
    names = {str(s): s for s in (*system.jets.coordinates, *system.parameters)}
    names |= {c: sp.Symbol(c) for c in constants}
    solution = {x: parse_expression(f.text, names) for x, f in explained.solution.items()}
    free = {s for e in solution.values() for s in e.free_symbols} - set(system.jets.coordinates)
    free -= set(system.parameters)
    assert len(free) == truth.dimension
    for constant in free:
        field = {x: sp.diff(e, constant) for x, e in solution.items()}
        assert Field(field) and all(e == 0 for e in defect(system, field))


def test_every_function_is_declared_before_it_is_used_and_every_step_has_words():
    from lieapp.document import Text, plain_text, section
    from lieapp.report.truth_document import RULES, document

    truth = symmetries("u_t - u_xx", "t,x", "u")
    explained = truth.explain()
    known = set(explained.components)
    for step in explained.steps:
        assert step.rule in RULES
        known |= {name.partition("(")[0] for name in step.new}
        used = {s.name.partition("_")[0] for s in _symbols(step.text, known)}
        assert used <= known
    (condition,) = explained.conditions
    assert condition.text in ("f4_t - f4_xx", "-f4_t + f4_xx")
    result = told(truth)
    result.explain = explained
    blocks = section(document(result), "determining", "steps", "general")
    said = [plain_text(block.words) for block in blocks if isinstance(block, Text)]
    assert said[0] == "for xi^t(t, x, u), xi^x(t, x, u), phi^u(t, x, u)"
    assert f"Solved in {len(explained.steps)} steps" in [b.text for b in blocks if not isinstance(b, Text)]
    assert said[-1].startswith("where ")
    # a page shows the first few, a terminal all of them
    short = section(document(result, most=2), "steps")
    assert len(short) == 4 and plain_text(short[-1].words) == f"and {len(explained.steps) - 2} more, in the JSON"


def _symbols(text, known):
    """The unknown functions in a line, each read as one name."""
    plain = text.replace("^", "")
    tree = sp.parsing.sympy_parser.parse_expr(plain.split(" = ")[-1].strip() or "0", evaluate=False)
    named = {name.replace("^", ""): name for name in known}
    found = [s for s in tree.free_symbols if s.name not in ("t", "x", "u")]
    return [sp.Symbol(named.get(s.name.partition("_")[0], s.name)) for s in found]


def test_latex_of_the_algebra_and_of_its_derivation():
    truth = symmetries("u_t + u*u_x + u_xxx", "t,x", "u", periodic="x")
    assert (
        truth.latex().count(r"\begin{aligned}") == 1 and r"V_{3} &= t\,\partial_{x} + \partial_{u}" in truth.latex()
    )
    assert "a periodic domain keeps" in truth.latex()
    explained = truth.latex(explain=True)
    assert explained.count(r"\begin{aligned}") == 2 and r"\xi^{x}" in explained
    assert all(explained.count(a) == explained.count(b) for a, b in ("{}", ("\\left", "\\right")))
    assert truth._repr_latex_().startswith(r"$\displaystyle")
