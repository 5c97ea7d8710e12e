"""How lieapp starts a process of its own: none imports from the working folder, whatever its files are called.

As a script, `python -P child.py MODULE …`, it is `python -m MODULE …` with the same lieapp as the one that asked.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
import time
from pathlib import Path


def child_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs a module with these arguments in a process of its own."""
    # -P leaves the working folder out of sys.path; what PYTHONPATH names stays
    return [sys.executable, "-P", __file__, module, *arguments]


def leave_with_parent() -> None:
    """From now on this process ends once the one that started it is gone: nobody waits for its answer any more."""
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _run() -> None:
    # lieapp needn't be installed, and its neighbours are none of ours
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import lieapp  # noqa: F401

    del sys.path[0]
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _run()
