"""Dual values that prove a lower bound on every mechanism's loss, or that none exists."""
