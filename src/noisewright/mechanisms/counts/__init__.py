"""Mechanisms for counts 0..n: geometric (GM), explicit fair (EM)."""
