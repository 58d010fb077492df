from .asked import Asked as Asked
from .channels import ResponseChannel as ResponseChannel, channel_of as channel_of
from .collection import Estimates as Estimates, shown_key as shown_key
from .counting import MOST_CELLS as MOST_CELLS, TableCounter as TableCounter
from .estimate import estimate as estimate
from .intervals import normal_quantile as normal_quantile, read_confidence as read_confidence
from .layout import Layout as Layout
from .planning import expected_error as expected_error
from .questions import (
    Question as Question,
    default_questions as default_questions,
    read_questions as read_questions,
)
from .readings import AFTER as AFTER, readings as readings, readings_of as readings_of
from .released import require_columns as require_columns
from .result import Axis as Axis, Estimate as Estimate
from .sets import coins_of as coins_of
from .several_rows import widened as widened
from .simplex import projected as projected
from .tables import answer_questions as answer_questions
from .typical import TypicalError as TypicalError, typical_error as typical_error
