"""Clients in other languages: a specification, test vectors, and programs that draw the same."""
