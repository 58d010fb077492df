"""Shares of items, and of pairs of items."""
