"""Audits of clients that are known only by their reports: lower bounds on ε from counted draws."""
