"""Charts of mechanisms and of what they cost, and the page of a release.

Altair is loaded when a chart is drawn; without it each function says how to install it.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
