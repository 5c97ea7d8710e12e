"""One broken plugin file never hides the others, and everything that is wrong is said with its place."""

import json
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from lieapp.errors import PluginError, UnknownPluginError, UsageError
from lieapp.registry import loader
from lieapp.registry.catalog import Catalog, load_catalog

GOOD = """
import sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

@hookimpl
def lieapp_domains():
    return [PDE(name="{name}", title="A title", equation=sp.Eq(u.diff(t) + u.diff(x, 3), 0),
                region={{t: (0, 1), x: (0, 1)}}, points={{t: 16, x: 16}}, periodic=[x])]
"""


def good(name: str) -> str:
    return GOOD.format(name=name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder, so that ./plugins isn't the checkout's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIEAPP_PLUGINS", raising=False)
    (tmp_path / "more").mkdir()
    return tmp_path / "more"


def load(folder: Path, **files: str) -> Catalog:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return load_catalog([folder])


def only_broken(catalog: Catalog):
    assert len(catalog.broken) == 1, catalog.broken
    return catalog.broken[0]


def names(catalog: Catalog) -> list[str]:
    return [entry.name for entry in catalog.entries]


def test_shipped_plugin_has_file_hash_and_hooks(folder):
    entry = load_catalog().get("ckdv")
    assert entry.source == "shipped" and entry.hooks == ("lieapp_domains",)
    assert entry.file is not None and entry.file.name == "ckdv.py" and len(entry.sha256) == 64


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1\ndef broken(:\n    pass\n", 2, "SyntaxError"),
        ("x = 1\n\nraise RuntimeError('no luck')\n", 3, "RuntimeError: no luck"),
        ("import sys\nsys.exit(3)\n", 2, "ends the program"),
        ("import a_module_that_is_not_there\n", 1, "ModuleNotFoundError"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError"),
        ("x = 1\x00\n", None, "null bytes"),
        ("x = 'C:\\Users'\n", 1, "has a backslash"),
        ("x = 1\n", None, "has no hook"),
        ("def lieapp_domains():\n    return []\n", None, "write @hookimpl above it"),
    ],
)
def test_a_broken_file_is_listed_and_the_others_work(folder, text, line, words):
    catalog = load(folder, a=text, b=good("fine"))
    assert "fine" in names(catalog)
    broken = only_broken(catalog)
    assert broken.file == folder / "a.py" and words in broken.error
    assert line is None or broken.line == line


HOOK = "from lieapp.api import hookimpl\n\n@hookimpl\ndef lieapp_domains({arguments}):\n    {body}\n"


@pytest.mark.parametrize(
    ("arguments", "body", "line", "words"),
    [
        ("", "return 7", None, "returned int 7; it must return a list"),
        ("", "return None", None, "returned None"),
        ("", "return [7]", None, "lists int 7; an item must be a declaration of a registered kind: PDE (pde)"),
        ("", "raise ValueError('bad day')", 5, "ValueError: bad day"),
        ("", "raise SystemExit", 5, "ends the program"),
        ("colour", "return []", None, "colour"),
    ],
)
def test_a_hook_that_misbehaves(folder, arguments, body, line, words):
    catalog = load(folder, a=HOOK.format(arguments=arguments, body=body), b=good("fine"))
    assert "fine" in names(catalog)
    broken = only_broken(catalog)
    assert words in broken.error
    assert line is None or broken.line == line


def test_a_declaration_that_breaks_a_rule_is_told_with_its_hint(folder):
    catalog = load(folder, a=good("fine").replace("(0, 1)", "(1, 1)"))
    assert "left end must lie below" in only_broken(catalog).error


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("equation=", "equatoin=", "PDE(equatoin=…): there is no keyword 'equatoin'; did you mean 'equation'?"),
        ("periodic=", "wrap=", "PDE(wrap=…): there is no keyword 'wrap'. The keywords of PDE are name, title, equ"),
        ('title="A title", ', "", "PDE(…): title must be given. The keywords of PDE are name, title, equation"),
        ('name="fine"', '"fine"', "PDE('fine', …): values are given by keyword only, as name=…. The keywords of"),
        ("periodic=", "initial=SumOfSines(term=3), periodic=", "no keyword 'term'; did you mean 'terms'? The keyw"),
        ("periodic=", "transform=ChangeOfVariables(equation=0), periodic=", "ChangeOfVariables(…): unknowns must"),
    ],
)
def test_keywords_of_a_declaration_are_told_in_words(folder, old, new, words):
    text = good("fine").replace("import PDE", "import PDE, ChangeOfVariables, SumOfSines")
    broken = only_broken(load(folder, a=text.replace(old, new)))
    assert words in broken.error and "TypeError" not in broken.error
    # where the call begins
    assert broken.line == (11 if "initial=" in new or "transform=" in new else 10)


@pytest.mark.parametrize(
    ("periodic", "words"), [("y", "y is in points or periodic but has"), ("z", "y, z are in points")]
)
def test_a_variable_without_an_interval_is_named_once(folder, periodic, words):
    text = good("fine").replace("x: 16}, periodic=[x]", f"x: 16, y: 16}}, periodic=[{periodic}]")
    catalog = load(folder, a=text.replace("u = sp", "y, z = sp.symbols('y z')\nu = sp"))
    assert f": {words} " in only_broken(catalog).error


def test_misspelled_hook_names_the_nearest_and_the_other_hooks_work(folder):
    text = good("fine") + "\n@hookimpl\ndef lieapp_domain():\n    return []\n"
    catalog = load(folder, a=text)
    assert "fine" in names(catalog)
    broken = only_broken(catalog)
    assert "did you mean lieapp_domains?" in broken.error
    assert broken.line == text.splitlines().index("def lieapp_domain():")  # the line of @hookimpl above


def test_unknown_name_gets_the_nearest_and_hears_of_broken_files(folder):
    catalog = load(folder, a="raise RuntimeError('no luck')")
    with pytest.raises(UnknownPluginError, match="did you mean 'ckdv'") as caught:
        catalog.get("ckvd")
    assert "a.py, line 1: RuntimeError: no luck" in caught.value.hint


def test_duplicate_names_name_both_files_and_only_when_asked_for(folder):
    catalog = load(folder, a=good("twice"), b=good("twice") + "# other content\n", c=good("once"))
    assert "once" in names(catalog) and "twice" not in names(catalog)
    assert "a.py" in only_broken(catalog).error and "b.py" in only_broken(catalog).error
    with pytest.raises(PluginError, match=r"a\.py and .*b\.py") as caught:
        catalog.get("twice")
    assert caught.value.hint.startswith("Change name=… in one of them")


def test_a_shipped_name_keeps_its_meaning(folder):
    """A user's file of that name is named beside the shipped one, in the list and whenever the name is used."""
    catalog = load(folder, a=good("kdv"), b=good("mine"))
    shipped = catalog.get("kdv")
    assert shipped.source == "shipped" and shipped in catalog.entries and catalog.note("mine") == ""
    broken = only_broken(catalog)
    assert broken.file == folder / "a.py" and str(shipped.file) in broken.error
    assert "change name=… in this file" in broken.error
    assert str(shipped.file) in catalog.note("kdv") and str(folder / "a.py") in catalog.note("kdv")


def test_two_files_with_a_shipped_name_are_both_told(folder):
    catalog = load(folder, a=good("kdv"), b=good("kdv") + "# other content\n")
    assert catalog.get("kdv").source == "shipped"
    assert [broken.file for broken in catalog.broken] == [folder / "a.py", folder / "b.py"]
    assert catalog.note("kdv").endswith("a.py and " + f"{folder / 'b.py'}; write another name=… there to use them")


def test_the_same_content_or_the_same_path_counts_once(folder, monkeypatch):
    catalog = load(folder, a=good("one"), b=good("one"))
    assert catalog.get("one").file == folder / "a.py"
    (folder / "c.py").symlink_to(folder / "a.py")
    monkeypatch.setenv("LIEAPP_PLUGINS", str(folder))
    assert load_catalog([folder, folder]).broken == []


def test_sources_in_their_order(folder, monkeypatch, tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "env").mkdir()
    (tmp_path / "plugins" / "w.py").write_text(good("working"))
    (tmp_path / "env" / "e.py").write_text(good("variable"))
    # helpers are nobody's plugins
    (tmp_path / "plugins" / "_helper.py").write_text("raise RuntimeError")
    monkeypatch.setenv("LIEAPP_PLUGINS", str(tmp_path / "env"))
    catalog = load(folder, o=good("option"))
    assert catalog.broken == []
    assert catalog.get("working").source == "./plugins"
    assert catalog.get("option").source == "--plugins"
    assert catalog.get("variable").source == "LIEAPP_PLUGINS"
    assert list(catalog.folders) == [folder, tmp_path / "env"]


def test_one_file_may_be_given_in_place_of_a_folder(folder):
    (folder / "single.py").write_text(good("single"))
    assert load_catalog([folder / "single.py"]).get("single").source == "--plugins"


def package(folder: Path, name: str, **files: str) -> Path:
    (folder / name).mkdir()
    for module, text in files.items():
        (folder / name / f"{module}.py").write_text(text)
    return folder / name


def test_a_package_in_a_folder_is_a_plugin_as_a_file_is(folder):
    text = good("packed").replace('"A title"', "TITLE")
    names_it = text.replace("import sympy", "from .words import TITLE\nimport sympy")
    words = "from .deep import WORD\nTITLE = WORD"
    mine = package(folder, "mypde", __init__=names_it, words=words, deep="WORD = 'One'")
    package(folder, "_helper", __init__="raise RuntimeError")
    (folder / "notes").mkdir()
    catalog = load(folder, a=good("fine"))
    entry = catalog.get("packed")
    assert catalog.broken == [] and {"packed", "fine"} <= set(names(catalog))
    assert (entry.title, entry.file, entry.hooks) == ("One", mine / "__init__.py", ("lieapp_domains",))
    # every file of it counts, and a change is seen by a process that goes on
    (mine / "deep.py").write_text("WORD = 'Two'")
    changed = load_catalog([folder]).get("packed")
    assert changed.title == "Two" and changed.sha256 != entry.sha256
    (mine / "deep.py").write_text("WORD = 'One'")
    assert load_catalog([folder]).get("packed").sha256 == entry.sha256


@pytest.mark.parametrize(
    ("files", "line", "words"),
    [
        ({"__init__": "x = 1\nfrom .words import y\n", "words": "y = 1\n\nz = 1 / 0\n"}, 2, "(words.py, line 3)"),
        ({"__init__": "from . import words\n", "words": "def broken(:\n"}, 1, "(words.py, line 1)"),
        ({"__init__": "x = 1\nraise ValueError('no')\n"}, 2, "ValueError: no"),
        ({"__init__": "from .nothing import x\n"}, 1, "ModuleNotFoundError"),
        ({"__init__": "x = 1\n"}, None, "has no hook"),
    ],
)
def test_a_broken_package_is_listed_with_the_module_and_line(folder, files, line, words):
    mine, before = package(folder, "mypde", **files), set(sys.modules)
    catalog = load(folder, a=good("fine"))
    broken = only_broken(catalog)
    assert "fine" in names(catalog) and words in broken.error
    assert (broken.file, broken.line) == (mine / "__init__.py", line)
    # of one that raises nothing is left behind
    assert line is None or not [name for name in set(sys.modules) - before if "mypde" in name]
    with pytest.raises(PluginError, match="mypde could not be loaded"):
        catalog.get("mypde")


METHOD = """
from lieapp.api import Method, hookimpl

@hookimpl
def lieapp_methods():
    return [{}]
"""


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("Method(name='Mine', title='Mine.', discover=print)", "name='Mine': a method's name has"),
        ("Method(name='mine', title='Mine.')", "method mine: either discover or parts must be given"),
        ("Method(name='mine', title='Mine.', discover=print, settings=dict)", "must be a class made from ms"),
        ("Method(name='spectrum', title='Mine.', discover=print)", "'spectrum' already exists in lieapp"),
        ("Method(name='samples', title='Mine.', discover=print)", "the method 'samples' has the name of a setting"),
        ("7", "lieapp_methods lists int 7; an item must be a Method of lieapp.api"),
    ],
)
def test_a_method_that_cannot_be_registered(folder, method, words):
    catalog = load(folder, a=METHOD.format(method), b=good("fine"))
    assert words in only_broken(catalog).error and "fine" in names(catalog)
    assert list(catalog.methods) == ["neural", "spectrum", "projection", "gradient", "flow"]


KIND = """
from typing import Literal
import msgspec
from lieapp.api import Kind, Work, hookimpl

class Thing:
    name, title = "thing", "A thing"

class Settings(msgspec.Struct, kw_only=True):
    plugin: str{extra}

@hookimpl
def lieapp_kinds():
    work = Work(command="discover", words="Find", settings=Settings, execute=print)
    return [Kind(name="{name}", declaration=Thing, words=("a thing", "things"), works=(work,), check=print)]
"""


@pytest.mark.parametrize(
    ("name", "extra", "words"),
    [
        ("things", "", "kind things: settings of `lieapp discover` need a field `domain`, a Literal with 'things'"),
        ("images", "\n    domain: Literal['other'] = 'other'", "'images' already exists in lieapp.pictures.kind"),
        ("things", "\n    most: int", "kind things, lieapp discover: fields without default are plugin, most"),
    ],
)
def test_a_kind_that_cannot_be_registered(folder, name, extra, words):
    catalog = load(folder, a=KIND.format(name=name, extra=extra))
    assert words in only_broken(catalog).error and list(catalog.kinds) == ["pde", "images", "colors", "functions"]


def test_missing_folders(folder, monkeypatch):
    with pytest.raises(UsageError, match="no such folder"):
        load_catalog([folder / "none"])
    monkeypatch.setenv("LIEAPP_PLUGINS", str(folder / "none"))
    assert "can't be read" in only_broken(load_catalog()).error


def test_what_a_plugin_prints_stays_off_stdout(folder, capsys):
    load(folder, a="print('hello')\n" + good("chatty"))
    printed = capsys.readouterr()
    assert printed.out == "" and "hello" in printed.err


@pytest.mark.parametrize(
    "write",
    [
        "os.write(1, b'hello')",
        "sys.__stdout__.write('hello')",
        "subprocess.run(['echo', 'hello'])",
        "print('hello')",
    ],
)
def test_nor_does_what_it_writes_to_the_descriptor(folder, write):
    (folder / "a.py").write_text(f"import os, subprocess, sys\n{write}\n{good('chatty')}")
    code = "import sys; from lieapp.cli.main import run; sys.exit(run(['plugins', '--plugins', 'more', '--json']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder.parent, capture_output=True, text=True, check=True
    )
    assert "chatty" in [one["name"] for one in json.loads(done.stdout)["plugins"]]
    assert "hello" in done.stderr


def test_the_files_beside_it_are_no_modules(folder):
    (folder / "_helper.py").write_text("raise RuntimeError('executed')\n")
    broken = only_broken(load(folder, a="import _helper\n" + good("one")))
    assert broken.error == "ModuleNotFoundError: No module named '_helper'" and broken.line == 1


def test_a_name_that_means_every_plugin(folder):
    broken = only_broken(load(folder, a=good("all")))
    assert "name='all': this name is taken" in broken.error and broken.line == 10


def test_entry_points(folder, monkeypatch):
    (folder / "installed_one.py").write_text(good("installed"))
    monkeypatch.syspath_prepend(str(folder))
    points = [
        EntryPoint("good", "installed_one", "lieapp"),
        EntryPoint("gone", "not_there_at_all", "lieapp"),
    ]
    monkeypatch.setattr(loader, "entry_points", lambda group: points)
    catalog = load_catalog()
    assert catalog.get("installed").source == "entry point"
    assert catalog.get("installed").file == folder / "installed_one.py"
    assert "entry point gone" in str(only_broken(catalog))
    sys.modules.pop("installed_one")


def test_an_interrupt_is_the_users_and_not_the_files(folder):
    with pytest.raises(KeyboardInterrupt):
        load(folder, a="import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = 1\nraise KeyboardInterrupt\n", 2), (HOOK.format(arguments="", body="raise KeyboardInterrupt"), 5)],
)
def test_but_one_that_the_file_raises_is_the_files(folder, text, line):
    catalog = load(folder, a=text, b=good("fine"))
    assert "fine" in names(catalog)
    broken = only_broken(catalog)
    assert broken.file == folder / "a.py" and broken.line == line and "KeyboardInterrupt" in broken.error
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_shipped_plugins_lie_inside_the_wheel_or_beside_the_checkout(tmp_path, monkeypatch):
    """But a folder `plugins` beside an installed package belongs to somebody else."""
    package = tmp_path / "lieapp"
    package.mkdir()
    (tmp_path / "plugins").mkdir()
    monkeypatch.setattr(loader.lieapp, "__file__", str(package / "__init__.py"))
    assert loader.shipped_folder() is None
    (tmp_path / "pyproject.toml").write_text("")
    assert loader.shipped_folder() == tmp_path / "plugins"
    (package / "_plugins").mkdir()
    assert loader.shipped_folder() == package / "_plugins"


def test_what_the_code_of_a_plugin_raises_is_no_bug_of_lieapp(tmp_path):
    from lieapp.errors import describe
    from lieapp.registry.modules import load_module

    file = tmp_path / "wrong.py"
    ours = "from lieapp.document import number\n\ndef ours():\n    return number('x')\n"
    text = f"def mine():\n    return 1 / 0\n\n{ours}"
    file.write_text(text)
    module = load_module(file, text.encode(), "0" * 64)
    for function, kind, words in ((module.mine, "PluginError", f"{file}, line 2"), (module.ours, "TypeError", "")):
        with pytest.raises((ZeroDivisionError, TypeError)) as caught:
            function()
        told = describe(caught.value)
        assert told["type"] == kind and told["message"].startswith(words)
        assert ("bug in lieapp" in told["hint"]) == (kind != "PluginError")
