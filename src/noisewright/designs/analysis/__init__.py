"""Questions about mechanisms and designs: how good, how far from the best, at what price."""
