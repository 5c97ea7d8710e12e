"""Symmetries that move parameters, dimensionless groups, and what outputs determine."""
