"""The file of a sweep: its cells in order, and what is refused."""

import pytest

from lieapp.errors import ConfigError, LieappError
from lieapp.results.sweep import Spread
from lieapp.sweeps.resolve import resolve
from lieapp.sweeps.spec import parse_sweep, read_sweep

GRID = """
[grid]
plugin = ["ckdv", "ks"]
spectrum.degrees = [[2], [2, 4]]
seed = [0, 1]
[set]
method = "spectrum"
"""


def test_the_cells_are_all_combinations_the_last_setting_first(write):
    sweep = read_sweep(write(GRID))
    cells = list(sweep.cells())
    assert sweep.size == len(cells) == 8 and sweep.name == "grid" and sweep.command == "discover"
    assert cells[:3] == [
        {"plugin": "ckdv", "spectrum.degrees": [2], "seed": 0},
        {"plugin": "ckdv", "spectrum.degrees": [2], "seed": 1},
        {"plugin": "ckdv", "spectrum.degrees": [2, 4], "seed": 0},
    ]
    assert sweep.settings(cells[-1]) == {
        "method": "spectrum", "plugin": "ks", "spectrum.degrees": [2, 4], "seed": 1
    }  # fmt: skip


def test_a_sweep_is_written_as_the_file_that_it_was_read_from(write):
    text = 'command = "augment"\nplugins = ["a b"]\n' + GRID + 'note = "u_t \\"é\\""\nspectrum.unknown_degree = 1\n'
    sweep = read_sweep(write(text), "local:3")
    assert parse_sweep(sweep.text, "grid", "local:3") == sweep and sweep.on == "local:3"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no [grid]"),
        ("[grid]\n", "[grid] is empty"),
        ("[grid]\nseed = 3", "grid.seed is 3: expected a list of values"),
        ("[grid]\nseed = []", "grid.seed is []: expected a list of values"),
        ("[grid]\nseed = [1, 2, 1]", "a value stands there twice"),
        ("[grid]\nseed = [1]\n[set]\nseed = 2", "seed stands in [grid] and in [set]"),
        ('comand = "train"\n[grid]\nseed = [1]', "comand: there is no such key"),
        ('command = "check"\n[grid]\nseed = [1]', "command is 'check': expected one of"),
        ('kind = "sweep"\n[grid]\nseed = [1]', "kind: there is no such key"),
        ('on = "local"\n[grid]\nseed = [1]', "on: there is no such key"),
        ("[grid", "at end of document"),
    ],
)
def test_a_file_that_is_no_sweep_is_refused_by_name(write, text, words):
    with pytest.raises(ConfigError) as raised:
        read_sweep(write(text))
    assert words in raised.value.message and "grid.toml" in raised.value.message and raised.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[grid]\nseed = [1]", "cell seed=1: plugin is missing"),
        ('[grid]\nplugin = ["nrom"]', "cell plugin=nrom: there is no plugin 'nrom'; did you mean 'norm'?"),
        ('[grid]\nplugin = ["norm"]\n[set]\nstepz = 3', "stepz: there is no such key"),
        ('[grid]\nplugin = ["norm"]\nseed = [0, -1]', "seed is -1 (from grid.toml): expected int >= 0"),
        ('[grid]\nplugin = ["norm"]\n[set]\nseed = 1.5', "seed is 1.5 (from grid.toml)"),
        ('command = "train"\n[grid]\nplugin = ["norm"]', "`lieapp train` works on"),
        ('[grid]\nplugin = ["ckdv"]\n[set]\nequation = "u_t"', "plugin and equation are both given"),
        ('[grid]\nequation = ["u_t + u*u_x"]', "needs data"),
        ('[grid]\ndata = ["none.nc"]\n[set]\nequation = "u_t + u*u_x"', "none.nc"),
        ('[grid]\ndata = [3]\n[set]\nequation = "u_t + u*u_x"', "3"),
    ],
)
def test_a_cell_that_can_t_run_is_refused_before_any_runs(write, tmp_path, text, words):
    with pytest.raises(LieappError) as raised:
        resolve(read_sweep(write(text)), "grid.toml", tmp_path / "runs")
    assert words in raised.value.message and raised.value.message.startswith("grid.toml, cell ")


def test_a_spread_is_that_of_the_finite_values():
    found = Spread.of([1.0, None, 3.0, float("nan"), 2.0])
    assert (found.n, found.mean, found.low, found.high, found.deviation) == (3, 2.0, 1.0, 3.0, 1.0)
    assert Spread.of([5]).deviation is None and Spread.of([None, float("inf")]) is None
