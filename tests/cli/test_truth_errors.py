"""Bad input to `lieapp truth`: one clear error with a next step each, the right exit code, no hang."""

import json
import time

import pytest

B = ("--independent", "t,x", "--dependent", "u")
UV = ("--independent", "t,x", "--dependent", "u,v")
HEAT = ("--equation", "u_t - u_xx", *B)


def eq(*equations, names=B):
    return (*(part for e in equations for part in ("--equation", e)), *names)


SYSTEMS = {
    "underdetermined": (eq("u_t + v_x", names=UV), "underdetermined: u may be any function of t, x"),
    "underdetermined, nonlinear": (eq("u_t*v_x - u_x*v_t", names=UV), "underdetermined: v may be any function"),
    "underdetermined with hidden dependence": (
        eq("u_t - v_x", "u_tt - v_tx", names=UV),
        "underdetermined: u may be any function",
    ),
    "inconsistent": (eq("u_x - 1", "u_t - x"), "inconsistent: they imply 1 = 0"),
    "inconsistent by a cross derivative": (eq("u_x", "u_t - x"), "inconsistent: they imply 1 = 0"),
    "zero by a relation": (eq("sin(u)**2 + cos(u)**2 - 1"), "identically zero"),
    "one of two is zero": (eq("u_t - u_xx", "(sin(u)**2 + cos(u)**2 - 1)*u_x"), "equation 2 of 2"),
    "algebraic": (eq("u_t - v_xx", "v - u**3", names=UV), "algebraic constraint"),
    "transcendental in each derivative": (eq("sin(u_x) + u_t + cos(u_t)"), "can't be solved for leading"),
    "an equation for a function alone": (
        (*eq("u_t - u_xx - f", "f_uu"), "--function", "f:u"),
        "f_uu = 0 is an algebraic constraint: it has no derivatives of unknowns",
    ),
    "a product": (eq("u_x**2 - u_t**2"), "product of equations"),
    "nowhere true": (eq("exp(u_x)"), "never vanishes"),
}

TYPED = {
    "no derivative": (eq("u - x"), "no derivative occurs"),
    "an unknown that cancels": (eq("u_t - u_xx + v - v", names=UV), "the unknown v occurs in no equation"),
    "an unknown that never occurs": (eq("u_t - u_xx", names=UV), "the unknown v occurs in no equation"),
    "zero": (eq("u_t - u_t"), "contains no unknown"),
    "only zero": (eq("0"), "contains no unknown"),
    "no unknown": (eq("u_t - u_xx", "x"), "contains no unknown"),
    "missing declaration": (eq("u_t - w"), "'w' is not declared"),
    "missing variable": (("--equation", "u_t - u_xx", "--independent", "t", "--dependent", "u"), "'u_xx'"),
    "no variables": (("--equation", "u_t - u_xx", "--dependent", "u"), "independent"),
    "no unknowns": (("--equation", "u_t - u_xx", "--independent", "t,x"), "dependent"),
    "empty variables": (("--equation", "u_t", "--independent", "", "--dependent", "u"), "independent"),
    "integral": (eq("u_t - Integral(u, x)"), "'Integral' is not a known function"),
    "int": (eq("u_t - int(u)"), "'int' is not a known function"),
    "conjugate": (eq("u_t - conj(u)"), "'conj' is not a known function"),
    "absolute value": (eq("u_t - abs(u)"), "'abs' is not a known function"),
    "maximum": (eq("u_t - Max(u, 0)"), "'Max' is not a known function"),
    "imaginary unit": (eq("u_t - I*u_xx"), "'I' is not declared"),
    "imaginary root": (eq("u_t - sqrt(-1)*u_xx"), "not a finite real expression"),
    "import": (eq("__import__('os')"), "'__import__' is not a known function"),
    "attribute": (eq("u_t + u.diff"), "only names, numbers"),
    "method": (eq("u_t + u.subs(1, 2)"), "this call is not allowed"),
    "subscript": (eq("u_t + u[0]"), "only names, numbers"),
    "lambda": (eq("lambda: u"), "this can't be read"),
    "f-string": (eq("f'{u}'"), "only names, numbers"),
    "comprehension": (eq("[u for u in u]"), "only names, numbers"),
    "walrus": (eq("(u := 3)"), "can't be read"),
    "conditional": (eq("u_t if u else u"), "only names, numbers"),
    "starred": (eq("sin(*u)"), "only names, numbers"),
    "semicolon": (eq("u_t - u_xx; u_x"), "can't be read"),
    "huge power": (eq("u_t + u**100000"), "exponents above"),
    "tower": (eq("u_t + 9**9**9"), "exponents above"),
    "power of a number": (eq("u_t + 2**(10**6)"), "exponents above"),
    "powers of sums": (eq("u_t + ((u + 1)**64 + x)**64"), "terms when multiplied out"),
    "product of powers": (eq("u_t + (u+x+t)**60*(u-x+t)**60"), "terms when multiplied out"),
    "nested squares": (eq("u_t + " + "(" * 60 + "u" + "+1)**2" * 60), "nested too deeply"),
    "nested functions": (eq("u_t + " + "sin(" * 60 + "u" + ")" * 60), "nested too deeply"),
    "parentheses": (eq("u_t + " + "(" * 1000 + "u" + ")" * 1000), "can't be read"),
    "10,000 characters": (eq("u_t" + " + u" * 2499), "characters"),
    "long number": (eq("u_t + " + "9" * 5000), "characters"),
    "empty": (eq(""), "an expression is missing here"),
    "half empty": (eq("u_t ="), "an expression is missing here"),
    "two equal signs": (eq("u_t = u = 3"), "one '=' at most"),
    "unicode letter": (eq("ü_t - u_xx"), "'ü_t' is not declared"),
    "unicode minus": (eq("u_t − u_xx"), "no minus of the keyboard"),
    "caret": (eq("u_t + u^2"), "'^' is not a power"),
    "division by zero": (eq("u_t - u_xx/(u - u)"), "division by zero"),
    "logarithm of zero": (eq("u_t - log(0)"), "not a finite real expression"),
    "a function's name": (
        eq("exp_t", names=("--independent", "t,x", "--dependent", "exp")),
        "'exp' can't be a name",
    ),
    "pi": (eq("pi_t", names=("--independent", "t,x", "--dependent", "pi")), "'pi' can't be a name"),
    "a word of Python": (
        eq("while_t", names=("--independent", "t,x", "--dependent", "while")),
        "'while' can't be a name",
    ),
    "variable twice": (eq("u_t", names=("--independent", "t,t", "--dependent", "u")), "'t' is declared twice"),
    "unknown twice": (eq("u_t", names=("--independent", "t,x", "--dependent", "u,u")), "'u' is declared twice"),
    "the same argument twice": ((*eq("u_t - k*u_xx"), "--function", "k:u,u"), "an argument of k is given twice"),
    "a function twice": (
        (*eq("u_t - k*u_xx"), "--function", "k:u", "--function", "k:x"),
        "'k' is declared twice",
    ),
    "an equation for a function": (
        (*eq("u_t - k*u_xx"), "--function", "k:u; k_u = 0"),
        "'k_u = 0' is no condition with !=",
    ),
    "unused parameter": ((*HEAT, "--parameter", "nu"), "the parameter nu is declared but occurs in no equation"),
    "unused function": ((*HEAT, "--function", "k:u"), "the function k is declared but occurs in no equation"),
    "assumptions that exclude one another": (
        (*eq("u_t - g*u_xx"), "--parameter", "g:positive,negative"),
        "g can't be positive and negative",
    ),
    "a condition on itself": ((*eq("u_t - g*u_xx"), "--parameter", "g, g != g"), "nothing fulfils this"),
    "a condition on numbers": ((*eq("u_t - g*u_xx"), "--parameter", "g, 0 != 1"), "nothing about a parameter"),
    "a false condition": ((*eq("u_t - g*u_xx"), "--parameter", "g, 0 != 0"), "nothing fulfils this"),
    "a condition alone": ((*eq("u_t - g*u_xx"), "--parameter", "g != 3"), "'g' is no parameter that is declared"),
    "names without commas": (("--equation", "u_t", "--independent", "t x", "--dependent", "u"), "'t x' can't be"),
    "a function of nothing there": ((*eq("u_t - k*u_xx"), "--function", "k:t,w"), "given arguments among t, x, u"),
    "a number that would be rounded away": (eq("u_t - 1e-400*u_xx"), "too long"),
    "a number too large": (eq("u_t - exp(exp(exp(exp(50))))*u_xx"), "too large to be meant"),
    "ambiguous letters": (
        ("--equation", "u_y - u_xx", "--independent", "x,xx,y", "--dependent", "u"),
        "'xx' can mean the derivative with respect to xx or x, 2 times",
    ),
    "both a plugin and an equation": ((*HEAT, "--plugin", "heat"), "both a plugin, heat, and an equation"),
    "two plugins": (("--plugin", "heat", "--plugin", "kdv"), "--plugin is given 2 times: heat, kdv"),
    "neither": ((), "either a plugin or an equation"),
    "empty parameter": ((*HEAT, "--parameter", ""), "can't be a name"),
    "assumption": ((*HEAT, "--parameter", "nu:huge"), "'huge' is not one of"),
    "periodic in no variable": ((*HEAT, "--periodic", "y"), "periodic in y"),
    "periodic in an unknown": ((*HEAT, "--periodic", "u"), "periodic in u"),
    "no budget": ((*HEAT, "--budget", "0"), "budget is 0.0"),
    "negative budget": ((*HEAT, "--budget", "-1"), "budget is -1.0"),
    "nan budget": ((*HEAT, "--budget", "nan"), "budget is nan"),
    "infinite budget": ((*HEAT, "--budget", "inf"), "budget is inf"),
    "budget in words": ((*HEAT, "--budget", "long"), "'long' is not a valid float"),
}


def check(lieapp, arguments, words, code):
    started = time.monotonic()
    said = lieapp("truth", *arguments, "--json")
    # 3 s on an idle machine; tests share theirs
    assert time.monotonic() - started < 15
    assert said.code == code
    assert set(json.loads(said.out)) == {"error"} and said.err == ""
    assert words in said.error["message"] and said.error["hint"] and said.error["type"] != "UnexpectedError"
    assert "Traceback" not in said.out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("case", SYSTEMS, ids=list(SYSTEMS))
def test_a_system_without_symmetries_in_this_sense(lieapp, case):
    check(lieapp, *SYSTEMS[case], code=1)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("case", TYPED, ids=list(TYPED))
def test_what_can_not_be_meant(lieapp, case):
    check(lieapp, *TYPED[case], code=2)


@pytest.mark.parametrize("case", ["underdetermined", "inconsistent", "import", "10,000 characters", "nan budget"])
def test_in_words(lieapp, case):
    arguments, words = {**SYSTEMS, **TYPED}[case]
    said = lieapp("truth", *arguments)
    assert said.code == (1 if case in SYSTEMS else 2) and said.out == ""
    assert said.err.startswith("error: ") and words in said.err and "\nhint: " in said.err
    assert "Traceback" not in said.err and len(said.err.splitlines()) <= 5


@pytest.mark.usefixtures("here")
def test_hints_name_the_way_out(lieapp):
    hints = {case: lieapp("truth", *TYPED[case][0], "--json").error["hint"] for case in ("integral", "conjugate")}
    assert "v_x - u" in hints["integral"] and "u = v + i w" in hints["conjugate"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((*eq("u_t - g*u_xx"), "--parameter", "g != 3"), "Declare g first: 'g, g != 3'."),
        (("--equation", "u_t", "--independent", "t x", "--dependent", "u"), "Write commas between names: t,x."),
        (("--equation", "u_t", "--independent", "t;x", "--dependent", "u"), "Write commas between names: t,x."),
        (eq("u_t − u_xx"), "Write - for minus."),
        (eq(r"\Box u - u_{xx}"), "plain text"),
        (eq("u_t - u_xx; u_x"), "Give each equation of a system by itself."),
    ],
    ids=["condition", "commas", "semicolons", "minus", "latex", "system"],
)
def test_hints_say_what_to_type(lieapp, arguments, hint):
    assert hint in lieapp("truth", *arguments, "--json").error["hint"]


@pytest.mark.usefixtures("here")
def test_no_name_is_put_before_errors_of_the_only_equation(lieapp):
    said = lieapp("truth", *eq("u_x - 1", "u_t - x"))
    assert said.err.startswith("error: the equations are inconsistent")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "dimension"),
    [
        (eq("u_t - u_xx", "u_t - u_xx"), 6),
        (eq("u_t - u_xx", "u_xxx - u_tx"), 6),
        (eq("E_t - beta*E_SS", names=("--independent", "t,S", "--dependent", "E", "--parameter", "beta")), 6),
        ((*HEAT, "--budget", "1e300"), 6),
    ],
    ids=["given twice", "a consequence added", "names that SymPy uses too", "endless budget"],
)
def test_what_looks_odd_but_can_be_meant(lieapp, arguments, dimension):
    said = lieapp("truth", *arguments, "--json")
    assert said.code == 0 and said.json["dimension"] == dimension and said.json["certified"]
