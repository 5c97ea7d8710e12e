"""Identification kept to given symmetries: the condition on coefficients, and what it does to noisy data."""

import json

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from test_identify import T, X, data, heat

from lieapp.cli.main import run
from lieapp.data.trajectories import noisy
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.equations.parsing import parse_system
from lieapp.errors import ParseError, UsageError
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.vector_field import typed_field
from lieapp.pde.identify.candidates import library
from lieapp.pde.identify.find import Wanted, identify
from lieapp.pde.identify.restricted import restricted

CASES = {
    "boost": ("tx", "u", ["t ∂x + ∂u"], 4, "u_t + u*u_x + u_xxx"),
    "boost and scaling": ("tx", "u", ["t*d_x + d_u", "3*t*d_t + x*d_x - 2*u*d_u"], 4, "u_t + u*u_x + u_xxx"),
    "projective": ("tx", "u", ["t**2*d_t + t*x*d_x + (x - t*u)*d_u"], 3, "u_t + u*u_x - u_xx"),
    "damped boost": ("tx", "u", ["exp(-t/2)*(2*d_x - d_u)"], 3, "u_t + u*u_x + u/2 - u_xx"),
    "rotation of unknowns": (
        "tx", "uv", ["v*d_u - u*d_v"], 2, "u_t - u_xx - u + u**3 + u*v**2; v_t - v_xx - v + u**2*v + v**3",
    ),
    "rotation of space": ("txy", "u", ["x*d_y - y*d_x"], 2, "u_t - u_xx - u_yy + u**3"),
    "turning with x": ("tx", "u", ["u*d_x - x*d_u"], 2, "u_t"),
    "explicit x": ("tx", "u", ["exp(-t)*d_x"], 2, "u_t - x*u_x"),
}  # fmt: skip


def spanned(name):
    """The candidates, the fields, and the right sides that are left of them."""
    variables, unknowns, fields, order, _ = CASES[name]
    jets = JetSpace(tuple(sp.Symbol(x, real=True) for x in variables), tuple(unknowns))
    candidates, _ = library(jets, order, 3, 1000, ("x",) if name == "explicit x" else ())
    typed = [typed_field(text, jets, "--symmetry") for text in fields]
    return jets, candidates, typed, restricted(typed, candidates, jets, "--symmetry")


def built(jets, candidates, parts, weights):
    """u_t = F with these weights of the combinations."""
    residuals = [sp.S.Zero] * len(jets.dependent)
    for part in parts:
        drawn = [next(weights) for _ in part.combinations]
        for place, a in enumerate(part.unknowns):
            row = list(part.fixed[place])
            for w, one in zip(drawn, part.combinations, strict=True):
                row = [r + w * c for r, c in zip(row, one[place], strict=True)]
            rate = jets.symbol(a, jets.raised(jets.zero, 0))
            residuals[a] = rate - sum(c * term for c, term in zip(row, candidates, strict=True))
    return System(jets, tuple(residuals), ())


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=5, deadline=None)
@given(numbers=st.lists(st.integers(-3, 3), min_size=40, max_size=40))
def test_every_equation_that_is_left_keeps_the_fields(name, numbers):
    """Ground truth is the exact invariance condition, which is a code of its own."""
    jets, candidates, fields, parts = spanned(name)
    system = built(jets, candidates, parts, iter(numbers))
    for field in fields:
        assert is_symmetry(system, field.components)


@pytest.mark.parametrize("name", CASES)
def test_no_equation_is_lost(name):
    """The known equation with these symmetries is among those that are left."""
    jets, candidates, fields, parts = spanned(name)
    variables, unknowns, _, _, text = CASES[name]
    system = parse_system(text.split("; "), list(variables), list(unknowns))
    assert all(is_symmetry(system, field.components) for field in fields)
    count = len(candidates)
    known = np.zeros(len(unknowns) * count)
    for a, residual in enumerate(system.residuals):
        rest = sp.expand(system.jets.symbol(a, jets.raised(jets.zero, 0)) - residual)
        polynomial = sp.Poly(rest, *jets.independent, *jets.jets(sp.Add(*candidates)))
        known[a * count : (a + 1) * count] = [float(polynomial.coeff_monomial(term)) for term in candidates]
    base, columns = np.zeros_like(known), []
    for part in parts:
        for place, a in enumerate(part.unknowns):
            base[a * count : (a + 1) * count] = part.base[place]
        for k in range(len(part.combinations)):
            column = np.zeros_like(known)
            for place, a in enumerate(part.unknowns):
                column[a * count : (a + 1) * count] = part.matrix[place, :, k]
            columns.append(column)
    left = known - base
    if columns:
        z = np.linalg.lstsq(np.array(columns).T, left, rcond=None)[0]
        left = left - np.array(columns).T @ z
    assert np.abs(left).max() < 1e-12


def test_a_rotation_ties_two_equations():
    """z_t = z_xx + i z of z = u + i v, with noise: both equations have the same numbers."""
    rng, k = np.random.default_rng(2), 2 * np.pi / 20 * np.arange(-4, 6)
    t = T[:, None]
    z = sum(rng.normal() * np.exp(-n * n * t + 1j * (n * X + t + rng.uniform(0, 6))) for n in k)
    own = noisy(data(np.stack([z.real, z.imag]), unknowns=("u", "v")), 0.05, 0)
    found = identify([own], Wanted(order=2, degree=2, symmetries=("v*d_u - u*d_v",)))
    u, v = found.equations
    numbers = {term.term: term.coefficient for term in u.terms}
    assert {term.term: term.coefficient for term in v.terms} == pytest.approx(
        {"u": -numbers["v"], "v_xx": numbers["u_xx"]}, rel=1e-12
    )
    system = parse_system([u.text, v.text], ["t", "x"], ["u", "v"])
    assert is_symmetry(system, {"t": 0, "x": 0, "u": sp.Symbol("v", real=True), "v": -sp.Symbol("u", real=True)})
    assert {step.unknown for step in found.path} == {"u, v"}


def test_what_is_fixed_has_no_spread():
    """Of u_t + u u_x = ν u_xx the boost leaves ν; the number of u u_x isn't measured."""
    k = 2 * np.pi / 20
    phi = 2 + np.exp(-0.3 * k * k * T)[:, None] * np.cos(k * X)
    slope = -np.exp(-0.3 * k * k * T)[:, None] * k * np.sin(k * X)
    own = noisy(data(-2 * 0.3 * slope / phi), 0.02, 0)
    found = identify([own], Wanted(order=2, degree=2, symmetries=("t*d_x + d_u",)))
    told = {term.term: term for term in found.equations[0].terms}
    assert (told["u*u_x"].coefficient, told["u*u_x"].spread, told["u*u_x"].exact) == (-1.0, 0.0, "-1")
    assert abs(told["u_xx"].coefficient - 0.3) < 5 * told["u_xx"].spread
    assert any("keep t ∂x + ∂u; u_t contains -u*u_x then" in note for note in found.notes)


@pytest.mark.parametrize("text", ["d_z", "x", "d_x*d_t", "0", "d_x + 1", "d_x +"])
def test_what_is_no_field(text):
    with pytest.raises((UsageError, ParseError)):
        identify([heat(0.3)], Wanted(order=2, degree=1, symmetries=(text,)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("u*d_t", "its ∂t depends on u"),
        ("sqrt(t + 1)*d_x + d_u/(2*sqrt(t + 1))", "no equation of these 4 candidates"),
    ],
)
def test_fields_that_no_candidate_keeps(text, words):
    with pytest.raises(UsageError, match=words):
        identify([heat(0.3)], Wanted(order=2, degree=1, symmetries=(text,)))


def test_fields_as_printed_and_as_typed():
    jets = JetSpace((sp.Symbol("t", real=True), sp.Symbol("x", real=True)), ("u",))
    for text in ("t ∂x + ∂u", "t*d_x + d_u", "d_u + t d_x"):
        assert typed_field(text, jets, "").formula().text == "t ∂x + ∂u"
    derived = typed_field("3*t ∂t + x ∂x - 2*u ∂u", jets, "")
    assert typed_field(derived.formula().text, jets, "") == derived


@pytest.mark.slow
def test_the_fields_that_a_run_proved(tmp_path, capsys):
    file = tmp_path / "heat.npz"
    one = heat(0.3)
    np.savez(file, u=one.values[0, :, 0].numpy(), t=T, x=X)
    place = ["--data", str(file), "--quiet"]
    made = ["--equation", "u_t - 0.3*u_xx", "--method", "spectrum", "--out", str(tmp_path / "runs"), "--json"]
    assert run(["discover", *place, *made]) == 0
    folder = json.loads(capsys.readouterr().out)["run"]
    assert run(["identify", *place, "--symmetry", folder, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["equations"][0]["text"] == "u_t - 0.3*u_xx" and len(said["symmetries"]) >= 2
    assert run(["identify", *place, "--symmetry", str(tmp_path)]) == 2
