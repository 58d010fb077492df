from .accuracy import blr_accuracy as blr_accuracy, blr_size as blr_size
from .allowance import (
    MARGINAL as MARGINAL,
    NOISES as NOISES,
    QUERY as QUERY,
    Allowance as Allowance,
    Noise as Noise,
    Spend as Spend,
)
from .answers import Answers as Answers, WorkloadDistance as WorkloadDistance
from .balanced import variance_share as variance_share
from .bins import BINS as BINS, Bins as Bins
from .blr import Blr as Blr, blr as blr
from .by_blr import ByBlr as ByBlr
from .coded import Codes as Codes, coded_batches as coded_batches
from .drawn import Drawn as Drawn, Progress as Progress, Synthesizer as Synthesizer
from .inference import (
    INFERENCE as INFERENCE,
    Inference as Inference,
    made_by as made_by,
    require_inference as require_inference,
)
from .measured import Measurement as Measurement
from .mst import Mst as Mst
from .mwem import MOST_POINTS as MOST_POINTS, Mwem as Mwem
from .mwem_on_graph import MwemOnGraph as MwemOnGraph
from .noisy_steps import NoisySteps as NoisySteps
from .part_errors import PartError as PartError, WorkloadErrors as WorkloadErrors
from .queries import Marginal as Marginal
from .records import SyntheticRecords as SyntheticRecords
from .schedule import Schedule as Schedule, counting as counting
from .tallies import Tallies as Tallies, shape_of as shape_of, varying as varying
from .tree_model import TreeModel as TreeModel, agreeing as agreeing
from .workload import Workload as Workload
