"""Charts of mechanisms and of what they cost, and the page of a release.

Altair is loaded when a chart is drawn; without it each function says how to install it.
"""

from noisewright.report.curve_charts import curve_bands
from noisewright.report.error_charts import error_histogram, tail_profile
from noisewright.report.estimate_charts import estimate_chart, side_by_side
from noisewright.report.facts import ReleaseFacts, ReleaseFile
from noisewright.report.heatmaps import heatmap, heatmaps, require_visible
from noisewright.report.loss_curves import loss_curves
from noisewright.report.privacy_curves import privacy_curve
from noisewright.report.release_page import release_page
from noisewright.report.saving import require_format, save_chart
from noisewright.report.synthesis_facts import Counted, SynthesisFacts, counted_facts
from noisewright.report.synthesis_page import synthesis_page

__all__ = [
    "Counted",
    "ReleaseFacts",
    "ReleaseFile",
    "SynthesisFacts",
    "counted_facts",
    "curve_bands",
    "error_histogram",
    "estimate_chart",
    "heatmap",
    "heatmaps",
    "loss_curves",
    "privacy_curve",
    "release_page",
    "require_format",
    "require_visible",
    "save_chart",
    "side_by_side",
    "synthesis_page",
    "tail_profile",
]
