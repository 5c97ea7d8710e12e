"""`lieapp augment --data`: trainings on solutions in files of the user's own."""

import numpy as np
import pytest

from lieapp.runs.store.directory import RunDirectory

EQUATION = ("--equation", "u_t - u_xx/50")
SMALL = [
    part
    for text in ("history=5", "epochs=2", "passes=3", "renew=2", "batch=4", "width=6", "modes=6", "layers=2")
    for part in ("--set", text)
]
T, X = np.linspace(0, 4, 30), 2 + 6 * np.arange(32) / 32


def heat(samples, seed=0, t=T, x=X):
    """Exact solutions of u_t = u_xx/50 of period 6."""
    rng = np.random.default_rng(seed)
    k, a = np.pi / 3 * np.arange(1, 4)[:, None, None], rng.uniform(0.3, 1, (samples, 3, 1, 1))
    return (a * np.exp(-(k**2) / 50 * t[:, None]) * np.cos(k * x + 6 * rng.random((samples, 3, 1, 1)))).sum(1)


def saved(path, u, t=T, x=X):
    np.savez(path, u=u, t=t, x=x)
    return str(path)


@pytest.fixture
def file(tmp_path_factory):
    """14 trajectories outside of the working folder, the last two copies of the first."""
    u = heat(12)
    return saved(tmp_path_factory.mktemp("data") / "heat.npz", np.concatenate([u, u[:2]]))


def only(folder):
    (run,) = RunDirectory.list(folder / "runs")
    return run


def test_networks_learn_from_files(lieapp, file, tmp_path):
    words = ("augment", *EQUATION, "--data", file, "--samples", "4,8,32", "--seeds", "0", *SMALL)
    said = lieapp(*words, "--json")
    assert said.code == 0, said.err
    assert "2 of 14 trajectories are copies of others; left out" in said.err
    assert "12 trajectories: 9 to learn from, 1 to validate and 2 to test on" in said.err
    rows = {(row["samples"], row["variant"]): row for row in said.json["variants"]}
    assert list(rows) == [(n, v) for n in (4, 8, 9) for v in ("none", "truth")]
    # translations, and u ∂u: symmetries of these very data
    assert len(rows[9, "truth"]["generators"]) == 3 and max(rows[9, "truth"]["generators"].values()) < 1e-6
    assert rows[9, "truth"]["moved"] > 0.5
    run = only(tmp_path)
    assert run.config()["data"]["files"] == [file] and run.provenance()["data_files"]
    assert "9 to learn from, 1 to validate and 2 to test on" in (run.path / "report.html").read_text()
    assert lieapp("augment", "--resume", run.id, "--json").json == said.json


def looked_at(lieapp, monkeypatch, *words):
    """What a run learns from and is judged on."""
    seen = {}

    def looking(self, cell):
        seen["learn"], seen["judge"], seen["region"] = self.learn.values, self.judge, self.declaration.region
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("lieapp.augment.of_solutions.OfSolutions.training", looking)
        assert lieapp("augment", *words, *SMALL, "--with", "none").code == 130
    return seen["learn"].transpose(1, 2).numpy(), seen["judge"].numpy(), seen["region"]


def test_no_trajectory_is_learned_from_and_judged_on(lieapp, file, monkeypatch):
    learn, judge, region = looked_at(lieapp, monkeypatch, *EQUATION, "--data", file)
    every = np.concatenate([learn, judge])[:, 0]
    apart = np.abs(every[:, None] - heat(12)[None]).max((2, 3))
    # each of the twelve once
    assert sorted(apart.argmin(1)) == list(range(12)) and apart.min(1).max() == 0
    assert (len(learn), len(judge)) == (9, 3)
    assert [float(v) for ends in region.values() for v in ends] == [0, 4, 2, 8]
    again, _, _ = looked_at(lieapp, monkeypatch, *EQUATION, "--data", file, "--out", "again")
    other, _, _ = looked_at(lieapp, monkeypatch, *EQUATION, "--data", file, "--seed", "1", "--out", "other")
    assert np.array_equal(learn, again) and not np.array_equal(learn, other)


def test_several_files_and_parts_of_them(lieapp, monkeypatch, tmp_path):
    files = [saved(tmp_path / f"{n}.npz", heat(6, n)) for n in range(2)]
    words = (*EQUATION, "--data", files[0], "--data", files[1], "--every", "x=2", "--window", "t=0:3")
    learn, judge, _ = looked_at(lieapp, monkeypatch, *words, "--set", "validation=3", "--set", "test=4")
    assert learn.shape[2:] == (np.count_nonzero(T <= 3), 16) and (len(learn), len(judge)) == (5, 7)


def test_a_run_that_goes_on_refuses_changed_files(lieapp, file, monkeypatch, tmp_path):
    looked_at(lieapp, monkeypatch, *EQUATION, "--data", file)
    run = only(tmp_path)
    saved(file, heat(12, seed=1))
    said = lieapp("augment", "--resume", run.id, "--json")
    assert said.code == 1 and "heat.npz has changed since this run began" in said.error["message"]


def test_data_of_another_equation_are_refused(lieapp, file):
    words = ("augment", "--equation", "u_t - u_xx/25", "--data", file, "--seeds", "0", *SMALL, "--json")
    said = lieapp(*words)
    assert said.code == 1 and "should be taken 0.5 times" in said.error["message"]
    number = said.error["hint"].partition("misfit=")[2].split()[0]
    assert lieapp(*words, "--set", f"misfit={number}").code == 0


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("one.npz",), "there is 1 trajectory in the files; 6 are needed", "Give more trajectories"),
        (("five.npz",), "there are 5 trajectories in the files; 6 are needed", "Set batch to 3, or"),
        (("heat.npz", "--set", "test=11"), "16 are needed", "Set batch to 2"),
        (("heat.npz", "--window", "x=3:7"), "solutions can't be moved there yet", "lieapp discover"),
        (("heat.npz", "--data", "five.npz", "--data", "coarse.npz"), "be moved together yet", "one grid"),
        (("uneven.npz",), "t is not sampled evenly", "even times"),
        (("heat.npz", "--set", "history=11"), "history = 11: trajectories have 30 frames", "history to 10"),
        (("heat.npz", "--set", "modes=17"), "modes = 17: a grid of 32 points has 16", "modes to 16"),
        (("heat.npz", "--set", "data.extend=3"), "extend: there is no such key", ""),
        (("heat.npz", "--with", "20991231"), "neither one of the words", "discover --data FILE --equation EXPR"),
        (("none.npz",), "none.npz doesn't exist", "name of the file"),
    ],
)
def test_files_that_won_t_do_are_told_before_a_run_begins(lieapp, file, tmp_path, words, message, hint):
    saved("one.npz", heat(1))
    saved("five.npz", heat(5))
    saved("coarse.npz", heat(5, x=X[::2]), x=X[::2])
    saved("uneven.npz", heat(14, t=T**2 / 4), t=T**2 / 4)
    given = [file if word == "heat.npz" else word for word in words]
    said = lieapp("augment", *EQUATION, *SMALL, "--data", *given, "--json")
    assert said.code in (1, 2), said.out
    assert message in said.error["message"] and hint in said.error["hint"], said.error
    assert not list(tmp_path.rglob("config.json"))


def test_data_in_the_plane_are_refused(lieapp, tmp_path):
    y = 6 * np.arange(16) / 16
    np.savez(tmp_path / "plane.npz", u=heat(14)[..., None] * np.ones(16), t=T, x=X, y=y)
    said = lieapp("augment", "--equation", "u_t - u_xx/50 - u_yy", "--data", "plane.npz", *SMALL, "--json")
    assert said.code == 2 and "one axis only so far" in said.error["message"], said.error


@pytest.mark.slow
def test_data_are_moved_along_what_was_learned_from_them(lieapp, file):
    words = ("--method", "spectrum", "--set", "cross_check=false", "--set", "finite_samples=0", "--slots", "3")
    learned = lieapp("discover", *EQUATION, "--data", file, "--window", "t=0:3", *words, "--json").json
    assert [row["verdict"] for row in learned["generators"]].count("exact") >= 1
    said = lieapp(
        "augment", *EQUATION, "--data", file, "--with", f"none,{learned['run']}", "--seeds", "0", *SMALL, "--json"
    )
    assert said.code == 0, said.err
    assert max(said.json["variants"][1]["generators"].values()) < 1e-4
