"""Shapes and types that annotations state are checked in the rooms that know tensors."""

import ast
import importlib
import inspect
import pkgutil
import re
import typing
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from jaxtyping import TypeCheckError

from lieapp.domains.formulas import FixedFields
from lieapp.domains.spread import EveryComponent, of_all
from lieapp.numerics.grid import Axis


def test_a_wrong_argument_is_told():
    assert of_all(torch.eye(2), 3).shape == (6, 6)
    with pytest.raises(TypeCheckError, match=r"parameters of lieapp\.domains\.spread\.of_all"):
        of_all(torch.ones(2, 3), 3)
    with pytest.raises(TypeCheckError, match=r"parameters of lieapp\.domains\.spread\.of_all"):
        of_all(torch.eye(2, dtype=torch.long), 3)
    with pytest.raises(TypeCheckError, match=r"parameters of lieapp\.domains\.spread\.EveryComponent"):
        EveryComponent(torch.sin, 3)
    assert Axis("x", 0, 2, 5).length == 2
    with pytest.raises(TypeCheckError, match=r"parameters of lieapp\.numerics\.grid\.Axis\.__init__"):
        Axis("x", 0, 2, 5.0)


def test_a_wrong_result_is_told():
    points = torch.rand(5, 3, 4)
    found, _ = FixedFields(lambda z: torch.stack([z, 2 * z])).jvp(points, points)
    assert found.shape == (2, 5, 3, 4)
    with pytest.raises(TypeCheckError, match=r"return value of lieapp\.domains\.formulas\.FixedFields\.jvp"):
        FixedFields(lambda z: z).jvp(points, points)


@pytest.mark.parametrize("test", ["one", "another"])
def test_the_first_calls_of_each_test_are_checked(test):
    for _ in range(20):
        with pytest.raises(TypeCheckError):
            of_all(torch.ones(2, 3), 3)
    assert of_all(torch.ones(2, 3), 3).shape == (6, 9)


@pytest.mark.usefixtures("unchecked")
def test_a_test_may_do_without():
    assert of_all(torch.ones(2, 3), 3).shape == (6, 9)


@cache
def places(file):
    """The lines where a module's own names are made."""
    found = {}
    for node in ast.parse(Path(file).read_text()).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = node.lineno
        elif isinstance(node, ast.Assign):
            found |= {target.id: node.lineno for target in node.targets if isinstance(target, ast.Name)}
    return found


def annotated(module):
    """All classes, functions and methods in a module's source: what is annotated, its line, whether it checks."""
    for thing in vars(module).values():
        own = inspect.isclass(thing) and thing.__module__ == module.__name__
        if own:
            yield thing, places(module.__file__)[thing.__name__], not is_dataclass(thing) or wraps(thing.__init__)
        for member in vars(thing).values() if own else [thing]:
            for name in ("fget", "func", "__func__"):
                member = getattr(member, name, member)
            plain = inspect.unwrap(member) if callable(member) else member
            if inspect.isfunction(plain) and plain.__code__.co_filename == module.__file__:
                yield plain, plain.__code__.co_firstlineno, wraps(member)


def wraps(function):
    return hasattr(function, "__wrapped__")


def test_no_annotation_is_passed_over(checked):
    """One that can't be read is: a name not imported or made further down, or two parts of a shape that vary."""
    count = 0
    for room in checked:
        for found in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            module = importlib.import_module(found.name)
            if hasattr(module, "TYPE_CHECKING"):
                continue  # loaded before torch is: it computes nothing, and its types are for readers and mypy
            for thing, line, checks in annotated(module):
                count += 1
                typing.get_type_hints(thing)
                assert checks or not thing.__annotations__, thing
                words = set(re.findall(r"\w+", " ".join(map(str, thing.__annotations__.values()))))
                below = [name for name, there in places(module.__file__).items() if name in words and there > line]
                assert not below, (thing, below)
    assert count > 800
