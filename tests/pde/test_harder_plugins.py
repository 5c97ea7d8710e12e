"""The equations of tests/plugins: how many symmetries, which, as proved formulas, and none that there aren't."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from lieapp.compare.closed_form.forms import closed_forms, same_span
from lieapp.compare.closed_form.library import library
from lieapp.compare.closed_form.measure import measure
from lieapp.compare.outcome import compare
from lieapp.config import DiscoverConfig, Spectrum
from lieapp.data.stepping import Tolerance
from lieapp.domains.formulas import FixedFields
from lieapp.equations.parsing import parse_expression
from lieapp.lie.vector_field import Field
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.loop import Alone
from lieapp.methods.result import histories
from lieapp.methods.verdict import more_slots
from lieapp.pde.domain import PDEDomain
from lieapp.pde.superposition import superposition
from lieapp.registry.catalog import load_catalog

PLUGINS = Path(__file__).parents[1] / "plugins"

TIME, SPACE = {"t": "1"}, {"x": "1"}

PERIODIC = {
    "nls": [TIME, SPACE, {"u": "v", "v": "-u"}],
    "mkdv": [TIME, SPACE],
    "gardner": [TIME, SPACE],
    "kawahara": [TIME, SPACE, {"x": "t", "u": "1"}],
    "fisher": [TIME, SPACE],
    "linear": [TIME, SPACE, {"u": "u"}],
    "skdv": [SPACE, {"x": "log(t + 1)", "u": "1/(t + 1)"}],
    "rkdv": [SPACE, {"t": "1/sqrt(t + 1)"}, {"x": "2*(t + 1)**(3/2)", "u": "3"}],
    "wkdv": [SPACE, {"x": "2*t - cos(t)", "u": "2 + sin(t)"}],
    "ikdv": [SPACE, {"x": "Integral(exp(sin(t)), t)", "u": "1"}],
    "translations": [TIME, SPACE],
    "forced": [],
}
"""What is symmetric and periodic in x, by hand."""

SLOWER = ["rkdv", "wkdv"]
QUICK = [name for name in sorted(PERIODIC) if name not in SLOWER]
CATALOG = load_catalog([PLUGINS])


def domain_of(name):
    return PDEDomain(CATALOG.get(name).declaration)


def expected(domain):
    symbols = dict(zip(domain.components, domain.evolution.jets.coordinates, strict=True))
    return [
        Field({c: parse_expression(field.get(c, "0"), symbols, integrals=True) for c in domain.components})
        for field in PERIODIC[domain.name]
    ]


def spectrum_of(domain, data, slots=4, degrees=(2, 3), modes=1):
    further = domain.coefficient_features(data, 40)
    return by_spectrum(domain, data, degrees, modes, 1, slots, (40, 16), Alone(), further)


def test_every_plugin_is_looked_at():
    assert {path.stem for path in PLUGINS.glob("*.py")} == set(PERIODIC)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOWER)])
def test_as_many_as_there_are_and_each_proved(name):
    domain = domain_of(name)
    data = domain.dataset(5, 2, 0, tolerance=Tolerance(1e-2))
    found, fields = spectrum_of(domain, data), expected(domain)
    known = None
    if fields:
        functions = [domain.scaled_field(f.components, data.scales) for f in fields]
        known = (FixedFields(lambda points: torch.cat([f(points) for f in functions])), len(fields))
    outcome = compare(domain, data.held_out.batches(16, 8), found, None, known)
    assert len(outcome.exact) == len(fields)
    assert min(outcome.cosines, default=1.0) > 0.99999
    if not fields:
        return
    functions = library(domain.system, domain.arguments.periodic, 2)
    measured = measure(
        domain, functions, domain.system.jets.coordinates, data.scales, found.fields,
        lambda: data.held_out.batches(8, 4),
    )  # fmt: skip
    forms = closed_forms(domain.system, measured, outcome.exact)
    assert all(form.proved for form in forms)
    assert same_span(domain.system, [form.field for form in forms], fields)


@pytest.mark.parametrize(("modes", "members"), [(1, 3), (2, 5)])
def test_a_family_has_a_member_for_each_function_of_the_basis(modes, members):
    """Solutions of the equation itself: one that is constant in x, two for each Fourier mode."""
    domain = domain_of("linear")
    data = domain.dataset(5, 2, 0, tolerance=Tolerance(1e-2))
    config = DiscoverConfig(
        plugin="linear", modes=modes, slices=40, held_out_slices=16, spectrum=Spectrum(degrees=(6, 8))
    )
    found = superposition(config, domain, data)
    assert found.count == members


@pytest.mark.parametrize("name", ["linear", "kawahara"])
def test_slots_grow_until_the_gap_lies_inside(name):
    domain = domain_of(name)
    data = domain.dataset(5, 2, 0, tolerance=Tolerance(1e-2))
    grown = spectrum_of(domain, data, slots=1)
    assert len(grown.levels[-1].eta) == 4 and more_slots(histories(grown.levels)) == 0
    assert grown.levels == spectrum_of(domain, data, slots=4).levels


def discover(folder, name, *arguments):
    command = [sys.executable, "-m", "lieapp", "discover", "--plugin", name, "--plugins", str(PLUGINS), "--json"]
    ended = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return json.loads(ended.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spectrum", "neural"])
@pytest.mark.parametrize(("slots", "count", "more"), [("8", 3, False), ("2", 3, False)])
def test_the_count_does_not_depend_on_the_slots(tmp_path, method, slots, count, more):
    few = ["samples=8", "finite_samples=0", "flow.epochs=0", "cross_check=false"]
    settings = [part for setting in few for part in ("--set", setting)]
    summary = discover(tmp_path, "kdv", "--method", method, "--slots", slots, *settings)
    assert (summary["count"], summary["more"]) == (count, more)
    assert sum(form["proved"] for form in summary["formulas"]) == count
    if count == 3:
        assert min(row["cosine"] for row in summary["truth"]) > 0.999


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spectrum", "neural"])
@pytest.mark.parametrize("name", sorted(PERIODIC))
def test_default_settings_find_and_prove_all(tmp_path, name, method):
    summary = discover(tmp_path, name, "--method", method)
    assert summary["count"] == len(summary["truth"]) == len(PERIODIC[name])
    assert min((row["cosine"] for row in summary["truth"]), default=1.0) > 0.999
    assert summary["formulas_check"]["same_span"]
