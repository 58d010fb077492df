"""Counting queries: how they are written, read, asked and answered."""
