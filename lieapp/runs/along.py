"""A run on several processes of torchrun: the first one leads, the others get its settings and train along."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from lieapp.errors import LostProcessError, UsageError, describe
from lieapp.extension import Work
from lieapp.numerics.processor import find_device
from lieapp.numerics.torchrun import (
    Launch,
    has_spoken,
    lacking,
    launch,
    others,
    say_here,
    say_spoken,
    say_why,
    why,
)
from lieapp.progress import Reporter, SilentReporter
from lieapp.registry.catalog import Catalog, load_catalog
from lieapp.runs.process.signals import delivered, interrupted
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.reporter import RunReporter
from lieapp.runs.store.session import Session
from lieapp.runs.store.status import host, is_alive, own_mark

GRACE = 5.0
"""Seconds that a process with an error waits, in which the first one, if it has the same error, says so itself."""


_led: list[Launch] = []
"""Filled once the other processes have got their settings."""


class Process(msgspec.Struct):
    """Which process it is, see `runs.store.status`."""

    host: str
    pid: int
    mark: str

    @classmethod
    def own(cls) -> Process:
        """This one."""
        return cls(host(), os.getpid(), own_mark())

    def has_died(self) -> bool:
        """Whether it is gone, as far as that can be seen on this machine."""
        return self.host == host() and not is_alive(self.pid, self.mark)


class Order(msgspec.Struct):
    """What the first process tells the others, as JSON.

    Args:
        config: its settings; `folders`: where plugins are; `run`: the path of the run.
        process: which one it is.
    """

    config: dict[str, Any]
    folders: list[str]
    run: str
    process: Process


def check_spread(config: Any, catalog: Catalog, work: Work) -> None:
    """Raises UsageError where torchrun started several processes for what runs on one, DeviceError without GPUs.

    Raises ConfigError for a batch that hasn't a piece for each of them.
    """
    place = launch()
    if place is None:
        return
    device = str(getattr(config, "device", "cpu"))
    if ":" in device:
        raise UsageError(
            f"device {device}: each of the {place.size} processes of torchrun has a GPU of its own.",
            hint="Use --device cuda, or choose GPUs by CUDA_VISIBLE_DEVICES.",
        )
    find_device(device)
    methods = [catalog.methods[name].item for name in getattr(config, "plan", ())]
    single = [f"the method {method.name}" for method in methods if not method.spreads]
    reason = f"`lieapp {work.command}` of {config.plugin}" if work.follow is None else work.unspread(config)
    for what in (reason, *single):
        if what:
            raise UsageError(
                f"{what} runs on one process; torchrun started {place.size}.", hint="Start it without torchrun."
            )
    for name, batch in work.batches(config).items():
        if batch < place.size:
            raise lacking(name, batch, place.size)


@contextlib.contextmanager
def leading(run: RunDirectory, config: Any, catalog: Catalog, report: Reporter) -> Iterator[None]:
    """Work on a run together with the processes that `follow`; by oneself if there are none.

    Raises LostProcessError if one of them ends, which torchrun answers with SIGTERM.
    """
    place = launch()
    if place is None:
        yield
        return
    from lieapp.numerics import ranks

    try:
        with ranks.together(place):
            folders = [str(folder) for folder in catalog.folders]
            order = Order(_ordered(config), folders, str(run.path), Process.own())
            ranks.agreed(msgspec.json.encode(order))
            _led.append(place)
            yield
    except BaseException as error:
        say_spoken(place)
        resume = f"Start all again with --resume {run.path}."
        if isinstance(error, LostProcessError):
            raise LostProcessError(error.message, hint=error.hint.replace(ranks.AGAIN, resume)) from None
        told = why(place) or _killed(place) if isinstance(error, KeyboardInterrupt) else None
        if told is None:
            raise
        # nobody asked this process to stop
        delivered.clear()
        raise LostProcessError(told[0], hint=f"{told[1]} {resume}".strip()) from None


def _killed(place: Launch) -> tuple[str, str] | None:
    """Message and hint where torchrun interrupts this process because another one is gone; None if none is."""
    gone = any(msgspec.json.decode(told, type=Process).has_died() for told in others(place))
    return (f"one of the {place.size} processes of torchrun ended.", "") if gone else None


def _ordered(config: Any) -> dict[str, Any]:
    """The settings with the kind of device that this process found: with another one, all would wait for ever."""
    told: dict[str, Any] = msgspec.to_builtins(config)
    if told.get("device") == "auto":
        told["device"] = find_device("auto").partition(":")[0]
    return told


def dismiss(place: Launch) -> None:
    """Let the others end where the first process had nothing to train, as for --help or a run that is done."""
    if _led:
        return
    from lieapp.numerics import ranks

    with ranks.together(place):
        ranks.agreed(b"")


def follow(place: Launch) -> int:
    """Train along with the first process, in silence; the exit code. An error is the first process's to print.

    Raises LostProcessError, in the second process alone, if the first one ended without a word.
    """
    orders: list[Order] = []
    try:
        _follow(place, orders)
    except (LostProcessError, KeyboardInterrupt):
        _speak_for_the_first(place, orders)
        return 1
    except Exception as error:
        if interrupted():
            _speak_for_the_first(place, orders)
            return 1
        told = describe(error)
        say_why(place, told["message"], told["hint"])
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(GRACE)
        return 1
    return 0


def _speak_for_the_first(place: Launch, orders: list[Order]) -> None:
    if place.rank != 1 or not orders or not orders[0].process.has_died() or has_spoken(place):
        return
    # torchrun asked this process to stop because the first one had ended
    delivered.clear()
    raise LostProcessError(
        f"the first of the {place.size} processes of torchrun ended without a word; the system may have lacked "
        "memory.", hint=f"Start all again with --resume {orders[0].run}.",
    )  # fmt: skip


@contextlib.contextmanager
def _told_of(place: Launch) -> Iterator[None]:
    """Say which process this is for the time of a block: one that is gone within it was killed."""
    say_here(place, msgspec.json.encode(Process.own()).decode())
    try:
        yield
    finally:
        say_here(place, "")


def _follow(place: Launch, orders: list[Order]) -> None:
    from lieapp.numerics import ranks

    with _told_of(place), ranks.together(place), tempfile.TemporaryDirectory(prefix="lieapp-") as folder:
        content = ranks.agreed(b"")
        if not content:
            return
        order = msgspec.json.decode(content, type=Order)
        orders.append(order)
        catalog = load_catalog([Path(name) for name in order.folders])
        work = catalog.work_of_run(order.config)
        assert work is not None and work.follow is not None  # the first process has checked that
        config: Any = msgspec.convert(order.config, catalog.settings(work))
        run = RunDirectory.create(Path(folder), config, config.plugin)
        methods = {name: known.item for name, known in catalog.methods.items()}
        session = Session(run, RunReporter(SilentReporter(), run), config, catalog.folders, methods)
        work.follow(config, catalog.get(config.plugin).declaration, session)
