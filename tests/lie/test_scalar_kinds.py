"""Scalar equations of many kinds, with the dimensions of their algebras modulo the families.

Most of these dimensions were not looked up one by one. They are values of this solver, certified by its count of
Taylor coefficients, and kept so that a change which alters one is noticed. Textbooks have the algebras of the
well-known equations among them, and of classes of which others are members: linear ODEs (8 for second order; Lie),
u_t = (k(u) u_x)_x (Ovsiannikov, Group Analysis, 1982), heat equations with potentials, KdV, Burgers, Liouville,
nonlinear wave equations: Ibragimov (ed.), CRC Handbook of Lie Group Analysis 1 and 2 (1994, 1995); Olver,
Applications of Lie Groups (1993); Bluman & Kumei, Symmetries and Differential Equations (1989). What is compared
with published generators is `test_public_suite`.
"""

from dataclasses import dataclass

import pytest

from lieapp.equations.parsing import parse_system
from lieapp.lie.stages import derive


@dataclass(frozen=True)
class Kind:
    """One equation and what is known of it."""

    equation: str
    independent: str
    dependent: str
    dimension: int
    infinite: bool = False
    parameters: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


KINDS = {
    "mkdv": Kind("u_t+u**2*u_x+u_xxx", "t,x", "u", 3),
    "gkdv n": Kind("u_t+u**n*u_x+u_xxx", "t,x", "u", 3, parameters=("n:positive, n != 1",)),
    "gkdv n plain": Kind("u_t+u**n*u_x+u_xxx", "t,x", "u", 3, parameters=("n",)),
    "kdv exp(u)": Kind("u_t+exp(u)*u_x+u_xxx", "t,x", "u", 3),
    "kdv t**k": Kind("u_t+t**k*u*u_x+u_xxx", "t,x", "u", 3, parameters=("k",)),
    "kdv exp(t)": Kind("u_t+exp(t)*u*u_x+u_xxx", "t,x", "u", 3),
    "ckdv": Kind("u_t+u*u_x+u_xxx+u/(2*t)", "t,x", "u", 4),
    "skdv": Kind("u_t+u*u_x+u_xxx+u/t", "t,x", "u", 3),
    "kdv a u/t": Kind("u_t+u*u_x+u_xxx+a*u/t", "t,x", "u", 3, parameters=("a",)),
    "kdv damped": Kind("u_t+u*u_x+u_xxx+a*u", "t,x", "u", 3, parameters=("a:positive",)),
    "kdv forced": Kind("u_t+u*u_x+u_xxx-a", "t,x", "u", 4, parameters=("a",)),
    "kdv forced x": Kind("u_t+u*u_x+u_xxx-x", "t,x", "u", 3),
    "kdv sin(t) damping": Kind("u_t+u*u_x+u_xxx+sin(t)*u", "t,x", "u", 2),
    "kdv sin(t) nonlin": Kind("u_t+sin(t)*u*u_x+u_xxx", "t,x", "u", 2),
    "kdv t dispersion": Kind("u_t+u*u_x+t*u_xxx", "t,x", "u", 4),
    "kdv t**2": Kind("u_t+t**2*u*u_x+u_xxx", "t,x", "u", 3),
    "kdv sqrt t": Kind("u_t+sqrt(t)*u*u_x+u_xxx", "t,x", "u", 3),
    "mkdv t": Kind("u_t+t**k*u**2*u_x+u_xxx", "t,x", "u", 2, parameters=("k",)),
    "K(3,3)": Kind("u_t+3*u**2*u_x+6*u_x**3+18*u*u_x*u_xx+3*u**2*u_xxx", "t,x", "u", 3),
    "K(m,n)": Kind(
        "u_t+m*u**(m-1)*u_x+n*((n-1)*(n-2)*u**(n-3)*u_x**3+3*(n-1)*u**(n-2)*u_x*u_xx+u**(n-1)*u_xxx)",
        "t,x",
        "u",
        3,
        parameters=(
            "m:positive",
            "n:positive",
        ),
    ),
    "Fisher": Kind("u_t-u_xx-u*(1-u)", "t,x", "u", 2),
    "Huxley": Kind("u_t-u_xx-u**2*(1-u)", "t,x", "u", 2),
    "Newell-Whitehead": Kind("u_t-u_xx-u+u**3", "t,x", "u", 2),
    "reaction exp": Kind("u_t-u_xx-exp(u)", "t,x", "u", 3),
    "reaction n": Kind("u_t-u_xx-u**n", "t,x", "u", 3, parameters=("n:positive, n != 1",)),
    "reaction quadratic gradient": Kind("u_t-u_xx-u_x**2-u**2", "t,x", "u", 2),
    "reaction gradient exp": Kind("u_t-u_xx-u_x**2-u", "t,x", "u", 4),
    "pme m": Kind("u_t-u**m*u_xx-m*u**(m-1)*u_x**2", "t,x", "u", 4, parameters=("m:positive",)),
    "pme m plain": Kind("u_t-u**m*u_xx-m*u**(m-1)*u_x**2", "t,x", "u", 4, parameters=("m",)),
    "pme exp": Kind("u_t-exp(u)*(u_xx+u_x**2)", "t,x", "u", 4),
    "pme -2": Kind("u_t-u_xx/u**2+2*u_x**2/u**3", "t,x", "u", 4),
    "pme -1": Kind("u_t-u_xx/u+u_x**2/u**2", "t,x", "u", 4),
    "pme 1/(1+u2)": Kind("u_t-u_xx/(1+u**2)+2*u*u_x**2/(1+u**2)**2", "t,x", "u", 3),
    "pme u2+1": Kind("u_t-(1+u**2)*u_xx-2*u*u_x**2", "t,x", "u", 3),
    "pme source n": Kind(
        "u_t-u**m*u_xx-m*u**(m-1)*u_x**2-u**n",
        "t,x",
        "u",
        3,
        parameters=(
            "m:positive",
            "n:positive",
        ),
    ),
    "pme source m+1": Kind("u_t-u**m*u_xx-m*u**(m-1)*u_x**2-u**(m+1)", "t,x", "u", 3, parameters=("m:positive",)),
    "pme source u": Kind("u_t-u**m*u_xx-m*u**(m-1)*u_x**2-u", "t,x", "u", 4, parameters=("m:positive",)),
    "pme exp source": Kind("u_t-exp(u)*(u_xx+u_x**2)-exp(u)", "t,x", "u", 3),
    "pme -4/3 source": Kind(
        "u_t-u**Rational(-4,3)*u_xx+Rational(4,3)*u**Rational(-7,3)*u_x**2-u**Rational(-1,3)", "t,x", "u", 5
    ),
    "pme -4/3 sink": Kind(
        "u_t-u**Rational(-4,3)*u_xx+Rational(4,3)*u**Rational(-7,3)*u_x**2+u**Rational(-1,3)", "t,x", "u", 5
    ),
    "pme -4/3 source u": Kind(
        "u_t-u**Rational(-4,3)*u_xx+Rational(4,3)*u**Rational(-7,3)*u_x**2-a*u",
        "t,x",
        "u",
        5,
        parameters=("a:positive",),
    ),
    "pme convection": Kind("u_t-2*u*u_xx-2*u_x**2-u*u_x", "t,x", "u", 3),
    "gburgers n": Kind("u_t+u**n*u_x-u_xx", "t,x", "u", 3, parameters=("n:positive, n != 1",)),
    "Burgers-Huxley": Kind("u_t+u*u_x-u_xx-u*(1-u)*(u-a)", "t,x", "u", 2, parameters=("a:positive",)),
    "cylindrical Burgers": Kind("u_t+u*u_x+u/(2*t)-u_xx", "t,x", "u", 3),
    "Burgers t": Kind("u_t+u*u_x-t*u_xx", "t,x", "u", 3),
    "Burgers exp(t)": Kind("u_t+u*u_x-exp(t)*u_xx", "t,x", "u", 3),
    "Burgers forced": Kind("u_t+u*u_x-u_xx-x", "t,x", "u", 5),
    "Burgers sink": Kind("u_t+u*u_x-u_xx+u", "t,x", "u", 3),
    "lubrication 1": Kind("u_t+u*u_xxxx+u_x*u_xxx", "t,x", "u", 4),
    "lubrication 3": Kind("u_t+u**3*u_xxxx+3*u**2*u_x*u_xxx", "t,x", "u", 4),
    "Cahn-Hilliard": Kind("u_t+u_xxxx-3*u**2*u_xx-6*u*u_x**2+u_xx", "t,x", "u", 2),
    "Swift-Hohenberg": Kind("u_t+u_xxxx+2*u_xx+u-r*u+u**3", "t,x", "u", 2, parameters=("r:positive",)),
    "Kawahara": Kind("u_t+u*u_x+u_xxx+u_xxxxx", "t,x", "u", 3),
    "Kawahara mod": Kind("u_t+u**2*u_x+u_xxx+u_xxxxx", "t,x", "u", 2),
    "kdv5": Kind("u_t+u*u_x+u_xxxxx", "t,x", "u", 4),
    "Lax5": Kind("u_t+30*u**2*u_x+20*u_x*u_xx+10*u*u_xxx+u_xxxxx", "t,x", "u", 3),
    "Ito5": Kind("u_t+2*u**2*u_x+6*u_x*u_xx+3*u*u_xxx+u_xxxxx", "t,x", "u", 3),
    "Lax7": Kind(
        "u_t+140*u**3*u_x+70*u_x**3+280*u*u_x*u_xx+70*u**2*u_xxx+70*u_xx*u_xxx+42*u_x*u_xxxx+14*u*u_xxxxx+u_xxxxxxx",
        "t,x",
        "u",
        3,
    ),
    "CDF": Kind(
        "u_t+u_xxx-u_x**3/8-u_x*(a*exp(u)+b*exp(-u)+c)",
        "t,x",
        "u",
        2,
        parameters=(
            "a:positive",
            "b:positive",
            "c",
        ),
    ),
    "CDF one": Kind("u_t+u_xxx-u_x**3/8-u_x*exp(u)", "t,x", "u", 3),
    "pmkdv": Kind("u_t+u_xxx+u_x**3", "t,x", "u", 4),
    "Schwarzian KdV": Kind("u_t-u_xxx+3*u_xx**2/(2*u_x)", "t,x", "u", 6),
    "Krichever-Novikov u3": Kind(
        "u_t-u_xxx+Rational(3,2)*(u_xx**2-4*u**3+a*u+b)/u_x",
        "t,x",
        "u",
        2,
        parameters=(
            "a",
            "b",
        ),
    ),
    "Krichever-Novikov 1": Kind("u_t-u_xxx+Rational(3,2)*(u_xx**2-1)/u_x", "t,x", "u", 4),
    "Cavalcante-Tenenblat": Kind(
        "u_t-Rational(3,4)*u_x**Rational(-5,2)*u_xx**2+u_x**Rational(-3,2)*u_xxx/2-u_x**Rational(3,2)",
        "t,x",
        "u",
        4,
    ),
    "p-Laplacian n": Kind("u_t-u_x**n*u_xx", "t,x", "u", 5, parameters=("n:positive",)),
    "p-Laplacian -2": Kind("u_t-u_xx/u_x**2", "t,x", "u", 6, infinite=True),
    "curve shortening": Kind("u_t-u_xx/(1+u_x**2)", "t,x", "u", 5),
    "affine shortening": Kind("u_t-u_xx**Rational(1,3)", "t,x", "u", 7),
    "u_xx**n": Kind("u_t-u_xx**n", "t,x", "u", 6, parameters=("n:positive, n != 1",)),
    "log u_xx": Kind("u_t-log(u_xx)", "t,x", "u", 6),
    "quadratic u_xx": Kind("u_t-u_xx**2", "t,x", "u", 6),
    "Gibbons-type u_t=u2 u_xx": Kind("u_t-u**2*u_xx", "t,x", "u", 4),
    "u**2 u_xx + u**3": Kind("u_t-u**2*u_xx-u**3", "t,x", "u", 3),
    "Kuramoto n": Kind("u_t+u_x**2+u_xx+a*u_xxx+u_xxxx", "t,x", "u", 4, parameters=("a:positive",)),
    "Fokker-Planck": Kind("u_t-u_xx-x*u_x-u", "t,x", "u", 6, infinite=True),
    "Kolmogorov": Kind("u_t-u_xx+x*u_y", "t,x,y", "u", 8, infinite=True),
    "CEV": Kind(
        "u_t+s**2*x**(2*b)*u_xx/2+r*x*u_x-r*u",
        "t,x",
        "u",
        4,
        infinite=True,
        parameters=(
            "s:positive",
            "r:positive",
            "b:positive, b != 1",
        ),
    ),
    "heat a/x2": Kind("u_t-u_xx-a*u/x**2", "t,x", "u", 4, infinite=True, parameters=("a",)),
    "heat x": Kind("u_t-u_xx-x*u", "t,x", "u", 6, infinite=True),
    "heat x2": Kind("u_t-u_xx-x**2*u", "t,x", "u", 6, infinite=True),
    "heat -x2": Kind("u_t-u_xx+x**2*u", "t,x", "u", 6, infinite=True),
    "heat 1/x": Kind("u_t-u_xx-u/x", "t,x", "u", 2, infinite=True),
    "heat x4": Kind("u_t-u_xx-x**4*u", "t,x", "u", 2, infinite=True),
    "heat radial 1": Kind("u_t-u_xx-u_x/x", "t,x", "u", 4, infinite=True),
    "heat radial 2": Kind("u_t-u_xx-2*u_x/x", "t,x", "u", 6, infinite=True),
    "heat radial n": Kind("u_t-u_xx-n*u_x/x", "t,x", "u", 4, infinite=True, parameters=("n",)),
    "x u_xx": Kind("u_t-x*u_xx", "t,x", "u", 4, infinite=True),
    "x2 u_xx": Kind("u_t-x**2*u_xx", "t,x", "u", 6, infinite=True),
    "x4 u_xx": Kind("u_t-x**4*u_xx", "t,x", "u", 6, infinite=True),
    "xm u_xx": Kind("u_t-x**m*u_xx", "t,x", "u", 4, infinite=True, parameters=("m",)),
    "exp(x) u_xx": Kind("u_t-exp(x)*u_xx", "t,x", "u", 4, infinite=True),
    "heat t": Kind("u_t-t*u_xx", "t,x", "u", 6, infinite=True),
    "heat exp(t)": Kind("u_t-exp(t)*u_xx+u_x", "t,x", "u", 6, infinite=True),
    "heat source t": Kind("u_t-u_xx-cos(t)*u", "t,x", "u", 6, infinite=True),
    "u_xxx lin": Kind("u_t-u_xxx", "t,x", "u", 4, infinite=True),
    "u_xxx x": Kind("u_t-u_xxx-x*u", "t,x", "u", 3, infinite=True),
    "u_xxxx lin": Kind("u_t+u_xxxx", "t,x", "u", 4, infinite=True),
    "beam": Kind("u_tt+u_xxxx", "t,x", "u", 4, infinite=True),
    "wave x2": Kind("u_tt-x**2*u_xx", "t,x", "u", 4, infinite=True),
    "wave x4": Kind("u_tt-x**4*u_xx", "t,x", "u", 0, infinite=True),
    "wave xm": Kind("u_tt-x**m*u_xx", "t,x", "u", 4, infinite=True, parameters=("m:positive",)),
    "wave exp": Kind("u_tt-exp(x)*u_xx", "t,x", "u", 4, infinite=True),
    "EPD n": Kind("u_tt-u_xx-n*u_x/x", "t,x", "u", 4, infinite=True, parameters=("n",)),
    "EPD 2": Kind("u_tt-u_xx-2*u_x/x", "t,x", "u", 1, infinite=True),
    "Tricomi": Kind("x*u_yy+u_xx", "x,y", "u", 4, infinite=True),
    "Keldysh": Kind("u_yy+x*u_xx", "x,y", "u", 4, infinite=True),
    "Chaplygin": Kind("K(y)*u_xx+u_yy", "x,y", "u", 2, infinite=True, functions=("K:y",)),
    "telegraph lin": Kind("u_tt+u_t-u_xx", "t,x", "u", 4, infinite=True),
    "u_xy=u": Kind("u_xy-u", "x,y", "u", 4, infinite=True),
    "u_xy k": Kind("u_xy-k*u/(x+y)**2", "x,y", "u", 4, infinite=True, parameters=("k",)),
    "Laplace 2": Kind("u_xx+u_yy", "x,y", "u", 1, infinite=True),
    "Helmholtz 2": Kind("u_xx+u_yy+u", "x,y", "u", 4, infinite=True),
    "biharmonic": Kind("u_xxxx+2*u_xxyy+u_yyyy", "x,y", "u", 7, infinite=True),
    "axisymmetric Laplace": Kind("u_xx+u_x/x+u_yy", "x,y", "u", 4, infinite=True),
    "Laplace 3": Kind("u_xx+u_yy+u_zz", "x,y,z", "u", 11, infinite=True),
    "heat 2": Kind("u_t-u_xx-u_yy", "t,x,y", "u", 9, infinite=True),
    "heat 3": Kind("u_t-u_xx-u_yy-u_zz", "t,x,y,z", "u", 13, infinite=True),
    "wave 2": Kind("u_tt-u_xx-u_yy", "t,x,y", "u", 11, infinite=True),
    "wave 3": Kind("u_tt-u_xx-u_yy-u_zz", "t,x,y,z", "u", 16, infinite=True),
    "Helmholtz 3": Kind("u_xx+u_yy+u_zz+u", "x,y,z", "u", 7, infinite=True),
    "Klein-Gordon 2": Kind("u_tt-u_xx-u_yy+u", "t,x,y", "u", 7, infinite=True),
    "Fokker-Planck 2": Kind("u_t-u_xx-u_yy-x*u_x-y*u_y-2*u", "t,x,y", "u", 9, infinite=True),
    "Kramers": Kind("u_t-u_xx+x*u_y-a*x*u_x-a*u", "t,x,y", "u", 6, infinite=True, parameters=("a:positive",)),
    "heat 2 oscillator": Kind("u_t-u_xx-u_yy+(x**2+y**2)*u", "t,x,y", "u", 9, infinite=True),
    "phi4": Kind("u_tt-u_xx+u**3-u", "t,x", "u", 3),
    "cubic KG": Kind("u_tt-u_xx+u**3", "t,x", "u", 4),
    "double sine-Gordon": Kind("u_tt-u_xx+sin(u)+a*sin(u/2)", "t,x", "u", 3, parameters=("a:positive",)),
    "Liouville wave": Kind("u_tt-u_xx-exp(u)", "t,x", "u", 0, infinite=True),
    "Tzitzeica": Kind("u_xy-exp(u)+exp(-2*u)", "x,y", "u", 3),
    "sinh-Gordon": Kind("u_xy-sinh(u)", "x,y", "u", 3),
    "u_xy=u**n": Kind("u_xy-u**n", "x,y", "u", 4, parameters=("n:positive, n != 1",)),
    "u_tt power": Kind("u_tt-u_xx-u**n", "t,x", "u", 4, parameters=("n:positive, n != 1",)),
    "u_tt log": Kind("u_tt-u_xx-u*log(u)", "t,x", "u", 3),
    "nwave exp": Kind("u_tt-exp(u)*(u_xx+u_x**2)", "t,x", "u", 4),
    "nwave m": Kind("u_tt-u**m*u_xx-m*u**(m-1)*u_x**2", "t,x", "u", 4, parameters=("m",)),
    "nwave -4": Kind("u_tt-u_xx/u**4+4*u_x**2/u**5", "t,x", "u", 5),
    "nwave -4/3": Kind("u_tt-u**Rational(-4,3)*u_xx+Rational(4,3)*u**Rational(-7,3)*u_x**2", "t,x", "u", 5),
    "u_tt=u_x**m u_xx": Kind("u_tt-u_x**m*u_xx", "t,x", "u", 6, parameters=("m:positive",)),
    "u_tt=exp(u_x) u_xx": Kind("u_tt-exp(u_x)*u_xx", "t,x", "u", 6),
    "BBM": Kind("u_t+u_x+u*u_x-u_xxt", "t,x", "u", 3),
    "equal width": Kind("u_t+u*u_x-u_xxt", "t,x", "u", 3),
    "Rosenau": Kind("u_t+u_xxxxt+u_x+u*u_x", "t,x", "u", 3),
    "BBM-Burgers": Kind("u_t+u*u_x-u_xx-u_xxt", "t,x", "u", 2),
    "good Boussinesq": Kind("u_tt-u_xx-2*u*u_xx-2*u_x**2-u_xxxx", "t,x", "u", 3),
    "KZ": Kind("u_tx-u*u_xx-u_x**2-u_yy", "t,x,y", "u", 1, infinite=True),
    "KZ 3": Kind("u_tx-u*u_xx-u_x**2-u_yy-u_zz", "t,x,y,z", "u", 5, infinite=True),
    "potential KP": Kind("u_tx+3*u_x*u_xx+u_xxxx/4+3*u_yy/4", "t,x,y", "u", 0, infinite=True),
    "ZK": Kind("u_t+u*u_x+u_xxx+u_xyy", "t,x,y", "u", 5),
    "mZK": Kind("u_t+u**2*u_x+u_xxx+u_xyy", "t,x,y", "u", 4),
    "ZK 3": Kind("u_t+u*u_x+u_xxx+u_xyy+u_xzz", "t,x,y,z", "u", 7),
    "ZK-BBM": Kind("u_t+u_x+2*u*u_x+u_xxt+u_xyy", "t,x,y", "u", 4),
    "CBS": Kind("u_tx+u_xxxy+4*u_x*u_xy+2*u_y*u_xx", "t,x,y", "u", 6, infinite=True),
    "Jimbo-Miwa": Kind("u_xxxy+3*u_y*u_xx+3*u_x*u_xy+2*u_ty-3*u_xz", "t,x,y,z", "u", 4, infinite=True),
    "Born-Infeld": Kind("(1-u_t**2)*u_xx+2*u_x*u_t*u_tx-(1+u_x**2)*u_tt", "t,x", "u", 7),
    "Monge-Ampere 0": Kind("u_xx*u_yy-u_xy**2", "x,y", "u", 15),
    "Monge-Ampere exp": Kind("u_xx*u_yy-u_xy**2-exp(u)", "x,y", "u", 6),
    "Monge-Ampere -1": Kind("u_xx*u_yy-u_xy**2+1", "x,y", "u", 9),
    "SWW": Kind("u_xxxt+4*u_x*u_tx+2*u_t*u_xx-u_tx-u_xx", "t,x", "u", 3, infinite=True),
    "EMC": Kind("u_tyyy+u_y*u_ty+u_yy*u_t+u_tt", "t,y", "u", 4),
    "Novikov": Kind("u_t-u_xxt+4*u**2*u_x-3*u*u_x*u_xx-u**2*u_xxx", "t,x", "u", 5),
    "Fornberg-Whitham": Kind("u_t-u_xxt+u_x+u*u_x-u*u_xxx-3*u_x*u_xx", "t,x", "u", 3),
    "Vakhnenko": Kind("u_tx+u*u_xx+u_x**2+u", "t,x", "u", 3),
    "Ostrovsky": Kind("u_tx+u*u_xx+u_x**2+u_xxxx-u", "t,x", "u", 2),
    "Benney-Luke-like": Kind("u_tt-u_xx+u_xxxx-u_xxtt+u_t*u_xx+2*u_x*u_tx", "t,x", "u", 3),
    "telegraph nonlinear": Kind("u_tt+u_t-2*u*u_xx-2*u_x**2", "t,x", "u", 3),
    "CH 2-d (dispersionless)": Kind("u_xx*u_yy-u_xy**2-u_tx", "t,x,y", "u", 8, infinite=True),
    "Boyer-Finley": Kind("u_xx+u_yy-exp(u)*(u_tt+u_t**2)", "t,x,y", "u", 2, infinite=True),
    "transonic": Kind("u_x*u_xx-u_yy", "x,y", "u", 6),
    "LRT transonic": Kind("2*u_tx+u_x*u_xx-u_yy", "t,x,y", "u", 1, infinite=True),
    "Hopf": Kind("u_t+u*u_x", "t,x", "u", 0, infinite=True),
    "Hopf sink": Kind("u_t+u*u_x+u", "t,x", "u", 0, infinite=True),
    "transport": Kind("u_t+x*u_x-u", "t,x", "u", 0, infinite=True),
    "Hamilton-Jacobi": Kind("u_t+u_x**2/2", "t,x", "u", 10),
    "Hamilton-Jacobi 2": Kind("u_t+u_x**2/2+u_y**2/2", "t,x,y", "u", 15),
    "eikonal 2": Kind("u_x**2+u_y**2-1", "x,y", "u", 10),
    "eikonal 3": Kind("u_x**2+u_y**2+u_z**2-1", "x,y,z", "u", 15),
    "eikonal t": Kind("u_t**2-u_x**2-u_y**2-1", "t,x,y", "u", 15),
    "Hamilton-Jacobi oscillator": Kind("u_t+u_x**2/2+x**2/2", "t,x", "u", 10),
    "Hamilton-Jacobi x4": Kind("u_t+u_x**2/2+x**4", "t,x", "u", 3),
    "diffusion 3 n": Kind(
        "u_t-u**m*(u_xx+u_yy+u_zz)-m*u**(m-1)*(u_x**2+u_y**2+u_z**2)", "t,x,y,z", "u", 9, parameters=("m:positive",)
    ),
    "Liouville 3": Kind("u_xx+u_yy+u_zz-exp(u)", "x,y,z", "u", 7),
    "Liouville elliptic": Kind("u_xx+u_yy-exp(u)", "x,y", "u", 0, infinite=True),
    "Lane-Emden 3": Kind("u_xx+u_yy+u_zz+u**5", "x,y,z", "u", 10),
    "heat 2 cubic": Kind("u_t-u_xx-u_yy-u**3", "t,x,y", "u", 5),
    "wave 3 cubic": Kind("u_tt-u_xx-u_yy-u_zz-u**3", "t,x,y,z", "u", 15),
    "wave 2 cubic": Kind("u_tt-u_xx-u_yy-u**3", "t,x,y", "u", 7),
    "wave 2 quintic": Kind("u_tt-u_xx-u_yy-u**5", "t,x,y", "u", 10),
    "sine-Gordon 2": Kind("u_tt-u_xx-u_yy+sin(u)", "t,x,y", "u", 6),
    "heat 2 exp": Kind("u_t-u_xx-u_yy-exp(u)", "t,x,y", "u", 5),
    "diffusion k(u)": Kind("u_t-k(u)*u_xx-k_u*u_x**2", "t,x", "u", 3, functions=("k:u",)),
    "wave k(u)": Kind("u_tt-k(u)*u_xx-k_u*u_x**2", "t,x", "u", 3, functions=("k:u",)),
    "reaction Q(u)": Kind("u_t-u_xx-Q(u)", "t,x", "u", 2, functions=("Q:u",)),
    "k(u), Q(u)": Kind(
        "u_t-k(u)*u_xx-k_u*u_x**2-Q(u)",
        "t,x",
        "u",
        2,
        functions=(
            "k:u",
            "Q:u",
        ),
    ),
    "kdv f(u)": Kind("u_t+f(u)*u_x+u_xxx", "t,x", "u", 2, functions=("f:u",)),
    "kdv g(t)": Kind("u_t+g(t)*u*u_x+u_xxx", "t,x", "u", 2, functions=("g:t",)),
    "kdv disp g(t)": Kind("u_t+u*u_x+g(t)*u_xxx", "t,x", "u", 2, functions=("g:t",)),
    "heat f(x)": Kind("u_t-u_xx-f(x)*u", "t,x", "u", 2, infinite=True, functions=("f:x",)),
    "f(x) u_xx": Kind("u_t-f(x)*u_xx", "t,x", "u", 2, infinite=True, functions=("f:x",)),
    "KG Q(u)": Kind("u_tt-u_xx-Q(u)", "t,x", "u", 3, functions=("Q:u",)),
    "u_xy=Q(u)": Kind("u_xy-Q(u)", "x,y", "u", 3, functions=("Q:u",)),
    "wave f(x)": Kind("u_tt-f(x)*u_xx", "t,x", "u", 2, infinite=True, functions=("f:x",)),
    "Burgers f(t)": Kind("u_t+u*u_x-f(t)*u_xx", "t,x", "u", 2, functions=("f:t",)),
    "heat h(t) potential": Kind("u_t-u_xx-h(t)*u", "t,x", "u", 6, infinite=True, functions=("h:t",)),
    "ode y'=y": Kind("y_x-y", "x", "y", 0, infinite=True),
    "ode Riccati": Kind("y_x-y**2-x", "x", "y", 0, infinite=True),
    "ode Bernoulli": Kind("y_x-y/x-y**3", "x", "y", 0, infinite=True),
    "ode y''=0": Kind("y_xx", "x", "y", 8),
    "ode y''=y'": Kind("y_xx-y_x", "x", "y", 8),
    "ode y'' Riccati chain": Kind("y_xx+3*y*y_x+y**3", "x", "y", 8),
    "ode y''=exp(y')": Kind("y_xx-exp(y_x)", "x", "y", 3),
    "ode y''=y'**a": Kind("y_xx-y_x**a", "x", "y", 3, parameters=("a:positive",)),
    "ode y''=y**n": Kind("y_xx-y**n", "x", "y", 2, parameters=("n:positive",)),
    "ode Emden-Fowler": Kind(
        "y_xx-x**n*y**m",
        "x",
        "y",
        1,
        parameters=(
            "n:positive",
            "m:positive",
        ),
    ),
    "ode Emden-Fowler plain": Kind(
        "y_xx-A*x**n*y**m",
        "x",
        "y",
        1,
        parameters=(
            "A",
            "n",
            "m",
        ),
    ),
    "ode Lane-Emden n": Kind("y_xx+2*y_x/x+y**n", "x", "y", 1, parameters=("n:positive",)),
    "ode Lane-Emden 5": Kind("y_xx+2*y_x/x+y**5", "x", "y", 1),
    "ode Lane-Emden exp": Kind("y_xx+2*y_x/x+exp(y)", "x", "y", 1),
    "ode cylinder exp": Kind("y_xx+y_x/x+exp(y)", "x", "y", 2),
    "ode Thomas-Fermi": Kind("y_xx-y**Rational(3,2)/sqrt(x)", "x", "y", 1),
    "ode P2": Kind("y_xx-2*y**3-x*y-a", "x", "y", 0, parameters=("a",)),
    "ode P3": Kind(
        "y_xx-y_x**2/y+y_x/x-(a*y**2+b)/x-c*y**3-d/y",
        "x",
        "y",
        0,
        parameters=(
            "a",
            "b",
            "c",
            "d",
        ),
    ),
    "ode P4": Kind(
        "y_xx-y_x**2/(2*y)-3*y**3/2-4*x*y**2-2*(x**2-a)*y-b/y",
        "x",
        "y",
        0,
        parameters=(
            "a",
            "b",
        ),
    ),
    "ode P5": Kind(
        "y_xx-(1/(2*y)+1/(y-1))*y_x**2+y_x/x-(y-1)**2/x**2*(a*y+b/y)-c*y/x-d*y*(y+1)/(y-1)",
        "x",
        "y",
        0,
        parameters=(
            "a",
            "b",
            "c",
            "d",
        ),
    ),
    "ode P6": Kind(
        "y_xx-(1/y+1/(y-1)+1/(y-x))*y_x**2/2+(1/x+1/(x-1)+1/(y-x))*y_x-y*(y-1)*(y-x)/(x**2*(x-1)**2)*(a+b*x/y**2+c*(x-1)/(y-1)**2+d*x*(x-1)/(y-x)**2)",
        "x",
        "y",
        0,
        parameters=(
            "a",
            "b",
            "c",
            "d",
        ),
    ),
    "ode pendulum": Kind("y_xx+sin(y)", "x", "y", 1),
    "ode Ermakov w": Kind("y_xx+w**2*y-1/y**3", "x", "y", 3, parameters=("w:positive",)),
    "ode Ermakov hyperbolic": Kind("y_xx-y-1/y**3", "x", "y", 3),
    "ode Ermakov Euler": Kind("y_xx+y/(4*x**2)-1/y**3", "x", "y", 3),
    "ode log linearisable": Kind("y*y_xx-y_x**2", "x", "y", 8),
    "ode circles": Kind("y_xx-(1+y_x**2)**Rational(3,2)", "x", "y", 3),
    "ode catenary": Kind("y*y_xx-1-y_x**2", "x", "y", 2),
    "ode exp coefficient": Kind("y_xx+exp(x)*y**3", "x", "y", 1),
    "ode sqrt coefficient": Kind("y_xx-sqrt(x)*y**2", "x", "y", 1),
    "ode log coefficient": Kind("y_xx-log(x)*y**2", "x", "y", 0),
    "ode x**-5 y**2": Kind("y_xx-y**2/x**5", "x", "y", 2),
    "ode x**(-15/7) y**2": Kind("y_xx-x**Rational(-15,7)*y**2", "x", "y", 2),
    "ode duffing damped": Kind("y_xx+3*y_x+2*y+y**3", "x", "y", 2),
    "ode y''=k(y)": Kind("y_xx-k(y)", "x", "y", 1, functions=("k:y",)),
    "ode damped modified Emden": Kind("y_xx+y*y_x", "x", "y", 2),
    "ode y'''=0": Kind("y_xxx", "x", "y", 7),
    "ode y'''+y'": Kind("y_xxx+y_x", "x", "y", 7),
    "ode y'''=y": Kind("y_xxx-y", "x", "y", 5),
    "ode y'''=y''": Kind("y_xxx-y_xx", "x", "y", 5),
    "ode y'''=y**n": Kind("y_xxx-y**n", "x", "y", 2, parameters=("n:positive",)),
    "ode y'''=exp(y)": Kind("y_xxx-exp(y)", "x", "y", 2),
    "ode Schwarzian": Kind("y_xxx*y_x-3*y_xx**2/2", "x", "y", 6),
    "ode Schwarzian=1": Kind("y_xxx/y_x-3*y_xx**2/(2*y_x**2)-1", "x", "y", 6),
    "ode Schwarzian y": Kind("y_xxx/y_x-3*y_xx**2/(2*y_x**2)-y_x**2", "x", "y", 6),
    "ode hodograph cubic": Kind("y_xxx*y_x-3*y_xx**2", "x", "y", 7),
    "ode y'''=y''**p": Kind("y_xxx-y_xx**p", "x", "y", 4, parameters=("p:positive",)),
    "ode y'''=y'**p": Kind("y_xxx-y_x**p", "x", "y", 3, parameters=("p:positive",)),
    "ode y'''=exp(y'')": Kind("y_xxx-exp(y_xx)", "x", "y", 4),
    "ode circles 3": Kind("y_xxx*(1+y_x**2)-3*y_x*y_xx**2", "x", "y", 6),
    "ode y''''=0": Kind("y_xxxx", "x", "y", 8),
    "ode y''''=y": Kind("y_xxxx-y", "x", "y", 6),
    "ode y''''=y**(-5/3)": Kind("y_xxxx-y**Rational(-5,3)", "x", "y", 3),
    "ode y''''=y**n": Kind("y_xxxx-y**n", "x", "y", 2, parameters=("n:positive",)),
    "ode parabolas": Kind("3*y_xx*y_xxxx-5*y_xxx**2", "x", "y", 6),
    "ode iterative 4": Kind("y_xxxx-10*y_xx+9*y", "x", "y", 8),
    "ode conics": Kind("9*y_xx**2*y_xxxxx-45*y_xx*y_xxx*y_xxxx+40*y_xxx**3", "x", "y", 8),
    "ode y5=0": Kind("y_xxxxx", "x", "y", 9),
    "ode y5=y": Kind("y_xxxxx-y", "x", "y", 7),
    "ode y5=y**(-3/2)": Kind("y_xxxxx-y**Rational(-3,2)", "x", "y", 3),
    "ode Kummer-Schwarz 2": Kind("y_xx-3*y_x**2/(2*y)-y**3", "x", "y", 3),
    "ode Euler": Kind("x**2*y_xx+x*y_x-y", "x", "y", 8),
    "ode Bessel 1/2": Kind("x**2*y_xx+x*y_x+(x**2-Rational(1,4))*y", "x", "y", 8),
    "ode polytropic sinh": Kind("y_xx-sinh(y)", "x", "y", 1),
    "ode van der Pol f": Kind("y_xx+f(y)*y_x+y", "x", "y", 1, functions=("f:y",)),
    "ode Chazy-like": Kind("y_xxx+y*y_xx-y_x**2", "x", "y", 2),
    "ode Falkner b=1/2 hom": Kind("y_xxx+y*y_xx+b*y_x**2", "x", "y", 2, parameters=("b",)),
}
QUICK = frozenset(
    (
        "mkdv",
        "kdv t**k",
        "skdv",
        "K(3,3)",
        "Fisher",
        "reaction exp",
        "pme m plain",
        "pme -2",
        "lubrication 3",
        "Lax5",
        "Schwarzian KdV",
        "Krichever-Novikov 1",
        "p-Laplacian n",
        "heat a/x2",
        "xm u_xx",
        "EPD n",
        "Tricomi",
        "u_xy k",
        "phi4",
        "nwave m",
        "BBM",
        "KZ",
        "ZK",
        "Vakhnenko",
        "Hopf",
        "Liouville elliptic",
        "heat h(t) potential",
        "f(x) u_xx",
        "ode y''=y'**a",
        "ode Emden-Fowler plain",
        "ode P3",
        "ode P5",
        "ode log coefficient",
        "ode y'''=y''**p",
        "ode conics",
        "ode y5=y**(-3/2)",
        "ode Euler",
        "ode Bernoulli",
    )
)


def derived(kind):
    return derive(
        parse_system(
            [kind.equation], kind.independent.split(","), kind.dependent.split(","), kind.parameters, kind.functions
        )
    )


def assert_known(kind):
    result = derived(kind)
    assert (result.dimension, result.infinite) == (kind.dimension, kind.infinite)
    assert result.certified and not result.unsolved


@pytest.mark.parametrize("case", [name for name in KINDS if name in QUICK])
def test_quick_kinds(case):
    assert_known(KINDS[case])


@pytest.mark.slow
@pytest.mark.parametrize("case", [name for name in KINDS if name not in QUICK])
def test_kinds(case):
    assert_known(KINDS[case])


CLASSIFIED = {
    "u_t - k(u)*u_xx - k_u*u_x**2": {"k", "k_u", "k*k_u*k_uuu - 2*k*k_uu**2 + k_u**2*k_uu"},
    "u_t - u_xx - k(u)": {"k_uu*k_uuu*k_uuuuu - 2*k_uu*k_uuuu**2 + k_uuu**2*k_uuuu"},
}


@pytest.mark.parametrize("equation", CLASSIFIED)
def test_arbitrary_functions_name_what_is_excluded(equation):
    """(k/k_u)_uu = 0 for exponentials and powers, and (k_uu/k_uuu)_uu = 0 for u log u too."""
    result = derive(parse_system([equation], ["t", "x"], ["u"], functions=["k:u"]))
    assert {str(e) for e in result.assumed_nonzero} == CLASSIFIED[equation]


@pytest.mark.parametrize(
    ("equation", "functions", "field"),
    [
        ("u_t + u*u_x + u_xxx + sin(t)*u", [], {"t": "0", "x": "Integral(exp(cos(t)), t)", "u": "exp(cos(t))"}),
        ("u_t + g(t)*u*u_x + u_xxx", ["g:t"], {"t": "0", "x": "Integral(g(t), t)", "u": "1"}),
    ],
)
def test_integrals_that_are_not_elementary_stay_formal(equation, functions, field):
    result = derive(parse_system([equation], ["t", "x"], ["u"], functions=functions))
    assert result.certified and result.dimension == 2
    assert field in [f.as_json() for f in result.generators]


def test_what_is_found_stays_when_the_rest_cannot_be_solved():
    """y'' + f(x) y = 0 has eight symmetries; but for y d_y they need its solutions."""
    result = derive(parse_system(["y_xx + f(x)*y"], ["x"], ["y"], functions=["f:x"]))
    assert result.unsolved and not result.certified
    assert [f.as_json() for f in result.generators] == [{"x": "0", "y": "y"}]
