"""A slot's field and a solution moved along it: what is read, what is drawn, and that s changes nothing else."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lieapp.drawing import Axis
from lieapp.figures.material import read_material
from lieapp.figures.moved import spread, spread_all
from lieapp.pde.figures import figure
from lieapp.pde.slider import defect_words, field_chart, orbit_at, read_orbit

COORDINATES = ["t", "x", "u"]


def _judged(synthetic, slot):
    """What the run says of a slot at finite size."""
    return synthetic.judged(synthetic.summary()).generators[slot - 1].finite


def _axes_of(panel):
    """What all pictures of a row have to share."""
    return panel.x, panel.y, [layer.scale for layer in panel.layers]


def test_the_unmoved_solution_stands_between(judged_run, synthetic):
    orbit = read_orbit(judged_run, 1, COORDINATES)
    assert orbit.s == [-0.4, -0.2, 0.0, 0.2, 0.4]
    arrays = synthetic.fields()
    np.testing.assert_array_equal(orbit.learned, arrays["learned"][1])
    np.testing.assert_array_equal(orbit.points[2][2], arrays["solution"][0])
    assert not orbit.residual[2].any()
    np.testing.assert_array_equal(orbit.points[0], synthetic.moved()["points"][1, 0])


def test_without_a_judgement_the_orbit_of_the_pictures_is_taken(run, synthetic):
    orbit = read_orbit(run, 3, COORDINATES)
    assert orbit.residual is None and orbit.s == list(synthetic.S)
    assert [len(row) for row in orbit_at(orbit, 0, 4, None).rows] == [2]


@pytest.mark.parametrize("place", [4, 99])
def test_a_slot_that_is_not_there(run, place):
    assert read_orbit(run, place, COORDINATES) is None


@pytest.mark.parametrize("key", ["learned", "solution", "orbit/points", "grid/x"])
def test_a_file_that_lacks_an_array(run, key):
    arrays = load_file(run / "fields.safetensors")
    del arrays[key]
    save_file(arrays, run / "fields.safetensors")
    assert read_orbit(run, 0, COORDINATES) is None


def test_axes_and_colours_are_the_same_at_every_s(judged_run, synthetic):
    orbit, judged = read_orbit(judged_run, 1, COORDINATES), _judged(synthetic, 2)
    (first,), *others = (orbit_at(orbit, k, 2, judged).rows for k in range(len(orbit.s)))
    assert len(first) == 3 and first[2].layers[0].scale.log
    for (row,) in others:
        assert [_axes_of(panel) for panel in row] == [_axes_of(panel) for panel in first]
        values = [(own.layers[0].values, known.layers[0].values) for own, known in zip(row, first, strict=True)]
        assert np.array_equal(*values[0], equal_nan=True) and not np.array_equal(*values[1], equal_nan=True)


def test_a_field_that_runs_away_leaves_the_solution_in_sight(judged_run, synthetic):
    arrays = synthetic.moved()
    arrays["points"][0, -1] *= 1e6
    arrays["points"][0, 0, :, 3:] = np.nan
    save_file(arrays, judged_run / "finite.safetensors")
    orbit = read_orbit(judged_run, 0, COORDINATES)
    ((_, moved, _),) = orbit_at(orbit, len(orbit.s) - 1, 1, _judged(synthetic, 1)).rows
    assert 100 < max(abs(end) for axis in (moved.x, moved.y) for end in (axis.low, axis.high)) < 400


@pytest.mark.parametrize(("key", "file"), [("finite-moved", "finite"), ("orbit", "fields")])
def test_so_it_does_in_the_report(judged_run, synthetic, key, file):
    arrays = load_file(judged_run / f"{file}.safetensors")
    arrays["points" if file == "finite" else "orbit/points"][0, -1] *= 1e30
    save_file(arrays, judged_run / f"{file}.safetensors")
    drawn = figure(key, synthetic.judged(synthetic.summary()), read_material(judged_run)).drawing
    ends = [abs(end) for panel in drawn.rows[0] for axis in (panel.x, panel.y) for end in (axis.low, axis.high)]
    assert 100 < max(ends) < 400 and np.isfinite(drawn.rows[0][key == "orbit"].layers[0].values).any()


@pytest.mark.parametrize(
    ("slot", "k", "said"),
    [(2, 0, "0.00044 (43 % of nodes)"), (2, 2, "0, unmoved"), (3, 0, "no data left"), (4, 4, "0.62")],
)
def test_the_defect_is_the_one_that_was_measured(judged_run, synthetic, slot, k, said):
    orbit = read_orbit(judged_run, slot - 1, COORDINATES)
    assert defect_words(orbit, k, _judged(synthetic, slot)) == said


def test_the_field_alone(judged_run):
    ((panel,),) = field_chart(read_orbit(judged_run, 2, COORDINATES), "slot 3").rows
    assert panel.title == "slot 3" and panel.layers[0].scale.label == "u-component / norm"


def test_spreading_an_unmoved_grid_gives_it_back():
    y, x = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 2, 50), indexing="ij")
    z = 3 * x - y
    axes = (Axis("x", 0, 2), Axis("y", 0, 1))
    picture = spread([x, y, z], axes, (20, 40))
    rows, columns = (np.arange(20) + 0.5) / 20, (np.arange(40) + 0.5) / 20
    expected = 3 * columns[None] - rows[:, None]
    # averaged over a pixel of 1/20: the mean of the points in it lies off its middle by less than one point
    assert np.abs(picture - expected).max() < 0.06
    for found, values in zip(spread_all([x, y], [z, -z], axes, (20, 40)), (1, -1), strict=True):
        np.testing.assert_array_equal(found, values * picture)
