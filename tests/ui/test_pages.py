"""What holds for every page."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lieapp.ui import app, navigation

PAGES = sorted(file.stem for file in navigation.FOLDER.glob("*.py"))


@pytest.mark.parametrize("key", PAGES)
def test_a_page_begins_with_its_title(open_page, plugins, make_run, key):
    # a string standing alone in a page file would be printed by Streamlit, above the title
    make_run("done")
    assert open_page(key).main[0].type == "title"


def test_no_string_stands_alone_in_the_script():
    # `lieapp app` runs this file, and Streamlit would print it on every page
    tree = ast.parse(Path(app.__file__).read_text(encoding="utf-8"))
    assert not [node for node in tree.body[1:] if isinstance(node, ast.Expr)]


def test_every_page_is_in_the_menu():
    assert sorted(navigation._PAGES) == PAGES


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> list[set[str]]:
    """Heavy libraries that are loaded after Home, Run, Runs, Help, and after all the pages."""
    folder = tmp_path_factory.mktemp("pages")
    code = (
        "import sys; from streamlit.testing.v1 import AppTest; import lieapp.ui.app as app\n"
        "def said(): print(*{'torch', 'sympy', 'torchvision', 'h5py'} & set(sys.modules))\n"
        "at = AppTest.from_file(app.__file__, default_timeout=30).run()\n"
        "def visit(*keys):\n"
        "    for key in keys:\n"
        "        at.switch_page(f'pages/{key}.py').run()\n"
        "        assert not at.exception, at.exception\n"
        "    said()\n"
        f"visit('home', 'run', 'runs', 'help'); visit(*{PAGES})"
    )
    environment = {"LIEAPP_RUNS": str(folder / "runs"), "PYTHONPATH": ":".join(sys.path), "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()[-2:]]


def test_pages_that_only_read_files_load_nothing_heavy(loaded):
    assert loaded[0] == set()


def test_no_page_loads_torch(loaded):
    assert "torch" not in loaded[1] and "torchvision" not in loaded[1]


def test_no_page_trusts_html():
    """Neither HTML in Markdown nor a component that runs scripts; st.html only with a constant."""
    folder = navigation.FOLDER.parent
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "unsafe_allow_html" not in text and "components." not in text.replace("lieapp.", ""), file
        assert not set(re.findall(r"st\.html\((.*?)\)", text)) - {"CSS"}, file


@pytest.mark.parametrize("key", PAGES)
def test_an_address_full_of_nonsense_is_answered(open_page, plugins, make_run, key):
    make_run("done")
    evil = "../../<script>alert(1)</script>![a](http://h/p.png)\x00" + "x" * 3000
    names = ("run", "plugin", "doc", "sheet", "view", "slot", "s", "preset", "runs")
    app = open_page(key, **dict.fromkeys(names, evil))
    for element in (*app.markdown, *app.warning, *app.info, *app.error):
        assert "![a](" not in str(element.value)
