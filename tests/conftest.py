"""For all tests: one thread for each process, as pytest-xdist runs several (set before torch is imported)."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
