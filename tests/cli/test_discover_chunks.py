"""`lieapp discover` on trajectories in chunks, by one process and by several."""

import json
import os

import numpy as np
import pytest
from own_burgers import cole_hopf, nodes_of, npz

COARSE = """
import sympy as sp
from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
mine = PDE(
    name="coarse", title="Burgers, coarse", equation=sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2)),
    region={t: (0, 2), x: (0, 16)}, points={t: 12, x: 32}, periodic=[x],
    initial=SumOfSines(terms=3, wavenumbers=(1,)),
)

@hookimpl
def lieapp_domains():
    return [mine]
"""
QUICK = ["discover", "--plugin", "coarse", "--method", "spectrum", "--samples", "6", "--json", "--quiet", "--set",
         "finite_samples=0", "--set", "cross_check=false", "--set", "chunk=3"]  # fmt: skip


@pytest.fixture
def coarse(tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "coarse.py").write_text(COARSE)


def numbers(said):
    return {key: value for key, value in said.json.items() if key not in ("run", "seconds")}


@pytest.mark.slow
def test_processes_find_what_one_finds(lieapp, coarse):
    pytest.importorskip("distributed")
    one, two = lieapp(*QUICK), lieapp(*QUICK, "--on", "local:2")
    assert one.code == two.code == 0, two.err
    assert numbers(one) == numbers(two) and one.json["count"] == 3


@pytest.mark.slow
def test_chunks_hold_all_trajectories(lieapp, coarse, tmp_path):
    said = lieapp(*QUICK, "--seed", "1")
    assert said.code == 0 and said.json["count"] == 3
    (run,) = (tmp_path / "runs").iterdir()
    assert "10 trajectories in 4 chunks of 3" in (run / "log.txt").read_text()
    assert not (run / "checkpoint" / "data").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--on", "local:0"], "--on local:0: expected local"),
        (["--plugin", "images", "--on", "local:2"], "has no use for other processes"),
        (["--set", "chunk=-1"], "chunk is -1"),
    ],
)
def test_what_makes_no_sense_is_refused(lieapp, coarse, words, said):
    pytest.importorskip("distributed")
    found = lieapp(*(["discover", "--json"] if "--plugin" in words else QUICK), *words)
    assert found.code == 2 and said in found.error["message"]


def of_nine(folder):
    """A discovery on nine exact solutions of Burgers in a file, two in a chunk."""
    x, t = nodes_of("uniform", 96), np.linspace(0, 1, 10)
    file = npz(folder / "nine.npz", x=x, t=t, u=cole_hopf(x, t, 9))
    words = ["discover", "--equation", "u_t + u*u_x - nu*u_xx", "--parameter", "nu:0.1", "--data", file]
    words += ["--method", "spectrum", "--json", "--quiet", "--set", "cross_check=false"]
    return [*words, "--set", "finite_samples=0", "--set", "chunk=2"]


def test_a_discovery_reads_files_in_chunks(lieapp, tmp_path):
    said = lieapp(*of_nine(tmp_path))
    assert said.code == 0, said.err
    assert said.json["count"] == 5 and said.json["formulas_check"]["proved"] == 5 and not said.json["warnings"]
    (run,) = [path for path in (tmp_path / "runs").iterdir() if path.name.startswith("2")]
    assert "9 trajectories, read in 5 stretches" in (run / "log.txt").read_text()
    assert not (run / "checkpoint" / "data").exists()
    assert json.loads((run / "provenance.json").read_text())["data"]["sha256"]


@pytest.mark.slow
def test_processes_that_read_find_what_one_finds(lieapp, tmp_path):
    pytest.importorskip("distributed")
    one, two = lieapp(*of_nine(tmp_path)), lieapp(*of_nine(tmp_path), "--on", "local:2")
    assert one.code == two.code == 0, two.err
    assert numbers(one) == numbers(two) and one.json["count"] == 5


def test_without_a_scheduler_no_run_is_left(lieapp, coarse, tmp_path, monkeypatch):
    connecting = pytest.importorskip("lieapp.sweeps.connecting")
    monkeypatch.setattr(connecting, "CONNECTING", 0.5)
    found = lieapp(*QUICK, "--on", "tcp://127.0.0.1:1")
    assert found.code == 1 and "no scheduler answers" in found.error["message"]
    assert not any((tmp_path / "runs").iterdir())


@pytest.mark.slow
def test_a_chunk_beneath_which_workers_die_ends_the_run(lieapp, coarse, tmp_path):
    pytest.importorskip("distributed")
    with (tmp_path / "plugins" / "coarse.py").open("a") as file:
        elsewhere = f"'distributed' in sys.modules and os.getpid() != {os.getpid()}"
        file.write(f"\nimport os, sys\nif {elsewhere}: os._exit(9)\n")
    found = lieapp(*QUICK, "--on", "local:2")
    assert found.code == 1 and "3 workers died while they computed on one chunk" in found.error["message"]
    # the run keeps the chunks that it has
    (run,) = (tmp_path / "runs").glob("2*")
    assert '"failed"' in (run / "status.json").read_text()
