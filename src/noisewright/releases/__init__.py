"""The door: plan, data and ledger in; private file, certificate, recipe and report out."""

from noisewright.releases.recipe import Recipe
from noisewright.releases.release import release
from noisewright.releases.released import Release

__all__ = ["Recipe", "Release", "release"]
