"""What holds for every page."""

import subprocess
import sys

import pytest

from lieapp.ui import navigation

PAGES = sorted(file.stem for file in navigation.FOLDER.glob("*.py"))


@pytest.mark.parametrize("key", PAGES)
def test_a_page_begins_with_its_title(open_page, plugins, make_run, key):
    # a string standing alone in a page file would be printed by Streamlit, above the title
    make_run("done")
    assert open_page(key).main[0].type == "title"


def test_every_page_is_in_the_menu():
    assert sorted(navigation._PAGES) == PAGES


def test_pages_load_neither_torch_nor_sympy(tmp_path):
    code = (
        "import sys; from streamlit.testing.v1 import AppTest; from pathlib import Path; "
        "import lieapp.ui.app as app; at = AppTest.from_file(app.__file__, default_timeout=30).run(); "
        "assert not at.exception, at.exception; "
        "[at.switch_page(f'pages/{key}.py').run() for key in ('run', 'runs')]; "
        "print(sorted({'torch', 'sympy'} & set(sys.modules)))"
    )
    environment = {"LIEAPP_RUNS": str(tmp_path / "runs"), "PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "[]"
