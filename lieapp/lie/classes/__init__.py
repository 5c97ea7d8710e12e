"""Classification: which special parameters and functions give more symmetries (Ovsiannikov 1982, § 6)."""
