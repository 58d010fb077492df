"""Mechanisms as linear maps between shares, and the maps back."""
