"""Certificates: files that let anyone prove a guarantee again without trusting us.

A certificate holds the mechanism, the neighbors, the exact claims and digests of each part. This
room writes and reads them; the room `checker` proves them with the standard library alone.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
