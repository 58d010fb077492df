"""Mechanisms for sets of items, by coins or by flips, without a table."""
