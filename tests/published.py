"""The equations of `lie/public_suite.json` and `lie/corpus.json`, and what is derived of the former."""

import json
from functools import cache
from pathlib import Path

from symmetry_spaces import Symmetries

from lieapp.equations.parsing import parse_system
from lieapp.lie.stages import derive

SYMBOLIC = Path(__file__).parent / "lie"


def entries(file):
    """A suite's entries by their id."""
    return {e["id"]: e for e in json.loads((SYMBOLIC / file).read_text(encoding="utf-8"))}


SUITE = entries("public_suite.json")


def read(entry):
    """The system of an entry."""
    parameters = [f"{k}:{what}" if what else k for k, what in entry["parameters"].items()]
    functions = [f"{k}:{argument}" for k, argument in entry.get("functions", {}).items()]
    return parse_system(entry["equations"], entry["independent"], entry["dependent"], parameters, functions)


@cache
def derived(name):
    """Judge, truth, restricted to periodic x where that is published, and its space."""
    entry = SUITE[name]
    system = read(entry)
    periodic = [x for x in system.jets.independent if entry.get("periodic_x") and str(x) == "x"]
    truth, judge = derive(system, periodic), Symmetries(system)
    return judge, truth, judge.derived(truth)
