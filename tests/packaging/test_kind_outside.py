"""The kind of maps as a package of its own: its folder under another name, loaded through an entry point."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ENTRY = "[lieapp]\nmaps = mapkind.kind\n"
METADATA = "Metadata-Version: 2.1\nName: mapkind\nVersion: 0.1\n"
PLUGIN = """
from lieapp.api import hookimpl
from mapkind import Function

def determinant(x):
    return x[:, 0] * x[:, 3] - x[:, 1] * x[:, 2]


area = Function(name="area", title="Area", variables="abcd", module=determinant)


@hookimpl
def lieapp_domains():
    return [area]
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory, pytestconfig):
    """Run one command line where the package is installed."""
    site, folder = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    for file in (Path(pytestconfig.rootpath) / "lieapp" / "functions").glob("*.py"):
        text = file.read_text(encoding="utf-8").replace("lieapp.functions", "mapkind")
        # names that the shipped kind has already
        for name in ('"functions"', 'tag="functions"', "lieapp/functions"):
            text = text.replace(name, name.replace("functions", "maps"))
        (site / "mapkind").mkdir(exist_ok=True)
        (site / "mapkind" / file.name).write_text(text, encoding="utf-8")
    (site / "mapkind-0.1.dist-info").mkdir()
    (site / "mapkind-0.1.dist-info" / "METADATA").write_text(METADATA)
    (site / "mapkind-0.1.dist-info" / "entry_points.txt").write_text(ENTRY)
    (folder / "plugins").mkdir()
    (folder / "plugins" / "area.py").write_text(PLUGIN)
    paths = os.pathsep.join([str(site), str(pytestconfig.rootpath)])

    def run(*words: str) -> dict:
        command = [sys.executable, "-m", "lieapp", *words, "--json"]
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    run.folder = folder
    return run


def test_the_kind_works_from_outside(work):
    said = work("discover", "--plugin", "area", "--seed", "3")
    # sl(2) on either side of the matrix ((a, b), (c, d)), whose determinant is the area
    assert said["result"] == "maps" and said["count"] == 3 + 3
    assert not any(form["proved"] for form in said["formulas"]) and "nothing is proved" in said["sentence"]
    assert (work.folder / said["run"] / "report.html").is_file()
    assert work("discover", "--resume", said["run"])["count"] == said["count"]
    checks = work("check", "--plugin", "area")["checks"]
    assert [row["name"] for row in checks] == ["values", "derivatives"] and all(row["ok"] for row in checks)
