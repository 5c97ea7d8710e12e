"""What is said to people with data of their own: names, options, lists and places as they know them."""

import io

import numpy as np
import pytest
from rich.console import Console

import lieapp
from lieapp.data.mapping import parse_mapping
from lieapp.document import Notice, Text, without
from lieapp.equations.evolution import evolution_form
from lieapp.equations.parsing import parse_system
from lieapp.errors import DataError, EquationError, LieappError, UsageError, in_python
from lieapp.pde.kind import PDES
from lieapp.report.comparison import differences
from lieapp.report.terminal import rendered
from lieapp.settings import load_config

DISCOVER = PDES.works[0]


def test_second_order_in_time_is_no_matter_of_simulation():
    with pytest.raises(EquationError) as said:
        evolution_form(parse_system(["u_tt - u_xx"], ["t", "x"], ["u"], []))
    assert "contains u_tt; data must be of an equation u_t = F" in said.value.message
    assert "simulat" not in said.value.line and "files need its array too" in said.value.hint


def test_errors_are_told_without_the_name_that_a_typed_equation_got():
    assert LieappError("typed-0123abcd: the data don't fit.").message == "the data don't fit."
    assert LieappError("typed-words: of a plugin called so.").message.startswith("typed-words")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('Say it by --map "u=u(x,t), x=x".', 'Say it by map="u=u(x,t), x=x".'),
        ("--window t=0:0.5 keeps it; --drop-nan too.", 'window="t=0:0.5" keeps it; drop_nan=True too.'),
        ("--every x=4,t=2: no.", 'every="x=4,t=2": no.'),
        ("--set misfit=2 goes on.", "misfit=2 goes on."),
        ("--set data.samples=2 keeps those.", '**{"data.samples": 2} keeps those.'),
        ("--samples 2 keeps those (--set data.samples=2).", 'samples=2 keeps those (**{"data.samples": 2}).'),
        ("For example --parameter nu:0.1.", 'For example parameter=["nu:0.1"].'),
        ("Widen --window or lower --every.", "Widen window or lower every."),
        ("`lieapp plugins` lists them.", "`lieapp plugins` lists them."),
    ],
)  # fmt: skip
def test_callers_of_functions_are_told_keywords(typed, said):
    with pytest.raises(DataError) as caught, in_python():
        raise DataError(typed, hint=typed)
    assert caught.value.message == caught.value.hint == str(caught.value) == said


def test_what_python_is_told_can_be_passed(tmp_path):
    """The hint of a square array, taken at its word, is understood."""
    t, x = np.linspace(0, 1, 16), np.linspace(-1, 1, 16)
    np.savez(tmp_path / "a.npz", u=np.exp(t[:, None] * x), t=t, x=x)
    options = {"equation": "u_t - u_xx", "data": tmp_path / "a.npz", "out": tmp_path / "runs"}
    with pytest.raises(DataError, match="which is right") as caught:
        lieapp.discover(**options)
    shown = caught.value.hint.removeprefix("Say it by ").removesuffix(".")
    assert shown.startswith('map="')
    with pytest.raises(UsageError, match="there is no axis") as caught:
        lieapp.discover(**options, **eval(f"dict({shown})"), every="y=2")
    assert caught.value.message.startswith("every: there is no axis 'y'")


def test_a_setting_of_data_is_said_to_come_from_its_own_option():
    with pytest.raises(LieappError, match=r"data.extend is -1 \(from --extend\)"):
        load_config(DISCOVER.settings, plugin="a", **DISCOVER.typed("a", {"data": ["f"], "extend": -1}))
    with pytest.raises(LieappError, match=r"data.files is 3 \(from --data\)"):
        load_config(DISCOVER.settings, plugin="a", data={"files": 3})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("u=u(x;t), x=x, t=t", "u=u(x;t)"), ("u=u, x=0:abc, t=t", "x=0:abc"), ("u=u, t=t, u=v", "u=v"),
        ("u=u,  x=1:-1", "x=1:-1"),
    ],
)  # fmt: skip
def test_the_part_of_a_mapping_that_cannot_be_read_has_a_caret(text, part):
    with pytest.raises(UsageError) as said:
        parse_mapping(text)
    _, shown, caret = said.value.message.split("\n")
    assert shown == f"  {text}" and caret.index("^") == shown.index(part)


def test_lists_are_told_without_brackets():
    differ = {"data.files": [["a.mat", "b.mat"], [], None]}
    assert differences(differ) == [("data.files", ["a.mat, b.mat", "none", "–"])]


def test_commands_on_a_terminal_have_no_backticks():
    console = Console(file=io.StringIO(), force_terminal=True)
    for item in rendered([Text("Type `lieapp runs`."), Notice("`a` b", "warning"), Text("one ` only")]):
        console.print(item)
    shown = console.file.getvalue()
    assert "\x1b[1mlieapp runs\x1b[0m" in shown and shown.count("`") == 1


def test_warnings_that_were_shown_are_left_out():
    document = [Notice("one", "warning"), Notice("two", "warning"), Notice("one", "info"), Text("one")]
    assert without(document, ["one"]) == document[1:] and without(document, ()) == document
