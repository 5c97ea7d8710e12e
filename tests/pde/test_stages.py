"""Stages set up from settings: exact resume at any step of each, and settings that can't work."""

from dataclasses import replace

import pytest
import torch
from registered import CATALOG, DISCOVER, METHODS

from lieapp.errors import ConfigError, DiscoveryError, GridError
from lieapp.methods import loop
from lieapp.methods.by_descent import patches
from lieapp.methods.fields import values
from lieapp.pde import plan
from lieapp.pde.domain import PDEDomain
from lieapp.pde.residual import Backend
from lieapp.progress import SilentReporter
from lieapp.report.current import current_fields
from lieapp.runs.store.checkpoint import Checkpoint
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.session import Session
from lieapp.settings import load_config

FAST = [
    "samples=4", "held_out=1", "steps=6", "width=8", "features=5", "batch=6", "slices=24", "held_out_slices=8",
    "degrees=[2]", "gradient.trunk=16", "gradient.head=8", "flow.trunk=16", "flow.head=8",
]  # fmt: skip
SHORT = ["gradient.epochs=3", "flow.epochs=3", "flow_batch=2", "patch_time=26", "patch_space=32"]


class Stops(SilentReporter):
    """Interrupts when progress is reported for the n-th time."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left, self.lines = after, []

    def progress(self, step, total, text=""):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def line(self, text):
        self.lines.append(text)


@pytest.fixture(scope="module")
def small():
    """cKdV on a coarse grid and a short window."""
    pde = CATALOG.get("ckdv").declaration
    t, x = pde.region
    pde = replace(pde, region={t: (0, 20), x: (0, 32)}, points={t: 40, x: 48}, keep_last=32)
    domain = PDEDomain(pde)
    return domain, domain.dataset(4, 1, seed=0)


class Stages:
    """A discovery, as its pipeline makes one."""

    def __init__(self, config, domain, folder, reporter):
        folder.mkdir(exist_ok=True)
        plan.check_stages(config, domain)
        self.domain, self.session = domain, Session(RunDirectory(folder), reporter, config, (), METHODS)

    def run(self, data):
        return plan.discover(self.domain, data, self.session)

    def other(self, data):
        return plan.crossed(self.domain, data, self.session)


def stages(small, folder, sets, reporter=None, preset=None):
    domain, _ = small
    config = load_config(DISCOVER, None, [*FAST, *SHORT, *sets], plugin="ckdv", preset=preset)
    moving = config.moving
    options = (("extra", moving.weno_extra),) if moving.backend == "weno" else ()
    domain = PDEDomain(domain.declaration, Backend(moving.backend, options))
    return Stages(config, domain, folder, reporter or SilentReporter())


def on_points(found):
    points = torch.rand(1, 3, 5, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return values(found.fields, points)


PLANS = {
    "projection, flow": ([], None),
    "projection, gradient": (['stages=["projection","gradient"]', "gradient.batch=6"], None),
    "gradient": (['stages=["gradient"]'], None),
    "flow, float32": ([], "paper"),
    "flow, bilinear": (['stages=["flow"]', "backend=bilinear"], None),
}


@pytest.mark.parametrize("name", PLANS)
def test_interrupted_anywhere_and_resumed_is_as_if_never_interrupted(small, tmp_path, name):
    sets, preset = PLANS[name]
    counted = Stops(10**9)
    whole = stages(small, tmp_path / "whole", sets, counted, preset).run(small[1])
    steps = 10**9 - counted.left
    expected = RunDirectory(tmp_path / "whole").metrics()
    assert [row["step"] for row in expected] == list(range(1, steps + 1))
    for after in sorted({1, steps // 2, steps - 1}):
        folder = tmp_path / str(after)
        with pytest.raises(KeyboardInterrupt):
            stages(small, folder, sets, Stops(after), preset).run(small[1])
        resumed = stages(small, folder, sets, preset=preset).run(small[1])
        assert torch.equal(on_points(resumed), on_points(whole)), after
        assert [level.eta for level in resumed.levels] == [level.eta for level in whole.levels]
        rows = RunDirectory(folder).metrics()
        assert [row["loss"] for row in rows] == [row["loss"] for row in expected], after


@pytest.mark.parametrize("name", ["projection, flow", "flow, float32"])
def test_fields_shown_on_the_way_change_nothing_and_are_drawn(small, tmp_path, monkeypatch, name):
    sets, preset = PLANS[name]
    hidden = stages(small, tmp_path / "plain", sets, preset=preset)
    hidden.session.checkpoint = Checkpoint(tmp_path / "plain" / "checkpoint")
    plain = hidden.run(small[1])
    assert current_fields(tmp_path / "plain") is None
    shown, seen = stages(small, tmp_path / "shown", sets, preset=preset), []

    kept = shown.session._kept

    def keep():
        kept()
        found = current_fields(tmp_path / "shown")
        seen.append(found and (found.stage, found.step))

    # at every step
    monkeypatch.setattr(loop, "SAVE_EVERY", -1.0)
    shown.session.checkpoint = Checkpoint(tmp_path / "shown" / "checkpoint", keep)
    found = shown.run(small[1])
    assert torch.equal(on_points(found), on_points(plain))
    stage = name.split(", ")[0] if preset is None else "flow"
    assert seen[0] == (stage, 1) and all(seen) and seen[-1][0] == "flow"
    assert sum(map(len, current_fields(tmp_path / "shown").drawing.rows)) >= 4


def test_the_spectrum_shows_its_fields_at_every_level(small, tmp_path):
    run = stages(small, tmp_path / "run", ["method=spectrum", "degrees=[1,2,3]"])
    run.run(small[1])
    found = current_fields(tmp_path / "run")
    assert (found.stage, found.step) == ("spectrum", 3)
    assert found.drawing.rows
    other = stages(small, tmp_path / "other", ['stages=["projection"]', "degrees=[1,2,3]"])
    other.other(small[1])  # a cross-check shows nothing: what goes on is another method
    assert current_fields(tmp_path / "other") is None


def test_a_refining_stage_never_makes_the_answer_worse(small, tmp_path):
    plain = stages(small, tmp_path / "plain", ['stages=["projection"]']).run(small[1])
    for rate in ("1e-3", "1.0"):
        reporter = Stops(10**9)
        refined = stages(small, tmp_path / rate, [f"flow_rate={rate}"], reporter).run(small[1])
        (said,) = (line for line in reporter.lines if line.startswith("flow stage"))
        kept = "kept" in said
        assert (refined.levels[-1].eta != plain.levels[-1].eta) == kept
        product = [torch.tensor(found.levels[-1].eta).log().sum() for found in (plain, refined)]
        assert product[1] <= product[0] + 1e-12


BAD = {
    "patch_time=33": (ConfigError, "patch of 33 nodes along t", "patch"),
    "patch_space=49": (ConfigError, "patch of 49 nodes along x", "patch"),
    "sigma=1e9": (ConfigError, "more than 200 steps", "sigma"),
    "sigma=30": (DiscoveryError, "can't be followed|no patch moved by", "sigma"),
}


@pytest.mark.parametrize("setting", [pytest.param(s, marks=[pytest.mark.slow] * (s == "sigma=30")) for s in BAD])
def test_settings_that_cannot_work_are_named(small, tmp_path, setting):
    kind, words, advice = BAD[setting]
    with pytest.raises(kind, match=words) as error:
        stages(small, tmp_path, ['stages=["flow"]', "epochs=20", setting]).run(small[1])
    assert advice in error.value.message + error.value.hint


@pytest.mark.parametrize("backend", ["weno", "curvilinear", "bilinear"])
def test_too_few_nodes_for_a_stencil(small, tmp_path, backend):
    made = stages(small, tmp_path, ['stages=["flow"]', f"backend={backend}", "patch_time=3", "patch_space=3"])
    with pytest.raises(GridError, match=r"axis . has 3 nodes"):
        made.run(small[1])


def test_a_default_flow_stage_that_cannot_be_is_left_out_with_a_warning(small, tmp_path):
    domain, _ = small
    pde = domain.declaration
    t = next(iter(pde.points))
    few = PDEDomain(replace(pde, keep_last=3, points={**pde.points, t: 8}))
    data = few.dataset(3, 1, seed=0)
    reporter = SilentReporter()
    made = Stages(load_config(DISCOVER, None, FAST, plugin="ckdv"), few, tmp_path, reporter)
    assert len(made.run(data).levels[-1].eta) == 4
    assert any("flow stage was skipped" in text and "axis t has 3 nodes" in text for text in reporter.warnings)


def test_a_stage_that_the_domain_does_not_have(small, tmp_path, monkeypatch):
    monkeypatch.setattr(PDEDomain, "stages", ("spectrum",))
    with pytest.raises(ConfigError, match="stage projection isn't available"):
        stages(small, tmp_path, [])


RULES = {
    ('stages=["gradient","flow"]',): "only the fields of projection can be refined",
    ('stages=["flow"]', "epochs=0"): "epochs = 0: the stage flow comes first",
    ("sigma=1000",): "a flow would take more than 200 steps; lower sigma",
    ("solver_step=1e-9",): "a flow would take more than 200 steps; lower sigma .* or raise solver_step",
    ("preset=paper", "method=spectrum"): "leave method = spectrum out",
}


@pytest.mark.parametrize("sets", RULES, ids=" ".join)
def test_rules_between_settings_are_checked_before_any_work(sets):
    with pytest.raises(ConfigError, match=RULES[sets]):
        load_config(DISCOVER, None, list(sets), plugin="ckdv")


def test_the_paper_preset_shrinks_its_patches_to_the_grid(small, tmp_path):
    config = load_config(DISCOVER, None, FAST, plugin="ckdv", preset="paper")
    assert patches(small[1], config.flow, plain=True).shape == (32, 48)
