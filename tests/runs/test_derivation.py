"""A derivation is a process that ends with its budget, and with whoever asked."""

import subprocess
import sys
import time

import msgspec
import pytest

from lieapp.config import TruthConfig
from lieapp.errors import ParseError
from lieapp.runs.derivation import BudgetError, derive_in_child
from lieapp.runs.process import is_alive, start_mark

KDV = TruthConfig(equation=["u_t + u*u_x + u_xxx"], independent=["t", "x"], dependent=["u"], periodic=["x"])


def test_the_answer_is_the_contracts_json():
    truth = derive_in_child(KDV)
    assert truth["dimension"] == 4 and list(truth["periodic"][0]) == ["t", "x", "u"]


def test_an_error_in_the_child_is_raised_here():
    with pytest.raises(ParseError, match="v"):
        derive_in_child(TruthConfig(equation=["u_t + v"], independent=["t", "x"], dependent=["u"]))


def test_the_budget_ends_it():
    started = time.monotonic()
    with pytest.raises(BudgetError, match="budget"):
        derive_in_child(msgspec.structs.replace(KDV, budget=0.05))
    assert time.monotonic() - started < 5


ASK = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "lieapp.runs.derivation"])
print(child.pid, flush=True)
child.wait()
"""


def test_it_ends_when_the_one_that_asked_is_killed():
    with subprocess.Popen([sys.executable, "-c", ASK], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        mark = start_mark(pid)
        # until it watches; killed earlier, it would wait for our end of its stdin, and then end too
        time.sleep(1.5)
        parent.kill()
        deadline = time.time() + 20
        while is_alive(pid, mark) and time.time() < deadline:
            time.sleep(0.1)
        assert not is_alive(pid, mark)
