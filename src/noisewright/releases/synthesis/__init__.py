"""A synthetic table: what was asked for, before any data, and what came of it."""
