"""A plugin file made from a typed equation: it loads, and declares exactly that equation."""

import pytest
import sympy as sp

from lieapp.equations import plugin_file
from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_system
from lieapp.equations.plugin_file import Draft, plugin_text
from lieapp.errors import GridError, LieappError, PluginError
from lieapp.registry.catalog import load_catalog


def draft(**changes) -> Draft:
    values = {
        "name": "made",
        "title": "Made",
        "region": {"t": (0.0, 1.0), "x": (-1.5, 8.0)},
        "points": {"t": 16, "x": 32},
        "periodic": ("x",),
    }
    return Draft(**{**values, **changes})


EQUATIONS = {
    "kdv": ("u_t + u*u_x + u_xxx",),
    "fractions": ("u_t - Rational(2, 3)*u_xx/7 + sqrt(t + 1)*u**2/(2*(x**2 + 3))",),
    "functions": ("u_t + exp(-t)*sin(x)*u_x - log(t + 2)*tanh(u) + pi*u",),
    "roots": ("u_t + (t + 1)**Rational(-1, 2)*u + (x**2 + 1)**Rational(2, 3)*u_x + 2**Rational(1, 3)*u_xx",),
    "mixed": ("u_tx + u_txx*u - 0.1*u",),
    "two": ("u_t - v_x", "v_t - u_x - u*v"),
}


def test_a_name_that_python_has_for_itself(tmp_path, monkeypatch):
    system = parse_system(["u_t - lambda*u_xx"], ["t", "x"], ["u"], ["lambda:positive"])
    monkeypatch.chdir(tmp_path)
    plugin_file.write(plugin_text(system, draft(values={"lambda": "1/2"})), "made")
    found = read_pde(load_catalog().get("made").declaration)
    assert str(found.residuals[0]) == "u_t - u_xx/2"


@pytest.mark.parametrize("key", EQUATIONS)
def test_the_file_declares_the_typed_equation(key, tmp_path, monkeypatch):
    texts = EQUATIONS[key]
    system = parse_system(texts, ["t", "x"], ["u", "v"] if key == "two" else ["u"])
    monkeypatch.chdir(tmp_path)
    file = plugin_file.write(plugin_text(system, draft()), "made")
    catalog = load_catalog()
    assert catalog.broken == [] and catalog.get("made").file == file
    found = read_pde(catalog.get("made").declaration)
    assert found.jets.dependent == system.jets.dependent
    for ours, theirs in zip(system.residuals, found.residuals, strict=True):
        assert sp.simplify(ours - theirs) == 0


def test_parameters_have_values_and_assumptions(tmp_path, monkeypatch):
    system = parse_system(["u_t - nu*u_xx + c*u_x"], ["t", "x"], ["u"], ["nu:positive", "c"])
    monkeypatch.chdir(tmp_path)
    text = plugin_text(system, draft(values={"nu": "1/100", "c": "-0.5"}))
    assert 'nu = sp.Symbol("nu", positive=True)' in text and "sp.Rational(1, 100)" in text
    plugin_file.write(text, "made")
    declaration = load_catalog().get("made").declaration
    assert {str(k): v for k, v in declaration.parameters.items()} == {
        "nu": sp.Rational(1, 100),
        "c": -sp.Rational(1, 2),
    }


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": "Made!"}, PluginError),
        ({"name": "all"}, PluginError),
        ({"name": "u"}, PluginError),
        ({"region": {"t": (1.0, 1.0), "x": (0.0, 1.0)}}, GridError),
        ({"points": {"t": 2, "x": 32}}, GridError),
        ({"values": {"nu": "os"}}, PluginError),
        ({"values": {}}, PluginError),
    ],
    ids=["name", "reserved", "unknown", "region", "points", "value", "no-value"],
)
def test_what_a_declaration_refuses_is_refused(changes, error):
    system = parse_system(["u_t - nu*u_xx"], ["t", "x"], ["u"], ["nu"])
    with pytest.raises(error):
        plugin_text(system, draft(**{"values": {"nu": "1"}, **changes}))


def test_names_that_the_file_itself_uses():
    with pytest.raises(PluginError, match="'sp'"):
        plugin_text(parse_system(["sp_t - sp_xx"], ["t", "x"], ["sp"]), draft())


def test_an_arbitrary_function_has_no_data():
    with pytest.raises(PluginError, match="k is arbitrary"):
        plugin_text(parse_system(["u_t - k*u_xx"], ["t", "x"], ["u"], functions=["k:u"]), draft())


@pytest.mark.parametrize("title", ['"""\nimport os\n"""', "a\\", '"', "it's", "x\ny", "", "ü {x}"], ids=range(7))
def test_a_title_stays_a_title(title, tmp_path, monkeypatch):
    system = parse_system(["u_t - u_xx"], ["t", "x"], ["u"])
    text = plugin_text(system, draft(title=title))
    assert "import os" not in text.split('"""')[2].replace(repr(title)[1:-1], "")
    monkeypatch.chdir(tmp_path)
    plugin_file.write(text, "made")
    assert load_catalog().get("made").title == title


@pytest.mark.parametrize("name", ["../x", "a/b", "", "x.py", "/etc/x"], ids=range(5))
def test_a_name_is_no_path(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LieappError):
        plugin_file.write("", name)
    assert not list(tmp_path.rglob("*.py"))


def test_no_file_is_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = plugin_file.write("first", "made")
    with pytest.raises(PluginError, match="already exists"):
        plugin_file.write("second", "made")
    assert file.read_text() == "first"


@pytest.mark.parametrize("name", ["hookimpl", "lieapp_domains", "sp", "class", "none", "2d", "a-b", "pde"])
def test_every_name_makes_a_file_that_loads(name, tmp_path, monkeypatch):
    system = parse_system(EQUATIONS["kdv"], ["t", "x"], ["u"])
    monkeypatch.chdir(tmp_path)
    file = plugin_file.write(plugin_text(system, draft(name=name)), name)
    catalog = load_catalog()
    assert catalog.broken == [] and catalog.get(name).file == file
    assert str(read_pde(catalog.get(name).declaration).residuals[0]) == str(system.residuals[0])


@pytest.mark.parametrize("name", ["_hidden", "__init__"])
def test_a_file_that_is_never_loaded_is_not_written(name, tmp_path):
    with pytest.raises(PluginError, match="isn't a valid file name") as caught:
        plugin_file.write("", name, tmp_path)
    assert "begin with _" in caught.value.hint and list(tmp_path.iterdir()) == []


def test_variables_that_the_file_calls_otherwise_are_free_of_its_name():
    system = parse_system(["u_t - lambda*u_xx"], ["t", "x"], ["u"], ["lambda:positive"])
    with pytest.raises(PluginError, match="the name 'lambda' is used by the file itself"):
        plugin_text(system, draft(name="lambda_", values={"lambda": "1/2"}))


@pytest.mark.parametrize("title", ["a\0b", "\ud800", "a\x1b[31mb", "\x7f", 5, None])
def test_titles_that_no_file_can_hold_are_refused(title):
    system = parse_system(EQUATIONS["kdv"], ["t", "x"], ["u"])
    with pytest.raises(PluginError, match="made: title="):
        plugin_text(system, draft(title=title))


@pytest.mark.parametrize("title", ["'\"\\", "é ∂ 𝔤", "two\nlines\tand a tab", "{x} %s $u$", "\u202edrow", ""])
def test_other_titles_are_kept_as_they_are(title, tmp_path, monkeypatch):
    system = parse_system(EQUATIONS["kdv"], ["t", "x"], ["u"])
    monkeypatch.chdir(tmp_path)
    plugin_file.write(plugin_text(system, draft(title=title)), "made")
    assert load_catalog().get("made").title == title
