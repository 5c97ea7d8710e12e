"""Costly settings are named before the work begins; ordinary ones pass in silence."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
import torch
from own_burgers import burgers, cole_hopf, nodes_of, npz, read

from lieapp.api import PDE
from lieapp.config import DiscoverConfig, Spectrum
from lieapp.data.own import OwnAxis, OwnGrid, declared_on
from lieapp.data.sizes import CHUNK
from lieapp.domains.base import Arguments
from lieapp.errors import ConfigError
from lieapp.methods import spectrum
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.result import SIZE
from lieapp.numerics.polynomial import LARGEST
from lieapp.pde import cost
from lieapp.pde.data import MOST
from lieapp.pde.domain import FIELD_DEGREE, PDEDomain
from lieapp.registry.catalog import load_catalog
from lieapp.settings import load_config

CATALOG = load_catalog()


def told(*sets, plugin="kdv"):
    return cost.warnings(load_config(DiscoverConfig, None, sets, plugin=plugin), CATALOG.get(plugin).declaration)


@pytest.mark.parametrize("method", ["neural", "spectrum"])
@pytest.mark.parametrize("plugin", [entry.name for entry in CATALOG.equations])
def test_the_defaults_are_not_costly(plugin, method):
    assert told(f"method={method}", plugin=plugin) == []


@pytest.mark.parametrize("text", ["modes=4", "degrees=[2,4,8,16]", "features=100", "samples=200", "batch=96"])
def test_neither_are_moderate_settings(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("modes=200", "modes = 200 is costly for the spectrum method: 21654 fields"),
        ("features=2000", "features = 2000 is costly for the neural method: 6003 fields"),
        ("degrees=[2, 60]", "degrees = [2, 60] is costly for the spectrum method: 1098 fields"),
        ("unknown_degree=30", "unknown_degree = 30 is costly for the spectrum method: 2511 fields"),
        ("width=20000", "width = 20000 is costly for the neural method: 75 fields and an estimated "),
        ("batch=5000", "batch = 5000 is costly for the neural method: 75 fields"),
    ],
)
def test_the_setting_is_named_with_what_its_default_makes(text, words):
    (warning,) = told(text)
    key = text.partition("=")[0]
    assert warning.startswith(words) and f"with the default {key} = " in warning


def test_many_trajectories_take_memory_in_one_chunk_only():
    assert told("samples=20000") == []
    samples, chunk = told("samples=20000", "chunk=20004")
    assert chunk.startswith("chunk = 20004 is costly for the data: an estimated 17.2 GB of memory; with ")
    assert samples.startswith("samples = 20000 is costly for the data: ")


@pytest.mark.parametrize(
    ("sets", "keys"),
    [
        (["modes=20", "degrees=[40]"], ["modes", "degrees"]),
        # as many fields in both methods: neither hides the other
        (["modes=55", "features=2000"], ["modes", "features"]),
        (["modes=55", "features=2000", "method=spectrum", "cross_check=false"], ["modes"]),
        # none alone doubles the cost: the one that does most
        (["modes=2", "degrees=[16]", "unknown_degree=3"], ["unknown_degree"]),
    ],
)
def test_several(sets, keys):
    assert [text.split()[0] for text in told(*sets)] == keys


@pytest.mark.parametrize(
    ("periodic", "open_axes", "unknowns", "settings"),
    [(1, 0, 1, (1, 8, 1)), (2, 0, 2, (2, 5, 3)), (1, 0, 3, (3, 2, 2)), (0, 1, 1, (1, 4, 1)), (1, 2, 1, (2, 3, 2))],
)
def test_fields_are_counted_as_the_basis_does(periodic, open_axes, unknowns, settings):
    modes, degree, power = settings
    config = DiscoverConfig(plugin="p", modes=modes, spectrum=Spectrum(degrees=(1, degree), unknown_degree=power))
    flags = (False, *[True] * periodic, *[False] * (open_axes + unknowns))
    dependent = (False, *[False] * (periodic + open_axes), *[True] * unknowns)
    names = tuple(map(str, range(len(flags))))
    basis = TensorBasis(Arguments(names, flags, dependent), Degrees(modes, degree, power))
    assert cost.basis_count(config, periodic, 1 + open_axes, unknowns) == basis.count


def test_a_chunk_and_the_padding_are_those_of_the_engine():
    assert (cost.CHUNK, cost.FIELD_DEGREE, cost.MOST) == (SIZE, FIELD_DEGREE, MOST)
    assert (cost.PART, cost.NODES) == (spectrum.MOST, spectrum.ROWS)
    assert cost.LARGEST == LARGEST


def plane(points=32):
    """Burgers' equation on a plane."""
    t, x, y = sp.symbols("t x y", real=True)
    u = sp.Function("u")(t, x, y)
    return PDE(
        name="plane", title="Plane", equation=sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) + u.diff(y, 2)),
        region={t: (0, 2), x: (0, 20), y: (0, 20)}, points={t: 24, x: points, y: points}, periodic=[x, y],
    )  # fmt: skip


def test_a_grid_of_two_dimensions_is_warned_of_with_what_helps():
    config = DiscoverConfig(plugin="plane", method="spectrum", cross_check=False)
    assert not any("for the data" in text for text in cost.warnings(config, plane(640)))
    warning = next(text for text in cost.warnings(config, plane(4000)) if "for the data" in text)
    assert warning.startswith("the grid of plane, points = {t: 24, x: 4000, y: 4000}, is costly for the data")
    # a trajectory of 24 x 4000 x 4000 numbers, three times
    assert f"an estimated {3 * 24 * 4000**2 * 8 / 1e9:.1f} GB" in warning and "lower points" in warning
    # fields come in parts and few nodes stand for all: planes cost no more memory than lines
    assert cost.warnings(config, plane(128)) == []
    assert cost.costs(config, plane(128))["spectrum method"].memory < 1e9


def test_grids_are_padded_as_the_engine_pads_them():
    pde = plane(9)
    domain = PDEDomain(pde)
    everything = domain.trajectories(2, seed=0)
    # every mode of the grid, so that nothing is cut
    rough = torch.randn(everything.values.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    data = domain.split(dataclasses.replace(everything, values=rough), 1)
    assert list(data.train.grid.shape) == cost.padded_shape(pde, domain.evolution)


def test_what_the_memory_cannot_hold_is_refused_with_its_size_and_the_setting():
    config = load_config(DiscoverConfig, None, ["modes=200"], plugin="kdv")
    pde = CATALOG.get("kdv").declaration
    size = cost.costs(config, pde)["spectrum method"].memory
    cost.check_memory(config, pde, size)
    with pytest.raises(ConfigError) as caught:
        cost.check_memory(config, pde, size / 2)
    assert caught.value.message.startswith(
        f"kdv: the spectrum method needs 21654 fields and an estimated {size / 1e9:.1f} GB of memory; this machine"
    )
    assert caught.value.hint.startswith("With --set modes=1 it takes an estimated 0.")


MEASURED = json.loads((Path(__file__).parents[2] / "benchmarks/results/discover.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("method", ["neural", "spectrum"])
@pytest.mark.parametrize("plugin", ["burgers", "ckdv", "kdv", "ks", "nkdv"])
def test_an_estimate_is_what_was_measured_within_a_factor_of_three(plugin, method):
    (row, *_) = [row for row in MEASURED if (row["equation"], row["method"]) == (plugin, method)]
    sets = [f"method={method}", f"cross_check={'false' if row['cross_check'] is None else 'true'}"]
    config = load_config(DiscoverConfig, None, sets, plugin=plugin)
    seconds, memory = cost.estimate(config, CATALOG.get(plugin).declaration)
    assert 1 / 3 < seconds / row["seconds"]["total"] < 3 and 4e8 < memory < 2e9


FILES = json.loads((Path(__file__).parents[2] / "benchmarks/results/chunks.json").read_text(encoding="utf-8"))
FILES = [row for row in FILES if row["kind"] == "files" and not row["workers"]]


def grid(samples, times=100, points=128):
    """Of a file of Burgers on an open axis."""
    axes = [OwnAxis("t", np.linspace(0, 1, times), None), OwnAxis("x", np.linspace(-1, 1, points), None)]
    return OwnGrid(axes, samples, "a file", 0, ("u",))


def of_files(own, *sets):
    """Settings, the equation on the grid, and the grid."""
    pde = CATALOG.get("burgers").declaration
    config = load_config(DiscoverConfig, None, sets, plugin="burgers", data={"files": ["a file"]})
    return config, declared_on(pde, config.data, [own.axes]), [own]


@pytest.mark.parametrize("row", FILES, ids=lambda row: str(row["size"]))
def test_an_estimate_of_files_is_what_was_measured_within_a_factor_of_three(row):
    sets = ("method=spectrum", "cross_check=false", "finite_samples=0", f"slices={row['size']}")
    config, pde, own = of_files(grid(row["size"]), *sets)
    seconds, memory = cost.estimate(config, pde, own)
    assert 1 / 3 < seconds / row["seconds"]["total"] < 3 and 1 / 3 < memory / row["memory"]["first"] < 3


def test_costs_grow_with_the_trajectories_of_files():
    seconds = {
        name: [cost.estimate(*of_files(grid(count), *sets))[0] for count in (100, 1000)]
        for name, sets in {"neural": (), "spectrum": ("method=spectrum",), "gradient": ("method=gradient",)}.items()
    }
    # all are read and checked; those to learn from pass through the stage flow, or an epoch, once
    more = {name: many - few - 900 * 8 * 128 * 100 * cost.READ for name, (few, many) in seconds.items()}
    assert more["neural"] == pytest.approx(720 * cost.MOVED["curvilinear"])
    assert more["gradient"] == pytest.approx(720 * cost.TRAJECTORY / 2)
    assert more["spectrum"] == pytest.approx(0, abs=1e-9)


def test_the_memory_for_files_is_that_of_what_is_read_at_once():
    size = 8 * 128 * 100
    for count, sets, together in ((100, (), 100), (1000, (), CHUNK // size), (1000, ("chunk=50",), 50)):
        config, pde, own = of_files(grid(count), *sets)
        assert cost.amount(config, pde, own).together == together * size
        assert cost.costs(config, pde, own)["data"].memory == 3 * together * size
    # as much as may be read at once, on a small machine
    config, pde, own = of_files(grid(1000), "chunk=1000")
    with pytest.raises(ConfigError, match=r"the data needs an estimated 0\.3 GB of memory") as caught:
        cost.check_memory(config, pde, 3e8, own)
    assert caught.value.hint.startswith("With --set chunk=0 ")


def test_the_paper_s_preset_takes_a_day():
    config = load_config(DiscoverConfig, None, ["preset=paper"], plugin="kdv")
    seconds, memory = cost.estimate(config, CATALOG.get("kdv").declaration)
    assert 5 < seconds / 3600 < 50 and 2e9 < memory < 6e9


def test_costs_are_those_of_the_grid_of_the_files(tmp_path):
    file, entry = tmp_path / "waves.npz", CATALOG.get("kdv")
    work = entry.kind.work("discover")
    config = load_config(CATALOG.settings(work), plugin="kdv", data={"files": [str(file)]}, method="spectrum")

    def seconds(points: int) -> float:
        t, x = np.linspace(0, 1, 32), np.arange(points) * 16 / points
        np.savez(file, t=t, x=x, u=np.sin(2 * np.pi * (x - t[:, None]) / 16))
        return work.estimate(config, entry.declaration)[0]

    # a file that is written anew is measured anew
    assert seconds(64) < seconds(256) < seconds(512)


def test_an_open_axis_is_as_wide_as_the_engine_makes_it(tmp_path):
    x, t = nodes_of("uniform"), np.linspace(0, 1, 9)
    own = read(burgers(), npz(tmp_path / "a.npz", x=x, t=t, u=cole_hopf(x, t, 5)))
    domain = PDEDomain(own.declaration)
    data = domain.prepared(own.train, own.held_out)
    assert list(data.train.grid.shape) == cost.padded_shape(own.declaration, domain.evolution)
