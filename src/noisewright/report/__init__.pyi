from .curve_charts import curve_bands as curve_bands
from .error_charts import error_histogram as error_histogram, tail_profile as tail_profile
from .estimate_charts import estimate_chart as estimate_chart, side_by_side as side_by_side
from .facts import ReleaseFacts as ReleaseFacts, ReleaseFile as ReleaseFile
from .heatmaps import heatmap as heatmap, heatmaps as heatmaps, require_visible as require_visible
from .loss_curves import loss_curves as loss_curves
from .privacy_curves import privacy_curve as privacy_curve
from .release_page import release_page as release_page
from .saving import require_format as require_format, save_chart as save_chart
from .synthesis_facts import (
    Counted as Counted,
    SynthesisFacts as SynthesisFacts,
    counted_facts as counted_facts,
)
from .synthesis_page import synthesis_page as synthesis_page
