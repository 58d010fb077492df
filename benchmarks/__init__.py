"""Speed against peers and against the machine's limit, as ratios within one run."""
