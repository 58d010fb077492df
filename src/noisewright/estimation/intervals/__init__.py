"""From what one row contributes to standard errors and intervals."""
