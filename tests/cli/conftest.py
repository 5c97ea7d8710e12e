"""A command line to call, in a working folder of its own, with stand-ins for the engine."""

import json
import sys
import types
from dataclasses import dataclass

import msgspec
import pytest
from small_pictures import write_halves

from lieapp.cli.main import run
from lieapp.document import Formula
from lieapp.pde import derivation
from lieapp.results.discovery import DerivedField, EquationResult, Slot, Subspace


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error(self):
        """The error object of --json."""
        return self.json["error"]


@pytest.fixture
def lieapp(tmp_path, monkeypatch, capsys, pytestconfig):
    """Run one command line in an empty working folder, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIEAPP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LIEAPP_PLUGINS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))

    def call(*arguments: str) -> Said:
        capsys.readouterr()
        code = run(arguments)
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return call


@pytest.fixture
def here(monkeypatch):
    """Derivations work in this process, not in a child, which takes a second to start."""

    def ask(module, request, config, kind, watch=None):
        derivation.check_request(config)
        answer = derivation.answered(derivation.derive_encoded, msgspec.json.encode(request))
        return derivation._read(answer, 0, kind)

    monkeypatch.setattr(derivation, "ask_child", ask)


@pytest.fixture
def place(tmp_path):
    """80 small pictures, by the name of their file."""
    write_halves(tmp_path, 80)
    return "set.npz"


@pytest.fixture
def engine(monkeypatch):
    """Put a function in the place of one of the engine's."""

    def put(module: str, **functions) -> None:
        fake = types.ModuleType(module)
        for name, function in functions.items():
            setattr(fake, name, function)
        monkeypatch.setitem(sys.modules, module, fake)

    return put


@pytest.fixture
def discovery(engine):
    """`lieapp discover` with an engine that answers at once; calls are listed."""
    calls = []

    def execute(config, declaration, session):
        session.report.stage("data")
        run = session.directory
        calls.append((config, run))
        field = {"t": "0", "x": "1", "u": "0"}
        shown = Formula("∂x", r"\partial_{x}")
        return EquationResult(
            run=run.id,
            plugin=config.plugin,
            method=config.method,
            seconds={"total": 0.1},
            count=1,
            generators=[Slot(slot=1, eta=3e-6, verdict="exact")],
            truth=[DerivedField(name="space translation", field=field, cosine=0.999, shown=shown)],
            subspace=Subspace(angle=0.002),
        )

    engine("lieapp.pde.discover", execute=execute)
    return calls
