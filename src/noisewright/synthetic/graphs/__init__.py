"""Distributions over columns, as trees and as graphs, and their fit to noisy counts."""
