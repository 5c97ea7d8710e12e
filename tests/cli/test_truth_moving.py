"""`lieapp truth --moving` and `--output` as they are typed: the JSON, the words, runs, and bad input."""

import json

import pytest

from lieapp.results.base import decode
from lieapp.results.truth import TruthResult

pytestmark = pytest.mark.usefixtures("here")

BURGERS = (
    "--equation", "u_t + u*u_x - nu*u_xx", "--independent", "t,x", "--dependent", "u", "--parameter", "nu:positive",
)  # fmt: skip
SIR = (
    "--equation", "S_t + b*S*J", "--equation", "J_t - b*S*J + g*J", "--independent", "t", "--dependent", "S,J",
    "--parameter", "b", "--parameter", "g", "--parameter", "k", "--output", "k*J",
)  # fmt: skip


def test_json_of_parameters_that_move(lieapp):
    said = lieapp("truth", *BURGERS, "--moving", "nu", "--json")
    found = said.json["moving"]
    assert said.code == 0 and said.json["dimension"] == 5 and said.json["sentence"].endswith("1 more moves nu")
    assert found["parameters"] == ["nu"] and found["class"] == "scalings" and found["complete"] is True
    assert found["generators"] == [{"t": "0", "x": "x", "u": "u", "nu": "2*nu"}]
    assert found["groups"] == ["nu*t/x**2", "u*x/nu"] and found["identifiable"] == {}
    result = decode(said.out.encode())
    assert isinstance(result, TruthResult) and result.moving.sought == "scalings"
    assert "moving" not in lieapp("truth", *BURGERS, "--json").json


def test_json_of_outputs(lieapp):
    found = lieapp("truth", *SIR, "--json").json["moving"]
    assert found["identifiable"] == {"b": False, "g": True, "k": False}
    seen = found["identification"]
    assert seen["outputs"] == ["J*k"] and seen["directions"] == 1 and seen["missing"] == 0
    assert seen["generators"] == [{"t": "0", "S": "-S", "J": "-J", "b": "b", "g": "0", "k": "k"}]
    assert seen["combinations"] == ["b/k"] and seen["states"] == {"S": False, "J": False} and seen["unseen"] == []


def test_in_words(lieapp):
    said = lieapp("truth", *BURGERS, "--moving", "nu").out
    assert "x ∂x + u ∂u + 2*nu ∂nu" in said and "There are no others: they move nu freely." in said
    assert "Dimensionless groups, which no scaling changes: nu*t/x**2, u*x/nu" in said
    said = lieapp("truth", *SIR, "--moving", "b,k").out
    assert "identifiable: ; " not in said and "not identifiable: b, k" in said
    assert "Determined all the same: b/k" in said and "measured: J*k" in said


def test_latex(lieapp):
    said = lieapp("truth", *SIR, "--latex").out
    assert r"\text{keeping } J k" in said and r"H_{1} &= " in said and r"\text{determined } \frac{b}{k}" in said


def test_what_no_output_depends_on(lieapp):
    model = ("--equation", "x_t + a*x", "--equation", "y_t - c*x", "--independent", "t", "--dependent", "x,y")
    typed = (*model, "--parameter", "a", "--parameter", "c", "--output", "x")
    seen = lieapp("truth", *typed, "--json").json["moving"]["identification"]
    assert seen["unseen"] == ["y", "c"] and seen["parameters"] == {"a": True, "c": False}
    assert "no output depends on y, c" in lieapp("truth", *typed).out


def test_a_plugins_parameter_stays_symbolic(lieapp):
    found = lieapp("truth", "--plugin", "burgers", "--moving", "nu", "--json").json
    assert found["moving"]["groups"] == ["nu*t/x**2", "u*x/nu"] and "nu" in found["equation_shown"][0]["text"]


def test_as_a_run(lieapp, tmp_path):
    said = lieapp("truth", *SIR, "--out", "kept", "--json", "--quiet")
    run = tmp_path / "kept" / said.json["run"]
    config = json.loads((run / "config.json").read_text())
    assert config["output"] == ["k*J"] and config["moving"] == []
    page = (run / "report.html").read_text()
    assert "What the outputs determine" in page and "Symmetries that move parameters" in page


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ((*BURGERS, "--moving", "mu"), "mu is no parameter of the equation"),
        ((*BURGERS, "--moving", "u"), "u is an unknown"),
        ((*BURGERS, "--moving", "nu,x"), "x is a variable"),
        ((*BURGERS, "--output", "u"), "outputs belong to ordinary differential equations"),
        ((*SIR, "--output", "z"), "'z' is not declared"),
        ((*SIR, "--output", "k"), "the output k contains no unknown"),
        ((*SIR, "--output", "S_t"), "'S_t' is not declared"),
        ((*SIR, "--output", "S = 3"), "can't be read"),
        ((*SIR, "--output", "__import__('os')"), "'__import__' is not a known function"),
        ((*SIR, "--parameter", "m"), "the parameter m is declared but occurs in no equation"),
        (("--plugin", "burgers", "--moving", "mu"), "mu: it is no parameter of the plugin burgers"),
        (("--plugin", "heat", "--moving", "nu"), "nu: it is no parameter of the plugin heat"),
        (("--plugin", "kdv", "--output", "u"), "outputs belong to ordinary differential equations"),
    ],
)
def test_what_means_nothing(lieapp, typed, words):
    said = lieapp("truth", *typed, "--json")
    assert said.code == 2 and words in said.error["message"] and said.error["hint"]
    assert "Traceback" not in said.out + said.err
