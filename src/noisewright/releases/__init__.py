"""The door: plan, data and ledger in; private file, certificate, recipe and report out."""

from noisewright.releases.recipe import Recipe
from noisewright.releases.release import release
from noisewright.releases.released import Release
from noisewright.releases.synthesis import Evaluation, Synthesis
from noisewright.releases.synthesize import synthesize
from noisewright.releases.task import predict_synthesis

__all__ = [
    "Evaluation",
    "Recipe",
    "Release",
    "Synthesis",
    "predict_synthesis",
    "release",
    "synthesize",
]
