"""ETDRK4 is of fourth order: slopes of log error over log h, against exact solutions."""

import numpy as np
import pytest
from problems import FORCED, KDV, NKDV, NLS, integrate, relative

CASES = {
    "soliton of kdv": (KDV, 1.0, (20, 40, 80, 160)),
    "linear part that depends on t": (NKDV, 1.0, (40, 80, 160, 240)),
    "explicit t and x": (FORCED, 1.0, (40, 80, 160)),
    "coupled linear part": (NLS, 0.5, (20, 40, 80)),
}


@pytest.mark.parametrize("name", CASES)
def test_order_four(name):
    case, end, steps = CASES[name]
    errors = [relative(integrate(case, 0.0, end, n), case.exact(end)) for n in steps]
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    report = ", ".join(f"{n} steps {e:.2e}" for n, e in zip(steps, errors, strict=True))
    assert abs(slope - 4) < 0.25, f"{name}: slope {slope:.2f}; {report}"
