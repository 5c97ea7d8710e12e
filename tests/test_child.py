"""Processes that lieapp starts import nothing from the working folder, whatever the files there are called."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import lieapp
from lieapp import child
from lieapp.child import child_command
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import is_alive, start_mark

PACKAGE = Path(lieapp.__file__).parent
TRAPS = ("random", "types", "numpy", "sympy", "torch", "streamlit", "click", "msgspec", "lieapp")
TRAP = "from pathlib import Path\nPath('{folder}', 'executed-{name}').touch()\nraise RuntimeError('{name}')\n"
KDV = ("--equation", "u_t + u*u_x + u_xxx", "--independent", "t,x", "--dependent", "u")

QUEUED = """
from pathlib import Path
from lieapp.config import DiscoverConfig, TruthConfig
from lieapp.settings import load_config
from lieapp.runs.process.queue import enqueue, ensure_runner, start_now
root = Path("runs")
small = ["samples=4", "held_out=2", "slices=24", "held_out_slices=8", "degrees=[1,2]"]
enqueue(root, load_config(DiscoverConfig, None, small, plugin="line", method="spectrum"))
ensure_runner(root)
typed = TruthConfig(equation=["u_t + u*u_x + u_xxx"], independent=["t", "x"], dependent=["u"])
start_now(root, enqueue(root, typed))
"""

PLUGIN = """
import random
import types
import numpy as np
import sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
line = PDE(
    name="line", title="Burgers", equation=sp.Eq(u.diff(t) + u * u.diff(x) - u.diff(x, 2), 0),
    region={t: (0, 1), x: (0, 8)}, points={t: 11, x: 32}, periodic=[x],
)

@hookimpl
def lieapp_domains():
    return [line]
"""


@pytest.fixture
def trapped(tmp_path):
    """A working folder whose files have the names of libraries, and leave a mark when they are executed."""
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text(TRAP.format(folder=tmp_path, name=name))
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "line.py").write_text(PLUGIN)
    yield tmp_path
    assert not sorted(tmp_path.rglob("executed-*"))


@pytest.fixture(autouse=True)
def without_the_working_folder(monkeypatch):
    # an empty entry of PYTHONPATH is the working folder, asked for
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(known))


def said(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_derivation(trapped):
    assert json.loads(said(child_command("lieapp", "truth", *KDV, "--json"), trapped))["dimension"] == 4


def test_runs_of_the_queue_and_those_that_start_at_once(trapped):
    said([sys.executable, "-P", "-c", QUEUED], trapped)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        states = {run.config()["kind"]: run.state for run in RunDirectory.list(trapped / "runs")}
        if set(states.values()) <= {"done", "failed"}:
            break
        time.sleep(0.1)
    logs = [(run.path / "log.txt").read_text() for run in RunDirectory.list(trapped / "runs")]
    assert states == {"discover": "done", "truth": "done"}, logs


def test_the_app(trapped):
    code = (
        "import subprocess; from lieapp.cli import app, main\n"
        "subprocess.call = lambda command, env: print(*command, sep='\\n')\n"
        "main.run(['app', '--no-browser', '--port', '0'])"
    )
    command = said([sys.executable, "-P", "-c", code], trapped).splitlines()
    with (trapped / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=trapped, stdout=log, stderr=log)
    try:
        assert asyncio.run(page(trapped / "log", "explore", "independent=t,x&dependent=u&equation=u_t-u_xx"))
    finally:
        server.kill()
        server.wait()


async def page(log: Path, name: str, query: str) -> bool:
    """Whether a page of the app runs to its end, and begins with a title."""
    port = ""
    while not port:
        await asyncio.sleep(0.1)
        port = log.read_text().partition("http://localhost:")[2].split("\n")[0].strip()
        assert "Traceback" not in log.read_text()
    asked, titles = BackMsg(), []
    asked.rerun_script.page_name, asked.rerun_script.query_string = name, query
    async with websockets.connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"]) as line:
        await line.send(asked.SerializeToString())
        while True:
            told = ForwardMsg.FromString(await asyncio.wait_for(line.recv(), 60))
            element = told.delta.new_element
            assert element.WhichOneof("type") != "exception", element
            titles += [element.heading.body] if element.HasField("heading") else []
            if told.WhichOneof("type") == "script_finished":
                return titles[:1] == ["Explore"]


def test_python_m_lieapp(trapped):
    # Python itself imports types before any of lieapp's lines is reached
    (trapped / "types.py").unlink()
    (trapped / "lieapp.py").unlink()
    assert "line" in said([sys.executable, "-m", "lieapp", "plugins", "--json"], trapped)


def test_a_lieapp_that_is_not_installed_is_found_and_nothing_beside_it(trapped):
    (trapped / "lieapp.py").unlink()
    own = trapped / "lieapp"
    own.mkdir()
    (own / "__init__.py").touch()
    (own / "told.py").write_text("import random, sys, lieapp\nprint(*lieapp.__path__, *sys.argv[1:])")
    script = shutil.copy(child.__file__, own)
    assert said([sys.executable, "-P", script, "lieapp.told", "more"], trapped) == f"{own} more\n"


def test_workers_and_the_processes_of_their_cells(trapped):
    pytest.importorskip("distributed")
    small = "samples = 4\nheld_out = 2\nslices = 24\nheld_out_slices = 8\nspectrum.degrees = [1, 2]\n"
    text = f'[grid]\nseed = [0]\n[set]\nplugin = "line"\nmethod = "spectrum"\n{small}'
    (trapped / "grid.toml").write_text(text)
    command = child_command("lieapp", "sweep", "grid.toml", "--on", "local:1", "--json")
    # as the program `lieapp` is started, which is not with -P
    assert json.loads(said([part for part in command if part != "-P"], trapped))["cells"][0]["state"] == "done"


def test_no_other_place_starts_python():
    for file in PACKAGE.rglob("*.py"):
        # a pipe starts nothing
        text = file.read_text(encoding="utf-8").replace("from multiprocessing.connection import", "")
        assert file.name == "child.py" or ("sys.executable" not in text and "multiprocessing" not in text), file


def test_the_folder_that_streamlit_adds_hides_no_module_of_python():
    # `streamlit run` puts the folder of its script before all others
    assert not {file.stem for file in (PACKAGE / "ui").glob("*.py")} & sys.stdlib_module_names


ASK = """
import subprocess, sys, time
from lieapp.child import child_command
child = subprocess.Popen(child_command("lieapp.lie.symmetries"), stdin=subprocess.PIPE)
print(child.pid, flush=True)
time.sleep(60)
"""


def test_the_process_that_reads_what_is_typed_ends_with_the_one_that_asked():
    # the pipe it reads stays open here, so that it doesn't end for want of a question
    with subprocess.Popen([sys.executable, "-c", ASK], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        writer = os.open(f"/proc/{pid}/fd/0", os.O_WRONLY)
        mark = start_mark(pid)
        deadline = time.time() + 60
        while len(os.listdir(f"/proc/{pid}/task")) < 2 and time.time() < deadline:
            time.sleep(0.1)
        parent.kill()
        deadline = time.time() + 20
        while is_alive(pid, mark) and time.time() < deadline:
            time.sleep(0.1)
        assert not is_alive(pid, mark)
        os.close(writer)
