"""What can be asked about a released table, and what is known about how it came about."""
