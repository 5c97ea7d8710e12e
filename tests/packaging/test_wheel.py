"""What is installed from a wheel works without the checkout: plugins, the app, types."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel) -> Path:
    """The wheel's files, as an installer would lay them out."""
    folder = wheel.parent / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    environment.pop("LIEAPP_PLUGINS", None)
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_it_holds_the_package_and_the_plugins(installed):
    names = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "lieapp").rglob("*.py")}
    assert package <= names
    shipped = {f"lieapp/_plugins/{path.name}" for path in (ROOT / "plugins").glob("*.py")}
    assert shipped and {name for name in names if "/_plugins/" in name} == shipped
    pages = {f"lieapp/_docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages and pages == {name for name in names if "/_docs/" in name}
    assert "lieapp/py.typed" in names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"lieapp"}


def test_plugins_are_found_from_another_folder(installed, tmp_path):
    done = python(installed, tmp_path, "-m", "lieapp", "plugins", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {Path(p["file"]).stem for p in said["plugins"]} == {p.stem for p in (ROOT / "plugins").glob("*.py")}
    assert {p["source"] for p in said["plugins"]} == {"shipped"} and said["broken"] == []
    assert all(str(installed) in p["file"] for p in said["plugins"])


def test_the_app_is_inside(installed, tmp_path):
    code = (
        "from streamlit.testing.v1 import AppTest\nfrom lieapp.cli.app import SCRIPT\n"
        "app = AppTest.from_file(str(SCRIPT), default_timeout=20).run()\n"
        "assert not app.exception, app.exception\nprint(SCRIPT)"
    )
    done = python(installed, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(installed / "lieapp" / "ui" / "server.py")
