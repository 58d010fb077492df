"""Before a release: a first plan for a table, errors to expect, and the ε that reaches one."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
