"""Every figure of every kind by both libraries; what matplotlib and plotly are handed is what the figure holds."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from lieapp.drawing import Axis, Curve, Dots, Drawing, Panel, Raster, Scale, arrows, drawable
from lieapp.figures.charts import curves, spectrum
from lieapp.figures.files import pdf, svg
from lieapp.figures.material import read_material
from lieapp.figures.quiver import Plane, quiver
from lieapp.pde.figures import figure, keys
from lieapp.ui.plots import chart

KEYS = keys()


def panels(drawing):
    return [panel for row in drawing.rows for panel in row]


@pytest.fixture
def drawings(judged_run, synthetic):
    result, material = synthetic.judged(synthetic.summary(judged_run)), read_material(judged_run)
    return {key: figure(key, result, material).drawing for key in KEYS}


@pytest.mark.parametrize("key", KEYS)
def test_a_file_has_every_title_and_label(drawings, key):
    root = ET.fromstring(svg(drawings[key]))
    words = " ".join("".join(part.itertext()) for part in root.iter("{http://www.w3.org/2000/svg}text"))
    for panel in panels(drawings[key]):
        assert panel.title in words and panel.x.label in words and panel.y.label in words
    assert pdf(drawings[key]).startswith(b"%PDF")


def test_a_file_fetches_nothing_and_comes_out_alike(drawings):
    text = svg(drawings["learned"])
    assert text == svg(drawings["learned"]) and text.startswith("<svg role=")
    assert not re.search(r"(?<!xmlns=\")(?<!xlink=\")https?://", text)
    assert "<style" not in text and "<script" not in text


@pytest.mark.parametrize("key", KEYS)
def test_charts_have_the_values_and_ends_of_the_panels(drawings, key):
    for panel in panels(drawings[key]):
        found = chart(panel, 300)
        assert found.layout.title.text == panel.title and found.layout.xaxis.title.text == panel.x.label
        ends = np.log10([panel.y.low, panel.y.high]) if panel.y.log else (panel.y.low, panel.y.high)
        assert found.layout.yaxis.range == pytest.approx(tuple(ends))
        shown = [layer for layer in panel.layers if isinstance(layer, Raster) and not layer.scale.log]
        for trace, layer in zip([t for t in found.data if t.type == "heatmap"], shown, strict=False):
            np.testing.assert_allclose(trace.z, layer.values, rtol=1e-6)
            # the middle of the first cell, half a cell from the low end
            assert trace.x0 - trace.dx / 2 == pytest.approx(min(panel.x.low, panel.x.high), abs=1e-9)


def test_fields_have_one_scale_relative_to_their_norm():
    """A translation with a u-component of .007 is next to white beside a field that moves u alone."""
    grids = {"t": np.linspace(0, 1, 5), "x": np.linspace(0, 2, 7)}
    one, none = np.ones((5, 7)), np.zeros((5, 7))
    fields = np.array([[one, none, 0.007 * one], [none, none, 30 * one], [none, one, none]])
    drawing = quiver(Plane(["t", "x", "u"], grids, np.ones(3)), fields, ["a", "b", "c"], "fields")
    rasters = [panel.layers[0] for panel in panels(drawing)]
    assert {(r.scale.low, r.scale.high) for r in rasters} == {(-1.0, 1.0)}
    assert [float(r.values.max()) for r in rasters] == pytest.approx([0.007, 1.0, 0.0], rel=1e-3)
    assert [panel.note for panel in panels(drawing)] == ["", "x and t not moved", "u not moved"]


@pytest.mark.parametrize("unknowns", [1, 2])
def test_the_projection_of_a_derived_field_on_the_learned_span(run, synthetic, unknowns):
    """Whatever basis is learned: what is in the span comes out with difference 0, what is orthogonal with 1."""
    from safetensors.numpy import save_file

    names = ["u", "v"][:unknowns]
    grids = {"grid/t": np.linspace(0, 1, 6), "grid/x": np.linspace(0, 1, 8)}
    shape = (2 + unknowns, 6, 8)
    random = np.random.default_rng(0).normal(size=(np.prod(shape), 3))
    first, second, rest = np.linalg.qr(random)[0].T.reshape(3, *shape)
    learned = np.stack([first + second, first - 3 * second, np.zeros(shape), np.zeros(shape)])
    arrays = {**grids, "learned": learned, "truth": np.stack([second, rest])}
    save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, run / "fields.safetensors")
    result = synthetic.summary(run)
    result.coordinates = ["t", "x", *names]
    found = panels(figure("generators", result, read_material(run)).drawing)
    assert len(found) == 4 * unknowns
    off = [float(panel.title.split("difference ")[1]) for panel in found if "difference" in panel.title]
    assert off[:unknowns] == pytest.approx([0] * unknowns, abs=1e-12) and off[unknowns:] == [1.0] * unknowns
    learned, derived = found[0], found[1]
    np.testing.assert_allclose(learned.layers[0].values, derived.layers[0].values, atol=1e-9)


def test_an_arrow_leads_from_its_foot_to_its_tip():
    axes = Axis("x", 0, 4), Axis("y", 10, 20)
    found = arrows(np.array([1.0]), np.array([12.0]), np.array([2.0]), np.array([5.0]), axes)
    assert (found.x[:2].tolist(), found.y[:2].tolist()) == ([1.0, 3.0], [12.0, 17.0])
    # both strokes of the head are as long as each other where the panel is drawn
    strokes = [((found.x[k] - 3) / 4 * 1.5, (found.y[k] - 17) / 10) for k in (3, 5)]
    assert np.hypot(*strokes[0]) == pytest.approx(np.hypot(*strokes[1]))


@pytest.mark.filterwarnings("ignore:Glyph")
def test_control_characters_leave_an_svg_well_formed():
    drawing = curves([Curve("a\x0b", [1, 2], [1.0, 2.0])], "x\x00", "y", "t\x1b")
    ET.fromstring(svg(drawing))


def test_what_cannot_be_drawn_leaves_a_gap():
    assert np.isnan(drawable([np.inf, 0.0, -1.0], log=True)).all() and drawable([0.0, 2.0]).tolist() == [0, 2]
    drawing = curves([Curve("a", [1, 2, 3], [1.0, float("nan"), 0.0])], "x", "y", "t", log=True)
    assert svg(drawing) and chart(panels(drawing)[0], 300).data[0].y[0] == 1.0
    found = spectrum([0.0, float("nan"), 0.1], 1, "t")
    assert panels(found)[0].layers[-1].hollow == [0, 1] and svg(found)


@pytest.mark.parametrize("value", [1.7e308, 5e-324])
def test_the_largest_and_the_least_numbers_are_drawn(value):
    line = curves([Curve("a", [1, 2], [1.0, value])], "x", "y", "t", log=True)
    for drawing in (line, spectrum([value] * 2, 1, "t")):
        assert svg(drawing) and chart(panels(drawing)[0], 300)


def test_a_pole_on_the_grid_leaves_a_gap():
    axis = np.linspace(0, 1, 8)
    plane = Plane(["t", "x", "u"], {"t": axis, "x": axis}, np.ones(3))
    field = np.ones((3, 8, 8))
    field[1, 0], field[2, :, 0] = np.inf, np.nan
    ((panel,),) = quiver(plane, field[None], ["pole"], "t").rows
    assert not panel.note and np.nanmax(panel.layers[0].values) == pytest.approx(3**-0.5) and len(panel.layers) == 2


@pytest.mark.parametrize("colours", [["#ff0000"], ["#ff0000", "#00ff00", "#0000ff"]])
def test_markers_have_one_colour_for_all_or_one_each(colours):
    dots = Dots([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], colours)
    (trace,) = chart(Panel("", [dots], Axis("x", 0, 4), Axis("y", 0, 4)), 300).data
    # of a list that is too short the other markers would be black
    assert trace.marker.color == (colours[0] if len(colours) == 1 else tuple(colours))


def test_a_picture_without_a_scale_is_shown_as_it_is():
    red = np.zeros((4, 6, 3), np.uint8)
    red[..., 0] = 255
    panel = Panel("red", [Raster(red)], Axis("", 0, 6, bare=True), Axis("", 0, 4, bare=True), aspect=1.5)
    assert "<image" in svg(Drawing("red", [[panel]])) and chart(panel, 200).data[0].type == "image"


def test_a_residual_of_zero_has_the_darkest_colour():
    scale = Scale("r", 1e-6, 1.0, log=True)
    values = np.array([[0.0, 1e-3], [np.nan, 1.0]])
    panel = Panel("", [Raster(values, scale)], Axis("", 0, 1), Axis("", 0, 1), bar=True)
    (trace,) = chart(panel, 200).data
    np.testing.assert_allclose(trace.z, [[-6, -3], [np.nan, 0]])


@pytest.mark.parametrize("module", ["lieapp", "lieapp.cli.main", "lieapp.report.page"])
def test_the_libraries_are_loaded_when_something_is_drawn(module):
    code = f"import sys, {module}; sys.exit(any(name in sys.modules for name in ('matplotlib', 'plotly')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
