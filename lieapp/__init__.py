"""lieapp finds the continuous symmetries of data and of equations, and proves what it finds.

Exports are loaded on first use: `import lieapp` loads neither torch nor SymPy.
"""

from lieapp.interrupted import watch as _watch

# before all else: Ctrl-C may come now
_watch()

from time import perf_counter as _now  # noqa: E402

__version__ = "0.1.0"

STARTED = _now()
"""When this process began to load lieapp, on the clock of `time.perf_counter`; stages count from here."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lieapp.api import PDE, Colors, Images, SumOfSines, classify, conservation_laws, holds, hookimpl, symmetries
    from lieapp.calls import Run, discover, open_run, simulate
    from lieapp.functions import Function
    from lieapp.given_data import identify

_FROM = {
    "lieapp.api": (
        *("PDE", "Colors", "Images", "SumOfSines"),
        *("classify", "conservation_laws", "holds", "hookimpl", "symmetries"),
    ),
    "lieapp.calls": ("Run", "discover", "open_run", "simulate"),
    "lieapp.given_data": ("identify",),
    "lieapp.functions": ("Function",),
}

__all__ = [
    "PDE", "Colors", "Function", "Images", "Run", "SumOfSines", "classify", "conservation_laws", "discover",
    "holds", "hookimpl", "identify", "open_run", "simulate", "symmetries",
]  # fmt: skip


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _FROM.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'lieapp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
