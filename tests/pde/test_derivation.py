"""A derivation is a process that ends with its budget, and with whoever asked."""

import json
import os
import shutil
import subprocess
import sys
import time
from subprocess import PIPE

import msgspec
import pytest

from lieapp.child import child_command
from lieapp.cli.main import run
from lieapp.config import TruthConfig
from lieapp.errors import ParseError
from lieapp.pde import derivation
from lieapp.pde.derivation import BudgetError, DerivationError, Request, derive_in_child
from lieapp.runs.store.status import is_alive, start_mark

KDV = TruthConfig(equation=["u_t + u*u_x + u_xxx"], independent=["t", "x"], dependent=["u"], periodic=["x"])


def test_the_answer_is_the_contracts_json():
    truth = derive_in_child(KDV)
    assert truth.dimension == 4 and list(truth.periodic[0]) == ["t", "x", "u"]
    document = json.loads(msgspec.json.encode(truth))
    assert document["result"] == "truth" and document["periodic"] == truth.periodic
    assert not {"explain", "flows", "reductions", "latex", "parameter"} & set(document)


def test_an_error_in_the_child_is_raised_here():
    with pytest.raises(ParseError, match="v"):
        derive_in_child(TruthConfig(equation=["u_t + v"], independent=["t", "x"], dependent=["u"]))


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """A child in which deriving fails as a bug would."""
    (tmp_path / "sitecustomize.py").write_text(
        "import lieapp.lie.stages as truth\n"
        "def derive(*arguments):\n    raise TypeError('two fields')\n"
        "truth.derive = derive\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


def test_a_bug_in_the_child_is_told_once_and_its_traceback_kept_for_debug(failing, capfd):
    with pytest.raises(DerivationError) as caught:
        derive_in_child(KDV)
    assert caught.value.message == "the derivation failed: TypeError: two fields"
    assert "bug in lieapp" in caught.value.hint and "--debug" in caught.value.hint
    assert capfd.readouterr() == ("", "")
    arguments = ["truth", "--equation", KDV.equation[0], "--independent", "t,x", "--dependent", "u"]
    assert run(arguments) == 1
    said = capfd.readouterr().err
    assert said.startswith("error: the derivation failed: TypeError: two fields\n") and "Traceback" not in said
    assert run([*arguments, "--debug"]) == 1
    said = capfd.readouterr().err
    assert "in derive\n" in said and said.count("TypeError: two fields") >= 2


def test_a_child_that_was_killed(monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(DerivationError, match="ended with code 1 and no answer"):
        derive_in_child(KDV)


def test_too_little_for_any_result():
    started = time.monotonic()
    with pytest.raises(BudgetError, match=r"the budget of 0\.05 s ran out before"):
        derive_in_child(msgspec.structs.replace(KDV, budget=0.05))
    assert time.monotonic() - started < 8


@pytest.fixture
def child_code(tmp_path, monkeypatch):
    """Have code run at the start of the child."""

    def put(text):
        (tmp_path / "sitecustomize.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")

    return put


SLOW = """
import time
import lieapp.lie.solving.engine as engine
def slow(state):
    if any(state.arguments(e) for e in state.equations):
        time.sleep(60)
    return False
engine.STEPS = (engine.one_term, slow, *engine.STEPS)
"""

DEAF = """
import time
import lieapp.lie.stages as truth
from lieapp.lie.deadline import OutOfTimeError
def derive(*arguments):
    while True:
        try:
            time.sleep(60)
        except OutOfTimeError:
            pass
truth.derive = derive
"""


def test_a_budget_that_runs_out_gives_the_partial_result(child_code, capfd):
    child_code(SLOW)
    started = time.monotonic()
    arguments = ["truth", "--equation", KDV.equation[0], "--independent", "t,x", "--dependent", "u"]
    assert run([*arguments, "--budget", "4", "--json"]) == 0
    assert time.monotonic() - started < 15
    found = msgspec.json.decode(capfd.readouterr().out)
    assert found["unsolved"][0] == "the budget of 4 s ran out" and len(found["unsolved"]) > 1
    assert not found["certified"] and found["dimension"] == len(found["generators"]) == 4


def test_a_child_that_does_not_heed_its_budget_is_ended(child_code, monkeypatch):
    child_code(DEAF)
    monkeypatch.setattr(derivation, "GRACE", 1.0)
    started = time.monotonic()
    with pytest.raises(BudgetError, match="no result within the budget of 1 s"):
        derive_in_child(msgspec.structs.replace(KDV, budget=1.0))
    assert time.monotonic() - started < 8


ASK = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "lieapp.pde.derivation"])
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


def test_an_answer_that_nobody_waits_for_is_no_traceback():
    request = msgspec.json.encode(Request(KDV, []))
    command = child_command("lieapp.pde.derivation")
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdout.close()
        child.stdin.write(request)
        child.stdin.close()
        assert child.stderr.read() == b""
    assert child.returncode == 1
