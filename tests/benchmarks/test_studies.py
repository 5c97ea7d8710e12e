"""The studies' measures, and each script once at a tiny size."""

import importlib
import json
import math
import sys

import pytest
import torch


def run(name, monkeypatch, *options):
    """The script as a command."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, options)])
    importlib.import_module(name).main()


def test_copies_of_a_slot_count_once():
    """Three right slots, two of them nearly the same: two directions."""
    from studies import independent

    rows = torch.tensor([[1.0, 0.0, 0.0], [0.9998, 0.02, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    directions = independent(rows)
    assert len(directions) == 2
    held = torch.linalg.vector_norm(directions, dim=0)
    print(held)
    assert held[0] > 0.999 and held[1] < 0.05 and held[2] > 0.999
    assert len(independent(rows[:0])) == 0


def test_own_parts_of_generators_are_orthonormal():
    from studies import with_own_parts

    vectors = torch.randn(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    vectors[4] = vectors[3] + 1e-3 * vectors[4]
    changed = with_own_parts(vectors @ vectors.T, slots=2)
    torch.testing.assert_close(changed[:2, :2], (vectors @ vectors.T)[:2, :2])
    torch.testing.assert_close(changed[2:, 2:], torch.eye(3, dtype=torch.float64), atol=1e-7, rtol=0)
    # the first generator is as it was
    torch.testing.assert_close(changed[:2, 2], vectors[:2] @ vectors[2] / vectors[2].norm())


def test_grassmann_distance_of_known_angles():
    """Planes in R^4 turned by .3 and .4; a line against the plane that holds it but for .3."""
    from grassmann import distance

    a, b = 0.3, 0.4
    rows = torch.tensor(
        [[1, 0, 0, 0], [0, 2, 0, 0], [math.cos(a), 0, math.sin(a), 0], [0, math.cos(b), 0, math.sin(b)]],
        dtype=torch.float64,
    )
    gram = rows @ rows.T
    assert distance(gram, [0, 1], [2, 3]) == pytest.approx(0.5, abs=1e-12)
    assert distance(gram, [0], [2, 3]) == pytest.approx(0.3, abs=1e-12)
    assert distance(gram, [2, 3], [0]) == pytest.approx(0.3, abs=1e-12)
    assert distance(gram, [0, 1], [1, 0]) < 1e-7
    assert distance(gram, [], [0]) is None


@pytest.mark.slow
def test_approximate(monkeypatch, tmp_path):
    """Neither claimed field is approximate, and others come before it, at any size of the study."""
    out = tmp_path / "approximate.md"
    run(
        "approximate", monkeypatch, "--plugins", "ckdv", "--seeds", 0, "--samples", 4, "--held-out", 2, "--out", out
    )
    line = next(row for row in out.read_text().splitlines() if row.startswith("| ckdv | `(1) d_t`"))
    print(line)
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[3] == "`-u/(2*(t + 1)**2)`"
    assert float(cells[5].split()[0]) > 0.1
    assert int(cells[6].split()[0]) >= 2


def test_grassmann(monkeypatch, tmp_path):
    options = ("--equations", "heat", "--methods", "spectrum", "--seeds", 0, "--samples", 6, "--held-out", 2)
    run("grassmann", monkeypatch, *options, "--out", tmp_path)
    (row,) = json.loads((tmp_path / "grassmann.json").read_text())
    print(row)
    assert row["exact"] == row["derived"] == 3
    assert row["to_derived"] < 1e-5
    assert row["holds_derived"]
    assert "| heat | spectrum | 0 | 3 | 3 |" in (tmp_path / "grassmann.md").read_text()


@pytest.mark.slow
def test_slots_are_not_trained_twice(monkeypatch, tmp_path):
    options = ("--plugins", "ckdv", "--seeds", 0, "--steps", 2, "--samples", 3, "--held-out", 2, "--width", 8)
    run("slots", monkeypatch, *options, "--out", tmp_path)
    first = (tmp_path / "slots.json").read_text()
    (row,) = json.loads(first)
    assert row["found"] == 0, "two steps find nothing"
    assert len(row["eta"]) == 4 and min(row["eta"]) > 0.1
    import slots

    monkeypatch.setattr(slots, "trained", lambda *arguments: pytest.fail("trained again"))
    run("slots", monkeypatch, *options, "--out", tmp_path)
    assert (tmp_path / "slots.json").read_text() == first


@pytest.mark.slow
def test_learning_curves(monkeypatch, tmp_path):
    options = ("--plugin", "ckdv", "--seeds", 0, "--steps", 4, "--every", 2, "--samples", 3, "--held-out", 2)
    run("learning_curves", monkeypatch, *options, "--width", 8, "--out", tmp_path)
    lines = (tmp_path / "learning_curves.csv").read_text().splitlines()
    assert {line.split(",")[1] for line in lines[1:]} == {"2", "4"}
    assert (tmp_path / "learning_curves.svg").read_text().startswith("<svg")
    assert "never" in (tmp_path / "learning_curves.md").read_text()


@pytest.mark.slow
def test_sensitivity(monkeypatch, tmp_path):
    import sensitivity

    monkeypatch.setattr(sensitivity, "TAUS", (1.0,))
    monkeypatch.setattr(sensitivity, "SIGMAS", (0.1,))
    monkeypatch.setattr(sensitivity, "BACKENDS", {"bilinear": ""})
    options = ("--steps", 2, "--flow-steps", 1, "--seeds", 0, "--samples", 3, "--held-out", 2, "--width", 8)
    run("sensitivity", monkeypatch, *options, "--out", tmp_path)
    rows = json.loads((tmp_path / "sensitivity.json").read_text())
    assert len(rows) == 1 + 1 + 1
    text = (tmp_path / "sensitivity.md").read_text()
    assert [text.count(f"## {title}") for title, _ in sensitivity.STUDIES.values()] == [1] * 3
    assert {row["found"] for row in rows} == {0}
