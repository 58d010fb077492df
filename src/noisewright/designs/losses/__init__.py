"""What errors cost: losses as matrices of exact numbers, priors, and how far off outputs land."""
