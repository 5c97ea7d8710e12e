"""The frame of the command line: help without weight, errors in one form, exit codes."""

import ast
import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from lieapp.cli.main import COMMANDS, WITH_RUNS, as_lieapp_error, cli
from lieapp.errors import DataError, LostProcessError
from lieapp.runs.process.signals import interruptible

HEAVY = ("torch", "sympy", "numpy", "rich", "streamlit")


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)], ids=str)
def test_help_loads_neither_torch_nor_sympy(arguments, pytestconfig):
    code = (
        "import sys\nfrom lieapp.cli.main import run\n"
        f"assert run({arguments!r}) == 0\n"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=pytestconfig.rootpath, capture_output=True, text=True, check=True
    )
    assert "Usage: lieapp" in done.stdout
    assert ast.literal_eval(done.stdout.split("LOADED ")[1]) == []


def test_every_command_is_found():
    for name in COMMANDS:
        command = cli.get_command(None, name)
        assert command is not None and command.name == name and command.help


def test_unknown_command_gets_the_nearest(lieapp):
    said = lieapp("discovr")
    assert said.code == 2 and said.err.startswith("error: ") and "did you mean 'discover'" in said.err
    assert "Traceback" not in said.err and said.out == ""


@pytest.mark.parametrize("arguments", [[], ["runs"]])
def test_without_a_command_the_help_is_the_answer(lieapp, arguments):
    said = lieapp(*arguments)
    assert said.code == 2 and said.out == "" and said.err.startswith("Usage: lieapp")
    assert "error:" not in said.err and "Commands" in said.err


@pytest.mark.parametrize("command", ["truth", "check", "data", "discover"])
def test_two_plugins_are_one_too_many(lieapp, command):
    said = lieapp(command, "--plugin", "heat", "--plugin", "kdv")
    assert said.code == 2 and "error: --plugin is given 2 times: heat, kdv." in said.err and "hint: " in said.err


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_closed_streams_are_no_bug(tmp_path, closed, pytestconfig):
    """The shell closes stdout; what would be printed goes nowhere."""
    command = f"{sys.executable} -m lieapp plugins {closed}"
    environment = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_without_utf8_are_no_bug(tmp_path, encoding, pytestconfig):
    """What they lack is a `?` in text, and escaped in JSON."""
    environment = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath), "PYTHONIOENCODING": encoding}

    def said(*more):
        command = [sys.executable, "-m", "lieapp", "plugins", *more]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=True)
        assert b"error" not in done.stderr
        return done.stdout.decode(encoding)

    assert "lambda_omega" in said()
    titles = [entry["title"] for entry in json.loads(said("--json"))["plugins"]]
    assert any("λ" in title for title in titles)


@pytest.mark.parametrize("arguments", [["truth", "--equation", "u_t + \udce9"], ["inspect", "\udce9.csv"]])
def test_arguments_that_are_no_text_are_refused_by_name(lieapp, arguments):
    """The shell passes bytes that aren't UTF-8 as surrogates, which no file of a run can keep."""
    said = lieapp(*arguments)
    assert said.code == 2 and "isn't text in UTF-8" in said.err and "\ufffd" in said.err


@pytest.mark.parametrize("arguments", [["plugins", "--nope"], ["discover", "--seed", "x"], ["compare"], ["nope"]])
def test_usage_errors_exit_2_and_honour_json(lieapp, arguments):
    said = lieapp(*arguments)
    assert said.code == 2 and said.err.startswith("error: ") and "hint: " in said.err
    said = lieapp(*arguments, "--json")
    assert said.code == 2 and said.error["type"] == "UsageError" and said.error["message"]


def test_a_bug_is_one_line_and_its_traceback_waits_for_debug(lieapp, engine):
    def check(entry, report):
        raise ZeroDivisionError("oh dear")

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--quiet")
    assert said.code == 1
    assert said.err.splitlines()[0] == "error: ZeroDivisionError: oh dear"
    assert "bug" in said.err and "--debug" in said.err and "Traceback" not in said.err
    assert "Traceback" in lieapp("check", "--plugin", "ckdv", "--debug").err


def test_an_error_of_ours_has_message_hint_and_code(lieapp, engine):
    def check(entry, report):
        raise DataError("the data are gone.", hint="Look elsewhere.")

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--quiet")
    assert (said.code, said.err) == (1, "error: the data are gone.\nhint: Look elsewhere.\n")
    said = lieapp("check", "--plugin", "ckdv", "--quiet", "--json")
    assert said.error == {"type": "DataError", "message": "the data are gone.", "hint": "Look elsewhere."}


def test_a_full_disk_is_no_bug_and_its_file_is_named(lieapp, engine):
    def check(entry, report):
        raise OSError(errno.ENOSPC, "No space left on device", "runs/r/log.txt")

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--json", "--quiet")
    assert said.code == 1 and said.error["message"] == "runs/r/log.txt: No space left on device."
    assert said.error["type"] == "FileError" and said.error["hint"] == "Free disk space, or write elsewhere."


@pytest.mark.parametrize("command", COMMANDS)
def test_only_commands_with_runs_speak_of_runs_after_ctrl_c(command):
    hint = as_lieapp_error(KeyboardInterrupt(), command).hint
    assert hint.startswith("Run the command again") and ("runs list" in hint) == (command in WITH_RUNS)


def test_interrupted_is_130(lieapp, engine):
    def check(entry, report):
        raise KeyboardInterrupt

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--quiet")
    assert said.code == 130 and "error: interrupted.\nhint: Run the command again" in said.err


def test_what_ended_another_process_is_told_after_the_signal_of_torchrun(lieapp, engine):
    def check(entry, report):
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        raise LostProcessError("process 1 of 2: no room.")

    engine("lieapp.pde.check", check=check)
    with interruptible():
        said = lieapp("check", "--plugin", "ckdv", "--quiet")
    assert said.code == 1 and "error: process 1 of 2: no room." in said.err


INTERRUPT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
            {then}

sys.meta_path.insert(0, Finder())
from lieapp.__main__ import main
main()
"""


@pytest.mark.parametrize("then", ["pass", "raise ImportError('half loaded')"])
@pytest.mark.parametrize(
    "name",
    [
        "lieapp.runs.process.signals",
        "lieapp.cli.main",
        "click",
        "lieapp.cli.working",
        "msgspec",
        "sympy",
        "lieapp.registry.catalog",
    ],
)
def test_an_interrupt_while_libraries_load_is_an_interrupt(tmp_path, pytestconfig, name, then):
    """Also where the library makes an error of its own of it."""
    environment = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    arguments = ["discover", "--plugin", "ckdv", *(["--json"] if then == "pass" else [])]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT.format(name=name, then=then), *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    said = json.loads(done.stdout)["error"]["message"] if then == "pass" else done.stderr
    assert done.returncode == 130 and "interrupted." in said and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_error_without_an_interrupt_is_told_as_it_is(tmp_path, pytestconfig):
    code = "import sys; sys.modules['click'] = None\nfrom lieapp.__main__ import main\nmain()"
    environment = {**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1 and "ModuleNotFoundError: import of click halted" in done.stderr


def test_what_the_engine_prints_stays_out_of_the_json(lieapp, engine):
    def check(entry, report):
        print("noise")
        return []

    engine("lieapp.pde.check", check=check)
    said = lieapp("check", "--plugin", "ckdv", "--json")
    assert said.json["ok"] is True and said.json["checks"] == [] and "noise" in said.err and "noise" not in said.out


def test_a_reader_that_leaves_is_no_error(pytestconfig):
    command = f"{sys.executable} -m lieapp plugins --json | head -c 1"
    done = subprocess.run(
        command, shell=True, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=False
    )
    assert done.stdout == "{" and done.stderr == ""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:127] . DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_no_memory_is_no_bug(error):
    told = as_lieapp_error(error, "discover")
    assert told.message == "out of memory." and "flow_batch" in told.hint
