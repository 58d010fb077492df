from .exact import Epsilon as Epsilon
from .ledger import Partition as Partition
from .mechanisms import Guarantee as Guarantee
from .privacy import (
    ZeroConcentrated as ZeroConcentrated,
    advanced_composition as advanced_composition,
    basic_composition as basic_composition,
    gaussian_rho as gaussian_rho,
    optimal_composition as optimal_composition,
)
