"""Variables and an unknown for small declarations."""

import sympy as sp

T, X = sp.symbols("t x", real=True)
U = sp.Function("u")(T, X)
