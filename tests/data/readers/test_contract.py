"""Every layout is read as the same waves."""

import re
from pathlib import Path

import numpy as np
import pytest
from layouts import LAYOUTS, T, U, X

from lieapp.data.files import read
from lieapp.data.inspection import inspect
from lieapp.errors import DataError


@pytest.fixture(params=LAYOUTS)
def layout(request, tmp_path):
    found = LAYOUTS[request.param]
    return found, found.write(tmp_path / "waves")


def datasets(layout, path: Path, **more):
    """Read; where something is asked, by the mapping that the question shows."""
    if not layout.mapping:
        return read(path, **more)
    with pytest.raises(DataError, match=r"\?") as caught:
        read(path)
    (shown,) = re.findall('--map "(.+)"', caught.value.hint)
    assert shown == re.sub(r"0:[\d./]+", "0:STEP", layout.mapping)
    return read(path, layout.mapping, **more)


def test_the_waves_are_read(layout):
    layout, path = layout
    found = datasets(layout, path)
    assert sum(d.sizes["sample"] for d in found) == layout.samples
    first = found[0]
    assert first.u.dims == ("sample", "t", "x") and list(first.data_vars) == ["u"]
    assert first.attrs["format"] == layout.format and first.attrs["layout"] == layout.layout
    values = np.concatenate([d.u.values for d in found])
    np.testing.assert_allclose(values, U[: layout.samples], atol=1e-6)
    np.testing.assert_allclose(first.t, T, atol=1e-6)
    np.testing.assert_allclose(first.x, X, atol=1e-5)
    assert first.x.attrs["kind"] == "periodic" and first.x.attrs["period"] == pytest.approx(layout.period)
    assert first.t.attrs["kind"] == "open" and (len(first.attrs.get("sha256", "")) == 64 or path.is_dir())


def test_names_and_parts_are_those_asked_for(layout):
    layout, path = layout
    if layout.mapping:
        return
    found = read(path, unknowns=["w"], variables=["s", "y"], every="s=2,y=4", window="s=0.1:0.95", samples=1)
    times = [i for i, t in enumerate(T) if 0.1 <= t <= 0.95][::2]
    assert len(found) == 1 and found[0].w.dims == ("sample", "s", "y")
    np.testing.assert_allclose(found[0].w[0], U[0][times][:, ::4], atol=1e-6)
    assert found[0].y.attrs["period"] == pytest.approx(16)


def test_the_mapping_of_an_inspection_reads_the_same(layout):
    layout, path = layout
    shown = inspect(path, layout.mapping).result.mapping
    assert shown == layout.mapping or not layout.mapping
    found, again = read(path, layout.mapping), read(path, shown)
    assert shown and [d.equals(e) for d, e in zip(found, again, strict=True)] == [True] * len(found)
