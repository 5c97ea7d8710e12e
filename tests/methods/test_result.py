"""Slots stand in the order of their defect on held-out data, at every level of both methods."""

import math

import pytest
import torch

from lieapp.errors import DiscoveryError
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.loop import Alone
from lieapp.methods.result import check_defects, judge


def test_slots_ascend_in_what_they_are_judged_by(kdv):
    domain, data = kdv
    slots = 8
    found = by_spectrum(domain, data, (2, 3, 4), 1, 1, slots, (60, 10), Alone())
    assert [level.label for level in found.levels] == [2, 3, 4]
    for level in found.levels:
        assert len(level.eta) == slots and level.eta == sorted(level.eta)
    # the fields are those of the last level, in the same order
    eta = judge(domain, found.fields, data.held_out.batches(10, 8)).eta
    torch.testing.assert_close(eta, torch.tensor(found.levels[-1].eta, dtype=eta.dtype), rtol=1e-3, atol=1e-10)


@pytest.mark.parametrize("eta", [[math.nan], [math.inf, math.nan]])
def test_defects_that_are_no_numbers_are_no_result(eta):
    check_defects([])
    check_defects([*eta, 0.1])
    with pytest.raises(DiscoveryError, match=f"defects of all {len(eta)} fields are NaN"):
        check_defects(eta)
