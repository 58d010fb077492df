"""Charts of mechanisms and of what they cost (`charts`), and pages: that of a release (`release`)
and that of a synthetic table (`synthesis`), by `templates`, with `drawings` of their own.

Altair is loaded when a chart is drawn and Jinja2 when a page is made; without them each function
says how to install them.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
