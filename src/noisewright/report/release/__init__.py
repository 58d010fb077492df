"""The page of a release: what was promised, what happened to each column, what can be concluded."""
