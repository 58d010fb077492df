from .bins import BINS as BINS, Bins as Bins
from .bounds.query_bounds import QueryBound as QueryBound, bound_query as bound_query
from .bounds.question import ClassedQuery as ClassedQuery
from .by_blr.accuracy import blr_accuracy as blr_accuracy, blr_size as blr_size
from .by_blr.blr import Blr as Blr, blr as blr
from .by_blr.blr_synthesizer import ByBlr as ByBlr
from .by_blr.multisets import SyntheticRecords as SyntheticRecords
from .by_mst.mst import Mst as Mst
from .by_mwem.mwem import MOST_POINTS as MOST_POINTS, Mwem as Mwem
from .by_mwem.mwem_on_graph import MwemOnGraph as MwemOnGraph
from .by_points.by_points import ByPoints as ByPoints
from .by_points.several_tables import refit_rows as refit_rows
from .clique_synthesizer import CliqueSynthesizer as CliqueSynthesizer
from .expected_fit import ExpectedFit as ExpectedFit
from .graphs.graph_fit import (
    INFERENCE as INFERENCE,
    Inference as Inference,
    describe_method as describe_method,
    require_inference as require_inference,
)
from .graphs.tree_model import TreeModel as TreeModel, fit_margins as fit_margins
from .knowledge.knowledge import PublicKnowledge as PublicKnowledge
from .knowledge.prior import Prior as Prior
from .knowledge.totals import Totals as Totals
from .knowledge.zeros import Zeros as Zeros
from .split.item_columns import ItemColumns as ItemColumns
from .split.split_columns import (
    MOST_ITEMS as MOST_ITEMS,
    SplitColumns as SplitColumns,
    fields_of as fields_of,
)
from .steps.balanced_law import BalancedLaw as BalancedLaw, variance_share as variance_share
from .steps.decided_in_run import (
    Decider as Decider,
    counts_with_most_linked as counts_with_most_linked,
    deciders as deciders,
    is_decided_so as is_decided_so,
)
from .steps.joined_bins import JoinedBins as JoinedBins
from .steps.measurement import (
    FARTHEST as FARTHEST,
    Measurement as Measurement,
    ModelDistance as ModelDistance,
    number_counts as number_counts,
)
from .steps.noise import MARGINAL as MARGINAL, NOISES as NOISES, QUERY as QUERY, Noise as Noise
from .steps.noisy_steps import Drawn as Drawn, NoisySteps as NoisySteps
from .steps.run_budget import RunBudget as RunBudget, Spend as Spend
from .steps.schedule import (
    DISTANCE as DISTANCE,
    Schedule as Schedule,
    counting as counting,
    distance_name as distance_name,
)
from .synthesizer import Synthesizer as Synthesizer
from .tables_in_databases import TableInDatabase as TableInDatabase
from .tallies import (
    Answers as Answers,
    Tallies as Tallies,
    WorkloadDistance as WorkloadDistance,
    shape_of as shape_of,
    varying as varying,
)
from .workload_errors import PartError as PartError, WorkloadErrors as WorkloadErrors
from .workloads.counting_queries import (
    Conjunction as Conjunction,
    Marginal as Marginal,
    Queries as Queries,
)
from .workloads.workload import Workload as Workload
