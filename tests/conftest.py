"""For all tests: what a process inherits, whoever started pytest, and the same examples on every run."""

import os
import signal

from hypothesis import settings

# pytest-xdist runs several processes; read when torch is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

# in the background of a script SIGINT is ignored, under nohup SIGHUP; programs started by tests would inherit that,
# whereas a handler ends at exec and leaves the default
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# a gate that draws other examples each time passes or fails by chance; --hypothesis-profile=default draws new ones
settings.register_profile("steady", derandomize=True)
settings.load_profile("steady")
