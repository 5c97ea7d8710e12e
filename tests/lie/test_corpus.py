"""Equations of the literature, many and of many kinds: answered, proved, and certified or with the reason why not.

`corpus.json` has each with its `source`, and its `dimension` where that is published or follows from the
`argument` beside it; null where the source gives an equation only. None is taken from lieapp. Books and papers are
cited as known, not opened for each entry; only the logs in `test_side_by_side` were. `open` says what is
known to be missing in an answer that isn't certified. Generators are compared in `test_public_suite`.
"""

import pytest
from published import SUITE, entries, read
from symmetry_spaces import Symmetries

from lieapp.lie.invariance import is_symmetry
from lieapp.lie.stages import derive

CORPUS = entries("corpus.json")
BUDGET = 60.0
QUICK = (
    "lie_circles", "painleve2", "duffing_damped_special", "tanner", "beam_5_3", "semilinear_f", "diffusion_exp",
    "kdv_exp", "camassa_holm_kappa", "sine_gordon_light", "liouville_light", "prandtl",
)  # fmt: skip
KEYS = {"id", "category", "independent", "dependent", "parameters", "functions", "equations", "dimension",
        "infinite", "source"}  # fmt: skip


def answered(name):
    entry = CORPUS[name]
    system = read(entry)
    truth = derive(system, budget=BUDGET)
    assert all(is_symmetry(system, field.components) for field in truth.generators)
    if truth.families:
        judge = Symmetries(system)
        assert all(judge.holds(judge.family(family)) for family in truth.families)
    dimension, infinite = entry["dimension"], entry["infinite"]
    if truth.certified:
        assert dimension in (None, truth.dimension) and infinite in (None, truth.infinite)
        return
    # a lower bound, with what the count of Taylor coefficients says of the rest
    assert truth.certificate.reason and "open" in entry, truth
    assert dimension is None or truth.dimension <= dimension
    assert infinite is not False or not truth.infinite
    if dimension is not None and not infinite and truth.certificate.bound is not None:
        assert truth.certificate.bound >= dimension


def test_the_corpus_is_large_and_tells_its_sources():
    assert len(CORPUS) >= 150
    for entry in CORPUS.values():
        assert KEYS <= entry.keys() <= KEYS | {"argument", "open"}, entry["id"]
        assert entry["source"], entry["id"]
    written = {(*entry["equations"], *entry["independent"]) for entry in CORPUS.values()}
    assert len(written) == len(CORPUS)
    assert not written & {(*entry["equations"], *entry["independent"]) for entry in SUITE.values()}


@pytest.mark.parametrize("name", QUICK)
def test_some_are_answered(name):
    answered(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in QUICK])
def test_each_is_answered(name):
    answered(name)
