"""lieapp finds the continuous symmetries of data and of equations, and proves what it finds."""

__version__ = "0.1.0"
