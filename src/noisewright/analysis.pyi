from .designs import (
    bias as bias,
    bias_by_input as bias_by_input,
    compare as compare,
    error_bound as error_bound,
    error_histogram as error_histogram,
    error_profile as error_profile,
    error_report as error_report,
    is_derivable as is_derivable,
    price_of_properties as price_of_properties,
    rmse as rmse,
)
from .estimation import pool_estimates as pool_estimates
from .mechanisms import (
    laplace_scale as laplace_scale,
    marginal as marginal,
    response_bounds as response_bounds,
)
from .privacy import (
    OutputPerturbation as OutputPerturbation,
    SanitizedResponse as SanitizedResponse,
)
