"""Ctrl-C while the program `lieapp` loads: one error and exit code 130, as later, in place of Python's traceback.

The first file of lieapp that is loaded. Nothing is imported up here: that takes time in which Ctrl-C may come.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

EXIT_CODE = 130


def watch() -> None:
    """Answer Ctrl-C from now on, if this process is the program; as a library lieapp leaves signals alone."""
    if not is_program(sys.argv, sys.orig_argv):
        return
    try:
        import signal

        # with nohup it stays ignored
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: leave())
    except KeyboardInterrupt:
        leave()
    except ValueError:
        # not in the main thread, which alone may answer signals
        return


def is_program(arguments: list[str], typed: list[str]) -> bool:
    """Whether Python runs `lieapp` or `python -m lieapp`: `sys.argv`, and what was typed, `sys.orig_argv`."""
    first = arguments[0] if arguments else ""
    if first == "-m":
        return "-m" in typed and typed[typed.index("-m") + 1 : typed.index("-m") + 2] == ["lieapp"]
    name = first.replace("\\", "/").rpartition("/")[2]
    return name in ("lieapp", "lieapp.exe", "lieapp-script.py")


def leads() -> bool:
    """Whether this process is the only one, or the first of those that torchrun started."""
    return sys.modules["os"].environ.get("RANK", "0") == "0"


def say() -> None:
    """What `cli.main` says, without its libraries: they may be half loaded.

    Of several processes that torchrun started, the first one says it.
    """
    if not leads():
        return
    if "--json" in sys.argv:
        error = '{"error": {"type": "CancelledError", "message": "interrupted.", "hint": "Run the command again."}}'
        print(error, flush=True)
    else:
        print("error: interrupted.\nhint: Run the command again.", file=sys.stderr, flush=True)


def leave() -> "NoReturn":
    """Say it, and end at once."""
    import os

    say()
    os._exit(EXIT_CODE)
