from .synthetic import (
    Workload as Workload,
    blr as blr,
    blr_accuracy as blr_accuracy,
    blr_size as blr_size,
)
