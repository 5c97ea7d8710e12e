"""For all tests: what a process inherits, whoever started pytest, the same examples, and annotations checked."""

import functools
import inspect
import os
import signal
from collections import Counter

import jaxtyping
import pytest
from hypothesis import settings

# pytest-xdist runs several processes; read when torch is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

# in the background of a script SIGINT is ignored, under nohup SIGHUP; programs started by tests would inherit that,
# whereas a handler ends at exec and leaves the default
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# a gate that draws other examples each time, or counts seconds beside other work, passes or fails by chance;
# --hypothesis-profile=default draws new ones
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

ROOMS = ("augment", "compare", "data", "domains", "methods", "numerics", "pde", "pictures", "functions")
CHECKED = [f"lieapp.{room}" for room in ROOMS]
"""The rooms that know tensors: the shapes and types that they state are checked."""

CALLS = 20
"""Of each function, in each test, are checked; the thousandth step of a simulation says what the first ones did."""

every_call, called = jaxtyping.jaxtyped, Counter()


def first_calls(function=None, *, typechecker):
    """In place of the decorator that jaxtyping's import hook writes before each function and class."""
    if function is None:
        return functools.partial(first_calls, typechecker=typechecker)
    checked = every_call(function, typechecker=typechecker)
    if not inspect.isfunction(function):
        return checked

    @functools.wraps(function)
    def call(*args, **kwargs):
        __tracebackhide__ = True
        called[function] += 1
        return (checked if called[function] <= CALLS else function)(*args, **kwargs)

    return call


# before anything of lieapp is imported; a whole number may stand for a float
jaxtyping.jaxtyped = first_calls
jaxtyping.install_import_hook(CHECKED, "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")


@pytest.fixture(autouse=True)
def _each_test_is_checked():
    called.clear()


@pytest.fixture
def unchecked():
    """Annotations aren't checked: for what a function says itself of arguments that don't fit them."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def checked():
    """The rooms whose annotations are checked."""
    return CHECKED
