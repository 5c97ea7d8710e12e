"""Moving along what a run found, read from its directory; a torch data set of moved solutions."""

import json
from pathlib import Path

import pytest
import torch
from moving_cases import as_learned, field, samples, system
from small_solutions import declaration, small
from torch.utils.data import DataLoader

from lieapp.augment import moved
from lieapp.augment.learned import content_of
from lieapp.augment.moving import Mover
from lieapp.data.store import equation_text, write_trajectories
from lieapp.document import Formula
from lieapp.errors import RunError, UnknownRunError, UsageError
from lieapp.results.discovery import ClosedForm, EquationResult, Slot
from lieapp.runs.store.files import encode

FIELDS = [("1", "0", "0"), ("0", "1", "0"), ("0", "t", "1"), ("0", "0", "1")]
VERDICTS = ["exact", "exact", "approximate", "none"]


@pytest.fixture
def run(tmp_path):
    """A directory as `lieapp discover` leaves it, with what is asked for changed."""

    def make(
        name="run", plugin="kdv", kind="discover", verdicts=VERDICTS, done=True, proved=(0, 2), keep=True, shown=""
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"plugin": plugin, "kind": kind}))
        rows = [Slot(slot=n + 1, eta=0.1, verdict=v) for n, v in enumerate(verdicts)]
        formulas = [
            ClosedForm(field=field("kdv", f).as_json(), proved=n in proved, verdict="exact", eta=1e-9)
            for n, f in enumerate(FIELDS)
        ]
        if done:
            told = [Formula(shown, "")] if shown else []
            result = EquationResult(generators=rows, formulas=formulas, equation_shown=told)
            (folder / "summary.json").write_bytes(encode(result))
        if keep:
            (folder / "learned.safetensors").write_bytes(content_of(as_learned("kdv", *FIELDS)))
        return str(folder)

    return make


def mover(spec):
    return Mover.of(spec, system("kdv"), small("kdv").trajectories)


def test_what_of_a_run_is_moved_along(run):
    path = run()
    assert mover(path).names == ("slot 1", "slot 2")
    assert mover(f"fields:{path}").names == ("slot 1", "slot 2")
    assert mover(f"approximate:{path}").names == ("slot 3",)
    assert mover(f"formulas:{path}").names == ("time translation", "Galilean boost")
    assert mover(f"{path}+approximate:{path}+{path}").names == ("slot 1", "slot 2", "slot 3")
    assert mover(f"d_x + approximate:{path}").names == ("slot 3", "space translation")


def test_learned_fields_and_formulas_move_alike(run):
    path = run()
    c = torch.tensor([[0.1], [-0.2]], dtype=torch.float64)
    learned, formula = mover(f"approximate:{path}"), mover("formulas:" + run("other", proved=(2,)))
    found, exact = (made.resampled(samples("kdv"), c) for made in (learned, formula))
    torch.testing.assert_close(found.values, exact.values, rtol=0, atol=1e-6)


def test_a_typed_equation_is_known_by_what_it_says(run):
    path = run(plugin="typed-0123abcd", shown="u_t + u*u_x + u_xxx = 0")
    assert mover(path).names == ("slot 1", "slot 2")
    other = run("other", plugin="typed-0123abcd", shown="u_t + 6*u*u_x + u_xxx = 0")
    with pytest.raises(RunError, match=r"found generators of u_t \+ 6\*u\*u_x .* data are of u_t \+ u\*u_x"):
        mover(other)


def test_coordinates_of_a_run_may_stand_in_another_order(run):
    path = run()
    turned = small("kdv").domain.system
    swapped = type(turned.jets)(turned.jets.independent[::-1], turned.jets.dependent)
    other = type(turned)(swapped, turned.residuals, name="kdv")
    data, c = small("kdv").trajectories, torch.tensor([[0.1, 0.2], [-0.2, 0.1]], dtype=torch.float64)
    one, two = (Mover.of(path, s, data).resampled(samples("kdv"), c) for s in (turned, other))
    torch.testing.assert_close(one.values, two.values, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("error", "match", "spec", "changes"),
    [
        (RunError, r"none of its 4 fields is exact \(none, none, none, none\)", "{}", {"verdicts": ["none"] * 4}),
        (RunError, "none of its 2 fields is approximate", "approximate:{}", {"verdicts": ["exact"] * 2}),
        (RunError, "found generators of ks; the data are of kdv", "{}", {"plugin": "ks"}),
        (RunError, "no formula of it was proved", "formulas:{}", {"proved": ()}),
        (RunError, "isn't done", "{}", {"done": False}),
        (RunError, "is a run of kind train", "formulas:{}", {"kind": "train"}),
        (RunError, "weren't kept as functions", "{}", {"keep": False}),
        (UsageError, "neither a run directory", "fields:{}/nowhere", {}),
        (UnknownRunError, "is no run directory", "formulas:{}/nowhere", {}),
    ],
    ids=range(9),
)
def test_runs_that_do_not_fit_are_told(run, error, match, spec, changes):
    with pytest.raises(error, match=match) as found:
        mover(spec.format(run(**changes)))
    assert found.value.hint


@pytest.mark.parametrize(
    ("content", "message"),
    [('{"result": "discovery", "generators": 3}', "can't be read"), ("{}", "of another version")],
)
def test_a_result_that_can_not_be_read_is_told(run, content, message):
    path = run()
    Path(path, "summary.json").write_text(content)
    with pytest.raises(RunError, match=message) as found:
        mover(path)
    assert found.value.hint


@pytest.fixture
def file(tmp_path):
    data, pde = small("kdv").trajectories, declaration("kdv")
    write_trajectories(data, tmp_path / "kdv.nc", {"plugin": "kdv", "equation": equation_text(pde)})
    return tmp_path / "kdv.nc"


def test_three_lines_give_a_data_set(file):
    torch.manual_seed(0)
    data = moved(file, along="d_t+d_x", sigma=0.1)
    ((u, valid),) = DataLoader(data, batch_size=2)
    assert u.shape == (2, 1, 49, 32) and u.dtype == torch.float32 and valid.shape == (2, 49)
    assert len(data) == 2
    assert not torch.equal(data[0][0], u[0])
    torch.manual_seed(0)
    ((same, _),) = DataLoader(data, batch_size=2)
    assert torch.equal(same, u)


def test_workers_draw_other_moves_every_time(file):
    torch.manual_seed(0)
    loader = DataLoader(moved(file, along="d_x"), batch_size=1, num_workers=2)
    seen = [u for _ in range(2) for u, _ in loader]
    assert not any(torch.equal(seen[i], seen[j]) for i in range(4) for j in range(i))


def test_a_sample_that_can_not_be_moved_comes_as_it_is(file):
    data = moved(file, along="d_t", scales=(0.9,), least=49, tries=1)
    u, valid = data[1]
    assert bool(valid.all())
    torch.testing.assert_close(u, samples("kdv")[1].float())


def test_the_truth_comes_from_the_file(file):
    assert moved(file, along="truth").mover.names == ("time translation", "space translation", "Galilean boost")


def test_data_without_an_equation_need_one():
    data = small("kdv").trajectories
    with pytest.raises(UsageError, match="which equation"):
        moved(data, along="d_x")
    assert moved(data, along="d_x", equation=declaration("kdv")).mover.names == ("space translation",)


def test_a_setting_that_there_is_not_is_told(tmp_path):
    with pytest.raises(UsageError, match="no setting 'sizes'") as told:
        moved(tmp_path / "kdv.nc", along="truth", sizes=3)
    assert "sigma" in told.value.hint
