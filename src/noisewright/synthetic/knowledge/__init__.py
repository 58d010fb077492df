"""What is public about a table before it is counted: impossible rows, a starting table, totals."""
