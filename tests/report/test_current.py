"""Fields of the moment: drawn by what is moved, and nothing where the file is half or another's."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from lieapp.report.current import current_fields


def _write(folder, facts, arrays):
    arrays = {key: np.ascontiguousarray(value, dtype=np.float32) for key, value in arrays.items()}
    save_file(arrays, folder / "current.safetensors", metadata={"facts": json.dumps(facts)})


RANDOM = np.random.default_rng(0).random
KINDS = {
    "equation": (
        {"coordinates": ["t", "x", "u"]},
        {"grid/t": np.arange(5), "grid/x": np.arange(6), "scale": np.ones(3), "learned": RANDOM((2, 3, 5, 6))},
    ),
    "images": (
        {"domain": "images"},
        {"weight": RANDOM((8, 9)), "colors": RANDOM((2, 8, 9)), "learned": RANDOM((2, 2, 8, 9))},
    ),
    "colors": (
        {"domain": "colors"},
        {"weight": RANDOM(40), "colors": RANDOM((3, 40)), "learned": RANDOM((2, 3, 40))},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_slot_has_its_picture(tmp_path, kind):
    facts, arrays = KINDS[kind]
    _write(tmp_path, {**facts, "stage": "flow", "step": 7}, arrays)
    found = current_fields(tmp_path)
    assert (found.stage, found.step) == ("flow", 7)
    titles = " ".join(panel.title for row in found.drawing.rows for panel in row)
    assert all(f"slot {slot}" in titles for slot in (1, 2)) and "slot 3" not in titles


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", ["learned", "weight", "grid/x"])
def test_a_file_that_lacks_an_array(tmp_path, kind, lost):
    facts, arrays = KINDS[kind]
    _write(tmp_path, facts, {key: value for key, value in arrays.items() if key != lost})
    assert (current_fields(tmp_path) is None) == (lost in arrays)


@pytest.mark.parametrize("content", [None, b"", b"half a file", b"\xff" * 99])
def test_no_file_or_half_of_one(tmp_path, content):
    if content is not None:
        (tmp_path / "current.safetensors").write_bytes(content)
    assert current_fields(tmp_path) is None


def test_a_header_of_something_else(tmp_path):
    _write(tmp_path, ["no", "object"], KINDS["equation"][1])
    assert current_fields(tmp_path) is None
