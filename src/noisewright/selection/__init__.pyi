from .choice_job import (
    EXPONENTIAL as EXPONENTIAL,
    PrivateChoice as PrivateChoice,
    QualitySensitivity as QualitySensitivity,
    Step as Step,
    certify_choice as certify_choice,
    rational_below as rational_below,
)
from .choice_table import choice_table as choice_table
from .exponential import exponential as exponential
from .noisy_max import noisy_max as noisy_max
from .one_dataset import Selection as Selection
from .permute_and_flip import permute_and_flip as permute_and_flip
from .quantiles import (
    PrivateQuantile as PrivateQuantile,
    private_median as private_median,
    private_quantile as private_quantile,
)
from .top_k import TopK as TopK, top_k as top_k
from .utility import epsilon_for_utility as epsilon_for_utility, utility_bound as utility_bound
