"""What `lieapp inspect` tells of a file."""

import json
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from layouts import LAYOUTS, T, U, X

from lieapp.data.files import read
from lieapp.data.inspection import inspect, inspection_document, opening
from lieapp.document import Figure, Text, plain_text
from lieapp.figures.files import svg
from lieapp.report.page import page
from lieapp.results.inspection import Inspection


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_told(tmp_path, name):
    layout = LAYOUTS[name]
    path = layout.write(tmp_path / "waves")
    found = inspect(path)
    result = found.result
    assert (result.format, result.layout) == (layout.format, layout.layout)
    assert msgspec.json.decode(msgspec.json.encode(result), type=Inspection) == result
    assert result.next.startswith("lieapp ") and str(path) in result.next
    if layout.mapping:
        (asked,) = result.questions
        assert found.drawing is None and asked.mapping in result.next and not result.axes
        result = inspect(path, layout.mapping).result
        assert f'--map "{layout.mapping}"' in result.next
    t, x = result.axes
    assert (t.name, t.points, t.kind) == ("t", 20, "open")
    assert (x.points, x.kind, x.end_stored) == (64, "periodic", False) and x.period == pytest.approx(16)
    assert result.samples == layout.samples and result.unknowns == ["u"] and result.questions == []
    assert result.noise < 1e-5 and result.missing == 0
    roles = [row.role for row in result.arrays]
    assert roles.count("unknown") == 1 and all(row.reason for row in result.arrays)


def test_the_picture_and_the_page(tmp_path):
    found = inspect(LAYOUTS["pinn"].write(tmp_path / "a"))
    (panel,) = found.drawing.rows[0]
    np.testing.assert_allclose(panel.layers[0].values, U[0])
    assert (panel.x.label, panel.y.label) == ("x", "t") and panel.y.high == 1
    document = inspection_document(found)
    assert "<svg" in page("a.npz", "Data", document) and "<svg" in svg(found.drawing)
    assert sum(isinstance(block, Figure) for block in document) == 1
    assert plain_text(document[0].words).endswith("u: 1 trajectory of 20 t x 64 x.")


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_size_is_that_of_what_is_read(tmp_path, name):
    layout = LAYOUTS[name]
    path = layout.write(tmp_path / "waves")
    found = read(path, layout.mapping)
    size = sum(data[name].size for data in found for name in data.data_vars)
    assert inspect(path, layout.mapping).result.loaded == 8 * size


def test_large_files_are_said_to_be_read_in_stretches(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", t=T, x=X, u=np.repeat(U, 5, axis=0))

    def told():
        return [plain_text(b.words) for b in opening(inspect(tmp_path / "a.npz")) if isinstance(b, Text)]

    assert told() == []
    monkeypatch.setattr("lieapp.data.inspection.CHUNK", 5 * 8 * 20 * 64 - 1)
    (line,) = told()
    assert line.startswith("The trajectories take 0.1 MiB. A discovery reads them in stretches")


def test_an_end_point_and_noise_are_told(tmp_path):
    rng = np.random.default_rng(0)
    u = np.concatenate([U, U[:, :, :1]], axis=2)
    np.savez(tmp_path / "a.npz", u=u, x=np.append(X, 16.0), t=T)
    result = inspect(tmp_path / "a.npz").result
    assert result.axes[1].end_stored and result.axes[1].period == pytest.approx(16) and result.axes[1].points == 65
    assert "repeats the first" in result.axes[1].reason and result.notes
    np.savez(tmp_path / "b.npz", u=U + 0.02 * U.std() * rng.normal(size=U.shape), x=X, t=T)
    result = inspect(tmp_path / "b.npz").result
    assert result.noise == pytest.approx(0.02, rel=0.2)
    assert re.fullmatch(r"differences of order \d along [tx]", result.noise_by)


def test_missing_values_and_numbers_are_told(tmp_path):
    u = U[0].copy()
    u[3, 3:13] = np.nan
    np.savez(tmp_path / "a.npz", u=u, x=X, t=T, nu=0.1)
    found = inspect(tmp_path / "a.npz")
    assert found.result.missing == pytest.approx(10 / u.size) and found.result.noise is None
    assert any(row.name == "nu" and row.reason == "the number 0.1" for row in found.result.arrays)
    assert any("NaN" in plain_text(getattr(block, "words", "")) for block in inspection_document(found))
    svg(found.drawing)


def test_the_plane_is_drawn_in_the_middle(tmp_path):
    plane = U[0, ..., None] * np.cos(2 * np.pi * np.arange(16) / 16)
    np.savez(tmp_path / "a.npz", u=plane, x=X, y=np.arange(16.0), t=T)
    found = inspect(tmp_path / "a.npz")
    assert [a.name for a in found.result.axes] == ["t", "x", "y"]
    np.testing.assert_allclose(found.drawing.rows[0][0].layers[0].values, plane[:, :, 8])


READER = '''
import numpy as np
from lieapp.api import Array, Contents, Reader, hookimpl

def open_frames(path):
    shape = tuple(int(n) for n in np.fromfile(path, "<i8", 2))
    frames = np.memmap(path, "<f8", "r", offset=16, shape=shape)
    return Contents("frames", (Array("u", shape, "f", frames.__getitem__, dims=("t", "x")),))

def stepped(contents, path):
    import dataclasses
    from lieapp.arrays import held
    axes = [held(name, np.arange(n) * 0.25, dims=(name,)) for name, n in zip("tx", contents.arrays[0].shape)]
    return [dataclasses.replace(contents, arrays=(*contents.arrays, *axes))]

@hookimpl
def lieapp_readers():
    recognizes = lambda path, start: path.suffix == ".frames"
    return [
        Reader(name="frames", title="Frames.", suffixes=(".frames",), recognizes=recognizes, open=open_frames),
        Reader(name="steps", title="Steps.", formats=("frames",), layout=stepped),
    ]
'''


@pytest.fixture
def frames(tmp_path, monkeypatch) -> Path:
    """A file that a plugin in ./plugins reads."""
    monkeypatch.chdir(tmp_path)
    Path("plugins").mkdir()
    Path("plugins/frames.py").write_text(READER)
    Path("a.frames").write_bytes(np.array([20, 64]).tobytes() + U[0].tobytes())
    return Path("a.frames")


def test_a_plugin_adds_a_format_and_a_layout(frames, capsys):
    from lieapp.cli.main import run

    assert run(["inspect", str(frames), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["layout"], found["axes"][1]["kind"]) == ("frames", "steps", "periodic")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("open=open_frames", "open=None"), "either open or layout must be given"),
        (('name="frames"', 'name="Frames"'), "lower-case letters"),
        (('return [\n        Reader(', 'return [3, Reader('), "an item must be a Reader of lieapp.api"),
        (('name="steps"', 'name="npz"'), "the reader 'npz' already exists"),
    ],
)  # fmt: skip
def test_a_reader_that_can_not_be_used_is_told(frames, change, words):
    from lieapp.registry.catalog import load_catalog

    Path("plugins/frames.py").write_text(READER.replace(*change))
    assert any(words in str(broken) for broken in load_catalog().broken)
