"""Tallies as SQL: one tree for every dialect, and the engines that run it where the table is."""
