"""lieapp finds the continuous symmetries of data and of equations, and proves what it finds."""

__version__ = "0.1.0"

from time import perf_counter as _now

STARTED = _now()
"""When this process began to load lieapp, on the clock of `time.perf_counter`; stages count from here."""
