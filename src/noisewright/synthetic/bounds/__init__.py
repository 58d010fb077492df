"""What noisy counts say about a counting query: sums of cells, or bounds where there are none."""
