from .answers.answer_questions import answer_questions as answer_questions
from .channels.channel import ResponseChannel as ResponseChannel, channel_of as channel_of
from .collection import Estimates as Estimates, shown_key as shown_key
from .counts.table_counter import MOST_CELLS as MOST_CELLS, TableCounter as TableCounter
from .estimate import estimate as estimate
from .expected_error import expected_error as expected_error, widen_for_rows as widen_for_rows
from .intervals.intervals import (
    Sample as Sample,
    mean_interval as mean_interval,
    normal_quantile as normal_quantile,
    read_about as read_about,
    read_confidence as read_confidence,
)
from .intervals.spread import Spread as Spread, project_to_simplex as project_to_simplex
from .pooling import pool_estimates as pool_estimates
from .questions.asked import Asked as Asked, axis_of as axis_of
from .questions.questions import (
    ReleasedQuestion as ReleasedQuestion,
    default_questions as default_questions,
    read_questions as read_questions,
)
from .questions.readings import AFTER as AFTER, readings as readings, readings_of as readings_of
from .questions.table_layout import LayoutPart as LayoutPart, TableLayout as TableLayout
from .result import Axis as Axis, Estimate as Estimate
from .sets.item_shares import coins_of as coins_of
from .typical_error import (
    TypicalError as TypicalError,
    typical_error as typical_error,
    typical_median_error as typical_median_error,
)
