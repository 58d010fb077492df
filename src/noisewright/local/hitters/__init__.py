"""Values of open domains: prefixes, hashes, and a search that needs only counts."""
