"""The program `lieapp`, and `python -m lieapp`.

No library is imported up here: they take a tenth of a second to load, and Ctrl-C has its answer by then too.
"""

import sys

from lieapp.interrupted import EXIT_CODE, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line; an interrupt at any moment ends it with 130 and one error, not with a traceback."""
    try:
        from lieapp.runs.process.signals import interruptible

        with interruptible():
            from lieapp.cli.main import run

            code = run(sys.argv[1:])
    except BaseException as error:
        if not isinstance(error, KeyboardInterrupt) and not _signalled():
            raise
        say()
        code = EXIT_CODE
    if "torch" in sys.modules:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> None:
    """End now: all files are written, and Python would take a second to take torch and SymPy apart."""
    import atexit
    import os

    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # the reader has left: Python says so at its own end
        return
    os._exit(code)


def _signalled() -> bool:
    """Whether a signal came: inside the import of a library it may come out as any other error."""
    signals = sys.modules.get("lieapp.runs.process.signals")
    return signals is not None and hasattr(signals, "delivered") and bool(signals.delivered.is_set())


def _leave_working_folder() -> None:
    """Take back the working folder that `python -m` puts before Python's own modules, unless lieapp lies there."""
    own = __file__.rpartition("lieapp")[0].rstrip("/\\")
    if not sys.flags.safe_path and (sys.path[0] != own or own in sys.path[1:]):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder()
    main()
