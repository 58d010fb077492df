from .estimation import expected_error as expected_error
from .plans import Wanted as Wanted, draft_plan as draft_plan, epsilon_for as epsilon_for
from .queries import plan_together as plan_together
from .releases import (
    Method as Method,
    Output as Output,
    predict_synthesis as predict_synthesis,
)
