"""Formulas in strings: LaTeX and plain text."""

import pytest

from lieapp.report.formula import expression_latex, field_latex, field_text


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("2*sqrt(t + 1)", r"2\,\sqrt{t + 1}"),
        ("1/sqrt(t + 1)", r"\frac{1}{\sqrt{t + 1}}"),
        ("-x/3", r"-\frac{x}{3}"),
        ("(t + 1)**(3/2)", r"{\left(t + 1\right)}^{\frac{3}{2}}"),
        ("u - (x - t)", r"u - \left(x - t\right)"),
        ("exp(-t/50)", r"e^{-\frac{t}{50}}"),
        ("nu*u_xx", r"\nu\,u_{xx}"),
        ("Rational(1, 2)*alpha(t, x)", r"\frac{1}{2}\,\alpha\left(t, x\right)"),
        ("3*2", r"3 \cdot 2"),
        ("5.46e-05*t*u - 0.25*u", r"5.46 \cdot 10^{-5}\,t\,u - 0.25\,u"),
        ("2e10**2", r"{\left(2 \cdot 10^{10}\right)}^{2}"),
        ("w1_zz*nu2 + w12", r"w_{1,zz}\,\nu_{2} + w_{12}"),
        ("Derivative(k(w), (w, 2))*u + Derivative(k(w), w)", r"k_{w w}\left(w\right)\,u + k_{w}\left(w\right)"),
    ],
)
def test_latex_of_expressions(text, latex):
    assert expression_latex(text) == latex


@pytest.mark.parametrize("text", ["__import__('os')", "a.b", "x[0]", "lambda: 0", "2 +", "$<script>", "(" * 400])
def test_what_is_no_formula_stays_text(text):
    latex = expression_latex(text)
    assert latex.startswith(r"\text{") and "$" not in latex


def test_fields():
    field = {"t": "0", "x": "2*sqrt(t + 1)", "u": "1/sqrt(t + 1)"}
    assert field_latex(field) == r"2\,\sqrt{t + 1}\,\partial_{x} + \frac{1}{\sqrt{t + 1}}\,\partial_{u}"
    assert field_text(field) == "2*sqrt(t + 1) ∂x + 1/sqrt(t + 1) ∂u"
    assert field_text({"t": "1", "x": "-1", "u": "x + u"}) == "∂t - ∂x + (x + u) ∂u"
    assert field_latex({"t": "0", "x": "-1", "u": "x + u"}) == r"-\partial_{x} + \left(x + u\right)\,\partial_{u}"
    assert field_text({"t": "0"}) == field_latex({"t": "0"}) == "0"
