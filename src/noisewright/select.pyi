from .selection import (
    choice_table as choice_table,
    epsilon_for_utility as epsilon_for_utility,
    exponential as exponential,
    noisy_max as noisy_max,
    permute_and_flip as permute_and_flip,
    private_median as private_median,
    private_quantile as private_quantile,
    top_k as top_k,
    utility_bound as utility_bound,
)
