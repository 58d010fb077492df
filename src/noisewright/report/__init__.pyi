from .charts.curve_bands import curve_bands as curve_bands
from .charts.error_charts import error_histogram as error_histogram, tail_profile as tail_profile
from .charts.estimate_charts import estimate_chart as estimate_chart, side_by_side as side_by_side
from .charts.heatmaps import (
    heatmap as heatmap,
    heatmaps as heatmaps,
    require_visible as require_visible,
)
from .charts.library import require_format as require_format, save_chart as save_chart
from .charts.loss_curves import loss_curves as loss_curves
from .charts.privacy_curves import privacy_curve as privacy_curve
from .release.facts import ReleaseFacts as ReleaseFacts, ReleaseFile as ReleaseFile
from .release.page import release_page as release_page
from .rendering import Advance as Advance
from .synthesis.facts import (
    SynthesisFacts as SynthesisFacts,
    compare_counts as compare_counts,
)
from .synthesis.page import synthesis_page as synthesis_page
