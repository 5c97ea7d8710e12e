"""`lieapp holds`: a given field tested from the command line."""

import pytest

B = ("--independent", "t,x", "--dependent", "u")
KDV = ("--equation", "u_t - 6*u*u_x + u_xxx", *B)
POWER = ("--equation", "u_t - u**n*u_xx - n*u**(n - 1)*u_x**2", *B, "--parameter", "n")


def test_the_json_is_the_contracts(lieapp):
    said = lieapp("holds", *KDV, "--field", "x: a*t, u: 1", "--json")
    assert said.code == 0 and said.err == ""
    assert {key: said.json[key] for key in ("holds", "values", "leftover")} == {
        "holds": True, "values": [{"a": "-6"}], "leftover": [],
    }  # fmt: skip
    assert said.json["field"] == {"t": "0", "x": "a*t", "u": "1"} and said.json["unknowns"] == ["a"]


def test_a_plugins_equation_in_either_notation(lieapp):
    for field in ("x: t, u: 1", "t*d_x + d_u"):
        said = lieapp("holds", "--plugin", "kdv", "--field", field)
        assert said.code == 0 and said.out.startswith("a symmetry\n")


def test_what_fails_is_shown_with_its_leftover_and_special_parameters(lieapp):
    said = lieapp("holds", *KDV, "--field", "t*d_x + d_u")
    assert said.code == 0 and "no symmetry" in said.out and "-7*u_x = 0" in said.out
    said = lieapp("holds", *POWER, "--field", "x: x**2, u: a*x*u")
    assert "a symmetry for n = -4/3, a = -3" in said.out
    document = lieapp("holds", *POWER, "--field", "x: x**2, u: a*x*u", "--json").json
    assert document["holds"] is False and document["special"] == [{"n": "-4/3", "a": "-3"}] and document["leftover"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*KDV,), "the field is empty"),
        ((*KDV, "--field", "y: 1"), "component of y"),
        ((*KDV, "--field", "x: f()"), "function of nothing"),
        (("--field", "x: 1"), "holds needs either a plugin or an equation"),
        (("--plugin", "nothing", "--field", "x: 1"), "nothing"),
        (("--plugin", "images", "--field", "x: 1"), "not an equation"),
        (("--equation", "u_t - w", *B, "--field", "x: 1"), "'w' is not declared"),
        ((*KDV, "--field", "x: 1", "--budget", "0"), "budget"),
    ],
)  # fmt: skip
def test_bad_input_is_one_error(lieapp, arguments, said):
    found = lieapp("holds", *arguments)
    assert found.code in (1, 2) and found.out == "" and "Traceback" not in found.err
    assert found.err.startswith("error: ") and said in found.err and "\nhint: " in found.err
