"""`lieapp inspect` on the command line."""

import subprocess
import sys

import numpy as np
import pytest

X, T = np.arange(64) * 0.25, np.linspace(0, 1, 20)
U = np.sin(np.pi * (X[:, None] - 3 * T) / 8)


@pytest.fixture
def file(tmp_path):
    np.savez(tmp_path / "waves.npz", x=X[:, None], t=T[:, None], usol=U)
    return "waves.npz"


def test_people_and_programs_are_told_the_same(lieapp, file):
    found = lieapp("inspect", file, "--json").json
    assert {"file", "format", "arrays", "axes", "samples", "unknowns", "noise", "questions", "next"} <= set(found)
    assert found["arrays"][2] == {
        "name": "usol", "shape": [64, 20], "unit": "", "role": "unknown",
        "reason": "it has the dimensions x, t; it is called u",
    }  # fmt: skip
    said = lieapp("inspect", file)
    assert said.code == 0 and "u: 1 trajectory of 20 t x 64 x." in said.out and found["next"] in said.out


def test_a_question_and_its_answer(lieapp, tmp_path):
    np.savez(tmp_path / "square.npz", x=X, t=X, u=np.tile(U[:, :1], 64))
    said = lieapp("inspect", "square.npz")
    assert said.code == 0 and "(x, t) or (t, x): which is right?" in said.out
    assert 'lieapp inspect square.npz --map "u=u(x,t), t=t, x=x"' in said.out
    found = lieapp("inspect", "square.npz", "--map", "u=u(x,t), t=t, x=x", "--json").json
    assert found["questions"] == [] and found["next"].startswith(
        'lieapp discover --data square.npz --map "u=u(x,t), t=t, x=x"'
    )


def test_a_page(lieapp, file, tmp_path):
    assert lieapp("inspect", file, "--html", "a.html").code == 0
    assert "<svg" in (tmp_path / "a.html").read_text()
    assert lieapp("inspect", file, "--html", "none/a.html", "--json").error["type"] == "DataError"


def test_bad_input(lieapp, tmp_path):
    said = lieapp("inspect", "none.mat", "--json")
    assert said.code == 1 and said.error["type"] == "DataError" and said.error["hint"]
    assert lieapp("inspect").code == 2
    (tmp_path / "a.mat").write_text("")
    assert "empty" in lieapp("inspect", "a.mat", "--json").error["message"]


LOADED = """
import sys
from lieapp.cli.main import run
try:
    run(sys.argv[1:])
finally:
    print(*{"xarray", "pandas", "zarr", "h5netcdf", "dask", "torch"} & set(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["--help", "plugins", "inspect --help", "data --help"])
def test_other_commands_load_nothing_of_it(command):
    done = subprocess.run([sys.executable, "-c", LOADED, *command.split()], capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_reading_a_matlab_file_loads_no_torch(file, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "inspect", str(tmp_path / file)], capture_output=True, text=True
    )
    assert "torch" not in done.stderr and "zarr" not in done.stderr
