"""A package from outside adds a method, a kind and an equation through the hooks; nothing of lieapp is changed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = {
    "oncepack/__init__.py": '''
from lieapp.api import hookimpl
from .equation import wave
from .method import ONCE, TWICE
from .tones import Tones, TONES


@hookimpl
def lieapp_methods():
    return [ONCE, TWICE]


@hookimpl
def lieapp_kinds():
    return [TONES]


@hookimpl
def lieapp_domains():
    return [wave, Tones(name="scale", title="A scale", steps=(2, 2, 1, 2, 2, 2, 1))]
''',
    "oncepack/equation.py": '''
import sympy as sp
from lieapp.api import PDE

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
wave = PDE(
    name="transport", title="Transport", equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 4), x: (0, 32)}, points={t: 41, x: 64}, keep_last=30, periodic=[x],
)
''',
    "oncepack/method.py": '''
from typing import Annotated
import msgspec
from lieapp.api import Method


class Once(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    degree: Annotated[int, msgspec.Meta(ge=1, title="Degree in time", description="Of the one basis.")] = 2
    width: Annotated[int, msgspec.Meta(ge=1, description="Called as a setting of projection.")] = 1


def discover(domain, data, session, settings):
    from dataclasses import replace
    from lieapp.methods.by_spectrum import by_spectrum

    config = session.config
    session.report.line(f"once with degree {settings.degree}")
    slices = (config.slices, config.held_out_slices)
    degrees = (1, settings.degree)
    found = by_spectrum(domain, data, degrees, config.modes, settings.width, config.slots, slices, session)
    return replace(found, method="once")


def refine(found, domain, data, session, settings):
    session.report.line("looked at twice")
    return found


ONCE = Method(name="once", title="One basis.", settings=Once, discover=discover, refinable=True)
TWICE = Method(name="twice", title="Another look.", discover=discover, refine=refine)
''',
    "oncepack/tones.py": '''
from dataclasses import dataclass
from typing import Annotated, Literal
import msgspec
from lieapp.api import Check, Kind, Result, Work
from lieapp.errors import ConfigError


@dataclass(frozen=True)
class Tones:
    name: str
    title: str
    steps: tuple


class Settings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    plugin: Annotated[str, msgspec.Meta(description="Name of the plugin.")]
    kind: Annotated[Literal["discover"], msgspec.Meta(description="What it is.")] = "discover"
    domain: Annotated[Literal["tones"], msgspec.Meta(description="What is moved.")] = "tones"
    most: Annotated[int, msgspec.Meta(ge=1, description="Longest shift that is tried.")] = 12


def shifts(steps, most):
    return [k for k in range(1, most + 1) if tuple(steps[k % len(steps):] + steps[:k % len(steps)]) == tuple(steps)]


class Shifts(Result, tag_field="result", tag="shifts", kw_only=True):
    shifts: list[int]
    seconds: dict[str, float]


def execute(settings, declaration, session):
    found = session.timed("shifts", lambda: shifts(declaration.steps, settings.most))
    session.metrics({"step": 1, "total": 1, "loss": 0.0})
    return Shifts(
        run=str(session.directory.path), plugin=settings.plugin, shifts=found, sentence=f"{len(found)} shifts",
        seconds=session.stopwatch.seconds(),
    )


def fits(settings, declaration):
    if settings.most > 99:
        raise ConfigError(f"most = {settings.most}: nobody counts that far.", hint="Set most to 99 or less.")


def check(declaration, report):
    return [Check("steps", sum(declaration.steps) == 12, f"{len(declaration.steps)} steps")]


WORK = Work(command="discover", words="Find shifts", settings=Settings, execute=execute, check=fits)
TONES = Kind(name="tones", declaration=Tones, words=("a scale", "scales"), works=(WORK,), check=check)
''',
    "oncepack-0.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: oncepack\nVersion: 0.1\n",
    "oncepack-0.1.dist-info/entry_points.txt": "[lieapp]\nonce = oncepack\n",
}

SMALL = ("samples=5", "held_out=2", "slices=40", "held_out_slices=12", "degrees=[2,4]", "tolerance=0.01")
WORDS = [word for text in SMALL for word in ("--set", text)]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The package as an installer would have laid it out."""
    folder = tmp_path_factory.mktemp("site")
    for name, text in PACKAGE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def work(site, tmp_path_factory, pytestconfig):
    """Run one command line in a process of its own, with the package installed."""
    folder = tmp_path_factory.mktemp("work")
    paths = os.pathsep.join([str(site), str(pytestconfig.rootpath)])

    def call(*arguments, code=0, python=("-m", "lieapp")):
        found = subprocess.run(
            [sys.executable, *python, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": paths},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert found.returncode == code, found.stdout + found.stderr[-2000:]
        return found

    call.folder = folder
    return call


@pytest.fixture(scope="module")
def found(work):
    """A discovery by the method from outside."""
    words = ("discover", "--plugin", "transport", "--method", "once", "--set", "once.degree=3", *WORDS)
    return json.loads(work(*words, "--json").stdout)


def test_kinds_and_methods_are_listed_with_where_they_come_from(work, site):
    said = json.loads(work("plugins", "--json").stdout)
    assert said["broken"] == []
    methods = {row["name"]: row for row in said["methods"]}
    assert methods["once"]["source"] == "entry point" and methods["spectrum"]["source"] == "shipped"
    assert methods["once"]["place"] == str(site / "oncepack" / "__init__.py") and methods["twice"]["refines"]
    assert methods["neural"]["parts"] == ["projection", "flow"]
    kinds = {row["name"]: (row["declaration"], row["commands"], row["source"]) for row in said["kinds"]}
    assert kinds["tones"] == ("Tones", ["discover"], "entry point") and kinds["pde"][2] == "shipped"
    assert {row["name"]: row["kind"] for row in said["plugins"]}["scale"] == "tones"
    shown = work("plugins").stdout
    assert "One basis." in shown and "scales" in shown


def test_help_names_it_and_loads_neither_torch_nor_sympy(work):
    assert "(installed: once)" in " ".join(work("discover", "--help").stdout.split())
    code = (
        "import sys\nfrom lieapp.cli.main import run\n"
        "for words in (['--help'], ['discover', '--help'], ['augment', '--help']): assert run(words) == 0\n"
        "assert not {'torch', 'sympy', 'oncepack', 'streamlit'} & set(sys.modules), 'loaded'"
    )
    work(python=("-c", code))


def test_the_method_finds_symmetries_and_is_checked_by_the_spectrum(work, found):
    assert found["method"] == "once" and found["plugin"] == "transport"
    assert found["cross_check"]["method"] == "spectrum" and found["cross_check"]["angle"] is not None
    assert found["convergence"][0]["levels"] == [1, 3]
    assert found["count"] >= 2 and min(row["cosine"] for row in found["truth"][:2]) > 0.99
    run = work.folder / found["run"]
    config = json.loads((run / "config.json").read_text())
    assert (config["method"], config["once"]) == ("once", {"degree": 3, "width": 1})
    assert "once with degree 3" in (run / "log.txt").read_text()
    assert "Transport" in (run / "report.html").read_text()
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [(row["stage"], row["step"]) for row in rows] == [("once", 1), ("once", 2)]


def test_its_run_is_resumed_to_the_same_result(work, found):
    words = ("discover", "--resume", found["run"], "--set", "once.degree=3", "--json")
    assert json.loads(work(*words).stdout) == found
    status = work.folder / found["run"] / "status.json"
    status.write_text(status.read_text().replace('"done"', '"failed"'))
    again = json.loads(work(*words).stdout)
    assert again["generators"] == found["generators"] and again["seconds"] != found["seconds"]
    wrong = work("discover", "--resume", found["run"], "--set", "once.degree=2", "--json", code=2)
    assert "has once.degree = 3, not 2" in json.loads(wrong.stdout)["error"]["message"]


@pytest.mark.slow
def test_another_method_refines_what_it_found(work):
    words = ("--method", "once", "--set", 'stages=["once","twice"]', "--set", "cross_check=false", *WORDS)
    said = json.loads(work("discover", "--plugin", "transport", *words, "--json").stdout)
    assert said["method"] == "once" and said["cross_check"] is None
    assert "looked at twice" in (work.folder / said["run"] / "log.txt").read_text()


WRONG = {
    ("--method", "onse"): "expected one of flow, gradient, neural, once, projection, spectrum, twice",
    ("--set", "once.degree=0"): "once.degree is 0 (from --set once.degree=0): expected int >= 1",
    ("--set", "once.degre=2"): "once.degre: there is no such key in Once",
    ("--method", "once", "--set", 'stages=["spectrum","twice"]'): "only the fields of projection or once can be",
    ("--method", "once", "--set", 'stages=["once","spectrum"]'): "spectrum and projection and once can only come",
    ("--set", 'stages=["once"]'): "begin with another method than method = neural; once belongs to once",
}


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_what_cannot_be_meant_is_told_before_there_is_a_run(work, words):
    before = sorted(work.folder.glob("runs/*"))
    said = json.loads(work("discover", "--plugin", "transport", *words, "--json", code=2).stdout)
    assert said["error"]["type"] == "ConfigError" and WRONG[words] in said["error"]["message"]
    assert sorted(work.folder.glob("runs/*")) == before


def test_the_name_alone_means_the_chosen_methods_setting(site, monkeypatch):
    from lieapp.registry.catalog import load_catalog
    from lieapp.settings import load_config

    monkeypatch.syspath_prepend(str(site))
    catalog = load_catalog()
    cls = catalog.settings(catalog.get("transport").kind.works[0])
    config = load_config(cls, None, ["method=once", "width=2", "degree=4"], plugin="transport")
    assert (config.once.width, config.once.degree, config.projection.width) == (2, 4, 48)
    assert load_config(cls, None, ["width=2"], plugin="transport").projection.width == 2


def test_the_apps_form_asks_for_it(site, tmp_path, monkeypatch, pytestconfig):
    testing = pytest.importorskip("streamlit.testing.v1")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIEAPP_RUNS", str(tmp_path / "runs"))

    def opened(**address):
        app = testing.AppTest.from_file(str(pytestconfig.rootpath / "streamlit_app.py"), default_timeout=30)
        for name, value in address.items():
            app.query_params[name] = value
        app.switch_page("lieapp/ui/pages/discover.py").run()
        assert not app.exception, app.exception
        return app

    app = opened(plugin="transport")
    assert {"once", "twice", "neural"} <= set(app.selectbox(key="method").options)
    # nothing of a method that isn't used
    keys = {widget.key for widget in app.number_input}
    assert "once.degree" not in keys and {"projection.steps", "flow.rate"} <= keys
    app.selectbox(key="method").set_value("once").run()
    widget = app.number_input(key="once.degree")
    assert widget.label == "Degree in time" and "Of the one basis" in widget.help
    assert "projection.steps" not in {widget.key for widget in app.number_input}
    widget.set_value(5).run()
    assert "--method once --set once.degree=5" in "".join(code.value for code in app.code)
    app = opened(plugin="scale")
    assert app.number_input(key="settings-most").value == 12


def test_a_kind_is_checked_and_its_runs_are_made(work):
    assert json.loads(work("check", "--plugin", "scale", "--json").stdout)["checks"] == [
        {"plugin": "scale", "name": "steps", "ok": True, "detail": "7 steps"}
    ]
    said = json.loads(work("discover", "--plugin", "scale", "--set", "most=15", "--json").stdout)
    assert said["shifts"] == [7, 14] and said["sentence"] == "2 shifts" and "shifts" in said["seconds"]
    run = work.folder / said["run"]
    kept = json.loads((run / "config.json").read_text())
    assert len(kept.pop("sha256")) == 64
    assert kept == {"plugin": "scale", "kind": "discover", "domain": "tones", "most": 15}
    assert json.loads((run / "summary.json").read_text()) == said
    assert json.loads(work("discover", "--resume", said["run"], "--json").stdout) == said
    # a kind from outside has a report like any other
    assert "shifts" in (run / "report.html").read_text()
    assert work("discover", "--resume", said["run"]).stdout == f"2 shifts\nreport: {said['run']}/report.html\n"
    assert json.loads(work("runs", "list", "--json").stdout)["runs"][-1]["plugin"] == "scale"


def test_its_runs_have_a_page(work, monkeypatch, pytestconfig):
    testing = pytest.importorskip("streamlit.testing.v1")
    said = json.loads(work("discover", "--plugin", "scale", "--json").stdout)
    monkeypatch.chdir(work.folder)
    monkeypatch.setenv("LIEAPP_RUNS", "runs")
    app = testing.AppTest.from_file(str(pytestconfig.rootpath / "streamlit_app.py"), default_timeout=30)
    app.query_params["run"] = Path(said["run"]).name
    app.switch_page("lieapp/ui/pages/run.py").run()
    assert not app.exception and app.success[0].value == "1 shifts"


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (("discover", "--plugin", "scale", "--set", "most=100"), "ConfigError", "nobody counts that far"),
        (("discover", "--plugin", "scale", "--method", "once"), "ConfigError", "no such key in Settings"),
        (("train", "--plugin", "scale"), "UsageError", "it is a scale; `lieapp train` works on pictures"),
        (("truth", "--plugin", "scale"), "UsageError", "it is a scale, not an equation"),
    ],
)
def test_what_a_kind_does_not_do(work, words, kind, said):
    error = json.loads(work(*words, "--json", code=2).stdout)["error"]
    assert error["type"] == kind and said in error["message"] and error["hint"]
