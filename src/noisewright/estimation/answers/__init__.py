"""Each kind of question about a released table, answered from one pass over it."""
