"""Continual counts: a running total, published step by step under one guarantee for all steps."""
