"""Workloads of counting queries, and synthetic tables that answer them."""

from noisewright.synthetic.accuracy import blr_accuracy, blr_size
from noisewright.synthetic.allowance import Spend
from noisewright.synthetic.answers import Answers, WorkloadDistance
from noisewright.synthetic.blr import Blr, blr
from noisewright.synthetic.measured import Measurement
from noisewright.synthetic.part_errors import PartError, WorkloadErrors
from noisewright.synthetic.records import SyntheticRecords
from noisewright.synthetic.workload import Workload

__all__ = [
    "Answers",
    "Blr",
    "Measurement",
    "PartError",
    "Spend",
    "SyntheticRecords",
    "Workload",
    "WorkloadDistance",
    "WorkloadErrors",
    "blr",
    "blr_accuracy",
    "blr_size",
]
