"""Flows, invariants and reductions as methods and as JSON."""

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.document import Table, Text, plain_text, section
from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.errors import EquationError
from lieapp.lie import consequences
from lieapp.lie.consequences import (
    LATE,
    flows,
    flows_latex,
    parameter_of,
    reductions,
    reductions_latex,
)
from lieapp.lie.deadline import Clock
from lieapp.lie.reduction.flows import flow
from lieapp.lie.told import told, told_flow, told_reduced
from lieapp.report.truth_document import document


@pytest.fixture(scope="module")
def burgers():
    return symmetries("u_t + u*u_x - nu*u_xx", "t,x", "u", "nu:positive")


def test_every_generator_has_its_row(burgers):
    moved, reduced = flows(burgers, Clock(60.0)), reductions(burgers, Clock(60.0))
    result = told(burgers)
    result.flows, result.reductions = list(map(told_flow, moved)), list(map(told_reduced, reduced))
    assert len(result.flows) == len(result.reductions) == burgers.dimension == 5
    names = {str(s): s for s in (*burgers.determining.system.jets.coordinates, sp.Symbol("s"), sp.Symbol("nu"))}
    for field, row in zip(burgers.generators, result.flows, strict=True):
        for coordinate, text in row.flow.items():
            moved = parse_expression(text, names)
            assert sp.simplify(moved.diff(names["s"]).subs(names["s"], 0) - field.components[coordinate]) == 0
    assert result.flows[4].domain == ["-s*t + 1"]
    (table,) = (block for block in section(document(result), "flows") if isinstance(block, Table))
    said = [list(map(plain_text, row)) for row in table.rows]
    assert said[4][0] == "V5" and said[4][1].startswith("t -> t/(-s*t + 1)") and said[4][2] == "-s*t + 1 > 0"
    assert said[0][2] == "everywhere" and not any("no closed form" in cell for row in said for cell in row)
    text = "\n".join(plain_text(block.words) for block in document(result) if isinstance(block, Text))
    assert "V1: invariants x, u" in text and "reduces the equation to" in text


def test_a_parameter_named_s_is_not_taken_twice():
    system = parse_system(["u_s - u_xx"], ["s", "x"], ["u"])
    assert parameter_of(system) == "epsilon"
    s, epsilon = sp.symbols("s epsilon", real=True)
    assert symmetries("u_s - u_xx", "s,x", "u").flow(1)["s"] == epsilon + s


def test_a_combination_with_a_symbol_is_a_travelling_wave(burgers):
    c = sp.Symbol("c", real=True)
    wave = burgers.reduction({1: 1, 2: c})
    assert wave and "z = -c*t + x" in wave.text()


def test_time_that_is_used_up_is_told(burgers):
    assert all(row.reduction.reason == row.invariants.reason == LATE for row in reductions(burgers, Clock(0.0)))
    assert all(row.values is None and row.reason == LATE for row in flows(burgers, Clock(0.0)))


def test_what_takes_too_long_is_interrupted_and_the_others_are_told(burgers, monkeypatch):
    slow = burgers.generators[2]

    def patient(field, name, deadline):
        while field == slow:
            pass
        return flow(field, name, deadline)

    monkeypatch.setattr(consequences, "flow", patient)
    rows = flows(burgers, Clock(5.0))
    assert [row.values is None for row in rows] == [field == slow for field in burgers.generators]
    assert rows[2].reason == LATE


def test_latex_of_flows_and_reductions(burgers):
    rows = [*flows_latex(burgers, flows(burgers, Clock(60.0))), *reductions_latex(reductions(burgers, Clock(60.0)))]
    block = burgers.latex(more=rows)
    assert r"e^{s V_{3}} &: (t, x, u) \mapsto" in block and r"\text{reduced by } V_{4}" in block
    assert block.count("{") == block.count("}") and block.count(r"\begin{aligned}") == 1


@pytest.mark.parametrize("number", [0, 6, -1])
def test_numbers_that_no_generator_has(burgers, number):
    with pytest.raises(EquationError, match=f"no V{number}"):
        burgers.flow(number)
