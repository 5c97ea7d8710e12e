"""The equation of data alone: candidates in weak form, backward elimination on held-out windows."""
