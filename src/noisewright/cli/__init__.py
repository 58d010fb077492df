"""The command line: one file per verb."""

from noisewright.cli.app import main

__all__ = ["main"]
