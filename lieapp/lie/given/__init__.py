"""Whether a given field is a symmetry, and for which values of its unknown constants and functions."""
