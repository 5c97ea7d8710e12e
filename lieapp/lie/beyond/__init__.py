"""Beyond point symmetries: generalised and contact symmetries, and conservation laws."""
