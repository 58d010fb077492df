"""Releases: plan, data and ledger in; private file, certificate, recipe and report out."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
