"""RAPPOR: Bloom filters, a permanent and an instantaneous randomized response, and decoding."""
