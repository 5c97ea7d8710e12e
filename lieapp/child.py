"""How lieapp starts a process of its own: none imports from the working folder, whatever its files are called.

As a script, `python -P child.py MODULE …`, it is `python -m MODULE …` with the same lieapp as the one that asked.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def child_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs a module with these arguments in a process of its own."""
    # -P leaves the working folder out of sys.path; what PYTHONPATH names stays
    return [sys.executable, "-P", __file__, module, *arguments]


def _run() -> None:
    # lieapp needn't be installed, and its neighbours are none of ours
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import lieapp  # noqa: F401

    del sys.path[0]
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _run()
