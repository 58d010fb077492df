"""Means, variances, histograms and quantiles of numbers, and mean curves."""
