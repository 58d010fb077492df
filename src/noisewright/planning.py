"""Before any data: errors to expect, and the ε that reaches a given one."""

from noisewright.on_use import load_on_use

load_on_use(__name__)
