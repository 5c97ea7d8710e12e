"""`lieapp check`: right plugins pass, each kind of mistake is named by the check it belongs to."""

from dataclasses import replace

import pytest
import sympy as sp
from pytest import approx

from lieapp.api import PDE, ChangeOfVariables, SumOfSines
from lieapp.equations.equation import read_pde
from lieapp.errors import CancelledError
from lieapp.lie.stages import Field, derive
from lieapp.pde.check import change_leaves, check
from lieapp.pde.kind import equation_text
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

T, X = sp.symbols("t x", real=True)
U, V = (sp.Function(n)(T, X) for n in "uv")


def declare(equation, **changes):
    keywords = {
        "region": {T: (0, 10), X: (0, 2 * sp.pi)}, "points": {T: 50, X: 64}, "periodic": [X],
    }  # fmt: skip
    return PDE(name="mine", title="Mine", equation=equation, **{**keywords, **changes})


def results(pde):
    found = check(pde, SilentReporter())
    return {c.name: c for c in found}


def failed(found):
    return [name for name, c in found.items() if not c.ok]


def test_an_equation_that_lieapp_never_saw():
    gardner = declare(sp.Eq(U.diff(T) + (6 * U - U**2) * U.diff(X) + U.diff(X, 3), 0))
    found = results(gardner)
    assert not failed(found)
    assert set(found) == {
        "equation", "truth", "evolution form", "tensors", "data", "linearisation", "generators on data"
    }  # fmt: skip
    assert "u_t = " in found["evolution form"].detail and "no symmetry" in found["generators on data"].detail


def test_a_system_of_two_components():
    density = U**2 + V**2
    found = results(declare([
        sp.Eq(U.diff(T) + V.diff(X, 2) + 2 * density * V, 0), sp.Eq(V.diff(T) - U.diff(X, 2) - 2 * density * U, 0),
    ]))  # fmt: skip
    assert not failed(found), found


@pytest.mark.parametrize(
    ("changes", "step", "words"),
    [
        # within the last nine tenths of the window, where the short data of a check don't come
        ({"equation": U.diff(T) - U.diff(X) / (T - 7)}, "evolution form", "at t = 7"),
        ({"equation": U.diff(T) - X * U.diff(X)}, "evolution form", "isn't periodic in x"),
        ({"keep_last": 100}, "data", "there are 50 time samples only"),
        ({"keep_last": 1}, "data", "at least 8 samples"),
        ({"initial": SumOfSines(shape=lambda s: sp.S.One)}, "data", "u is 1 at every time and place"),
    ],
)
def test_what_only_the_whole_declaration_shows(changes, step, words):
    equation = changes.pop("equation", U.diff(T) - U * U.diff(X))
    found = results(declare(equation, **changes))
    assert not found[step].ok and words in found[step].detail


def test_a_wave_equation_has_a_truth_but_no_data():
    found = results(declare(sp.Eq(U.diff(T, 2), U * U.diff(X, 2))))
    assert found["equation"].ok and found["truth"].ok and "generators" in found["truth"].detail
    assert "u_tt" in found["evolution form"].detail and "second unknown" in found["evolution form"].detail
    assert failed(found)[0] == "evolution form"
    assert (found["data"].ok, found["data"].detail) == (None, "It needs evolution form.")


def test_numbers_of_an_equation_are_shown_as_they_are_meant():
    assert equation_text(declare(sp.Eq(U.diff(T), -1.0 * U * U.diff(X)))) == (
        "Derivative(u(t, x), t) = -u(t, x)*Derivative(u(t, x), x)"
    )


def test_an_equation_that_can_t_be_read():
    found = results(declare(sp.Eq(U.diff(T), sp.Symbol("k") * U)))
    assert "k has no value" in found["equation"].detail
    assert len(failed(found)) == len(found) and found["truth"].detail == "It needs equation."


@pytest.mark.parametrize(
    ("unknowns", "words"),
    [
        ({U: 2 * sp.diff(V, X) / V}, "leaves"),
        ({U: -2 * sp.diff(V, X) / (100 * V)}, "leaves"),
        ({U: -V}, "leaves"),
        ({V: V}, "no expression for u"),
    ],
)
def test_a_wrong_change_of_variables_is_found(unknowns, words):
    change = ChangeOfVariables(equation=sp.Eq(V.diff(T), V.diff(X, 2)), unknowns=unknowns)
    found = results(declare(sp.Eq(U.diff(T) + U * U.diff(X), U.diff(X, 2)), transform=change))
    assert words in found["change of variables"].detail
    assert "change of variables" in failed(found)


def test_cole_hopf_is_exact():
    assert change_leaves(load_catalog().get("burgers").declaration) == (0,)
    change = ChangeOfVariables(equation=sp.Eq(V.diff(T), V.diff(X, 2)), unknowns={U: sp.log(V)})
    # the potential form: u = log v solves u_t = u_xx + u_x²
    assert change_leaves(declare(sp.Eq(U.diff(T), U.diff(X, 2) + U.diff(X) ** 2), transform=change)) == (0,)
    assert change_leaves(declare(sp.Eq(U.diff(T), U.diff(X, 2)), transform=change)) != (0,)


def test_non_periodic_axes_fail_in_the_data_alone():
    found = results(declare(sp.Eq(U.diff(T), U.diff(X, 2)), periodic=[]))
    assert failed(found) == ["data", "linearisation", "generators on data"]
    assert "x is not periodic" in found["data"].detail and "It needs data" in found["linearisation"].detail


def test_a_source_that_raises_is_a_failed_check():
    def source(samples, seed):
        raise FileNotFoundError("no such file")

    found = results(declare(sp.Eq(U.diff(T), U.diff(X, 2)), source=source))
    assert "no such file" in found["data"].detail and found["tensors"].ok


def test_data_of_another_equation_still_have_the_symmetries_of_this_one():
    # generators are tested on the equation's linearisation; that needs no solution, only smooth slices
    found = results(declare(sp.Eq(U.diff(T), U.diff(X, 2) / 10)))
    assert not failed(found)
    assert float(found["data"].detail.split()[-1]) == approx(0, abs=1e-6)


def test_a_wrong_derivation_or_linearisation_would_be_found(monkeypatch):
    pde = declare(sp.Eq(U.diff(T), U * U.diff(X) + U.diff(X, 2)))
    wrong = replace(derive(read_pde(pde)), periodic=(Field({"t": T, "x": sp.S.Zero, "u": T}),))
    monkeypatch.setattr("lieapp.pde.check.derive", lambda *arguments: wrong)
    monkeypatch.setattr("lieapp.pde.check.frechet_error", lambda *arguments: 0.3)
    found = results(pde)
    assert failed(found) == ["linearisation", "generators on data"]
    assert "t d_t + t d_u has η" in found["generators on data"].detail
    assert "differ by 3.0e-01" in found["linearisation"].detail


def test_cancelling_is_no_failed_check():
    class Impatient(SilentReporter):
        def line(self, text):
            pass

        def progress(self, step, total, text=""):
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        check(declare(sp.Eq(U.diff(T), U.diff(X, 2))), Impatient())
