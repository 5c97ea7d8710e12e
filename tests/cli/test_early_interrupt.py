"""Ctrl-C while the program loads, at whichever import it comes: one error and exit code 130."""

import json
import os
import subprocess
import sys

import pytest

from lieapp.interrupted import is_program

HOOK = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
SCRIPT = """
import sys
from lieapp.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""
AT = [
    "lieapp.__main__", "lieapp.runs", "lieapp.runs.process.signals", "lieapp.cli.main", "click", "lieapp.registry",
]  # fmt: skip


@pytest.fixture
def started(tmp_path, pytestconfig):
    """Run the program, which gets SIGINT as it imports a module; its exit code, stdout and stderr."""
    (tmp_path / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    script = tmp_path / "lieapp"
    script.write_text(SCRIPT, encoding="utf-8")

    def start(program, at, *options):
        paths = os.pathsep.join([str(tmp_path), str(pytestconfig.rootpath)])
        environment = {**os.environ, "PYTHONPATH": paths, "INTERRUPTED_AT": at}
        command = [sys.executable, *({"script": [script], "-m": ["-m", "lieapp"]}[program]), "plugins", *options]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    return start


@pytest.mark.parametrize("at", AT)
@pytest.mark.parametrize("program", ["script", "-m"])
def test_one_error_and_130(started, program, at):
    code, told, error = started(program, at)
    assert (code, told) == (130, "") and error.lstrip() == "error: interrupted.\nhint: Run the command again.\n"


def test_as_json(started):
    code, told, error = started("-m", "lieapp.__main__", "--json")
    assert (code, error) == (130, "") and json.loads(told)["error"]["type"] == "CancelledError"


def test_without_an_interrupt_it_works(started):
    code, told, _ = started("script", "nothing")
    assert code == 0 and "kdv" in told


@pytest.mark.parametrize(
    ("arguments", "typed", "meant"),
    [
        (["-m"], ["python", "-m", "lieapp", "truth"], True),
        (["-m"], ["python", "-I", "-m", "lieapp"], True),
        (["-m"], ["python", "-m", "lieapp.ui.reader", "4"], False),
        (["/opt/bin/lieapp", "runs"], ["python", "/opt/bin/lieapp", "runs"], True),
        (["-c"], ["python", "-c", "import lieapp"], False),
        (["study.py", "-m", "lieapp"], ["python", "study.py", "-m", "lieapp"], False),
        ([], ["python"], False),
    ],
)
def test_as_a_library_signals_are_left_alone(arguments, typed, meant):
    assert is_program(arguments, typed) is meant
