"""Rows that are published in random order: how little is left to see of each of them."""
