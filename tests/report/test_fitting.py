"""Arrays of other shapes and types in a run's files are as absent as missing ones: no figure and no page ends."""

import json
import random

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lieapp.figures.charts import defect_chart, loss_chart
from lieapp.figures.fitting import fitting, fitting_moved, fitting_pictures
from lieapp.pde.figures import figure, keys, material_of
from lieapp.pde.slider import field_chart, orbit_at, read_orbit
from lieapp.pictures.document import field_at, pictures_at, read_moved
from lieapp.report.current import current_fields
from lieapp.results.base import read_result

CHANGES = {
    "flat": lambda a: a.reshape(-1),
    "empty": lambda a: a[..., :0],
    "one axis more": lambda a: a[None],
    "a number": lambda a: np.float32(1.0).reshape(()),
    "whole numbers": lambda a: a.astype(np.int64),
    "truth values": lambda a: a > 0,
    "NaN": lambda a: np.full_like(a, np.nan),
    "shorter": lambda a: a[:1],
    "axes in another order": lambda a: np.moveaxis(a, 0, -1),
    "huge": lambda a: a * np.float32(1e30),
}


def change(file, seed):
    """Change some arrays of a file, or leave them out; what was done."""
    random.seed(seed)
    arrays = load_file(file)
    done = []
    for key in random.sample(sorted(arrays), random.randint(1, 2)):
        name = random.choice([*CHANGES, "absent"])
        done.append((key, name))
        if name == "absent":
            del arrays[key]
        else:
            arrays[key] = np.ascontiguousarray(CHANGES[name](arrays[key]))
    save_file(arrays, file)
    return done


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_equations(judged_run, seed):
    for name in ("fields", "finite"):
        change(judged_run / f"{name}.safetensors", seed)
    result = read_result(judged_run)
    material = material_of(result, judged_run)
    for key in keys():
        shown = figure(key, result, material)
        assert shown.drawing is not None or shown.note
        assert "unexpected shape" not in shown.note
    orbit = read_orbit(judged_run, 0, result.coordinates)
    if orbit is not None:
        assert field_chart(orbit, "slot 1").rows
        for k in range(len(orbit.s)):
            assert orbit_at(orbit, k, 1, result.generators[0].finite).rows


def test_what_fits_is_kept(judged_run):
    result, fields = read_result(judged_run), load_file(judged_run / "fields.safetensors")
    moved = load_file(judged_run / "finite.safetensors")
    assert fitting(fields, result.coordinates).keys() == fields.keys()
    assert fitting_moved(moved, result.coordinates, 2).keys() == moved.keys()
    for key in ("solution", "learned", "orbit/points", "orbit/s", "scale"):
        left = fitting({**fields, key: fields[key].reshape(-1)[:-1].reshape(1, -1)}, result.coordinates)
        assert key not in left and "grid/t" in left
    assert fitting({**fields, "grid/t": fields["grid/t"][::-1]}, result.coordinates) == {}


PICTURES = {
    "plane": {"weight": (8, 9), "colors": (2, 8, 9), "learned": (2, 2, 8, 9)},
    "cube": {"weight": (40,), "colors": (3, 40), "learned": (2, 3, 40)},
}
MOVED = {"orbit/s": (3,), "orbit/pictures": (2, 3, 4, 1, 8, 9)}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pictures_and_what_is_learned_now(tmp_path, kind, seed):
    drawn = np.random.default_rng(0).random
    arrays = {key: drawn(shape).astype(np.float32) for key, shape in {**PICTURES[kind], **MOVED}.items()}
    assert fitting_pictures(arrays).keys() == arrays.keys()
    for name in ("fields", "current"):
        save_file(arrays, tmp_path / f"{name}.safetensors")
        change(tmp_path / f"{name}.safetensors", seed)
    for place in range(3):
        field_at(tmp_path, place)
        if (found := read_moved(tmp_path, place)) is not None:
            pictures_at(*found, 0, "slot")
    current_fields(tmp_path)


@pytest.mark.parametrize("seed", range(20))
def test_metrics(judged_run, seed):
    random.seed(seed)
    file = judged_run / "metrics.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in random.sample(lines, 5):
        strange = [None, "x", [], {}, [None], ["a"], 1e300, -1, [1] * 50, [[1]]]
        line[random.choice(list(line))] = random.choice(strange)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = read_result(judged_run)
    for chart in (defect_chart, loss_chart):
        # most lines are as they were
        assert chart(material_of(result, judged_run).metrics).rows
