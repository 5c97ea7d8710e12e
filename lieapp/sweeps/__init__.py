"""Grids of runs on the processes of this machine or of a cluster; Dask is the scheduler."""
