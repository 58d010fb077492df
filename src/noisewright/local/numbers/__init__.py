"""Numbers on a declared grid: their mean, and their whole distribution."""
