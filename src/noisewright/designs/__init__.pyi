from .compare import Comparison as Comparison, compare as compare
from .derivable import Derivability as Derivability, is_derivable as is_derivable
from .design import Design as Design, design as design
from .distributions import binomial as binomial, empirical as empirical
from .epsilon_for import SmallestEpsilon as SmallestEpsilon, epsilon_for as epsilon_for
from .error_bound import Bound as Bound, ErrorBound as ErrorBound, error_bound as error_bound
from .error_report import ErrorReport as ErrorReport, error_report as error_report
from .errors_made import (
    bias as bias,
    bias_by_input as bias_by_input,
    error_histogram as error_histogram,
    error_profile as error_profile,
    exact_bias_by_input as exact_bias_by_input,
    exact_error_histogram as exact_error_histogram,
    rmse as rmse,
)
from .loss import exact_loss as exact_loss, loss as loss
from .losses import Loss as Loss
from .names import WORDS as WORDS
from .prices import Prices as Prices, price_of_properties as price_of_properties
