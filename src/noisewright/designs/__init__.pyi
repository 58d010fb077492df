from .analysis.compare import Comparison as Comparison, compare as compare
from .analysis.derivable import Derivability as Derivability, is_derivable as is_derivable
from .analysis.epsilon_for import SmallestEpsilon as SmallestEpsilon, epsilon_for as epsilon_for
from .analysis.error_bound import (
    Bound as Bound,
    ErrorBound as ErrorBound,
    error_bound as error_bound,
)
from .analysis.error_report import ErrorReport as ErrorReport, error_report as error_report
from .analysis.flowchart import (
    ENDS as ENDS,
    FlowchartPath as FlowchartPath,
    flowchart_path as flowchart_path,
)
from .analysis.property_prices import (
    PropertyPrices as PropertyPrices,
    price_of_properties as price_of_properties,
)
from .design import Design as Design, design as design
from .losses.error_measures import (
    bias as bias,
    bias_by_input as bias_by_input,
    error_histogram as error_histogram,
    error_profile as error_profile,
    exact_bias_by_input as exact_bias_by_input,
    exact_error_histogram as exact_error_histogram,
    rmse as rmse,
)
from .losses.loss import Loss as Loss, exact_loss as exact_loss, loss as loss
from .losses.priors import binomial as binomial, empirical as empirical
from .programs.integers import IntegerProgram as IntegerProgram
from .property_names import WORDS as WORDS, read_properties as read_properties
