"""Shares of categories and of joint tables."""
