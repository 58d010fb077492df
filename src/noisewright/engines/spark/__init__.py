"""Spark: the same plan on a cluster, with each row drawn exactly once whatever is retried."""
