from .answer import Answer as Answer
from .condition_cells import condition_cells as condition_cells
from .continual.continual_count import (
    ContinualCount as ContinualCount,
    PublishedStep as PublishedStep,
)
from .expressions import (
    Aggregate as Aggregate,
    Expression as Expression,
    col as col,
    count as count,
    count_people as count_people,
    when as when,
)
from .groups.group_designs import GroupDesigns as GroupDesigns, design_groups as design_groups
from .groups.group_question import GroupAnswer as GroupAnswer, GroupQuestion as GroupQuestion
from .groups.size_design import SizeDesign as SizeDesign, SizePrediction as SizePrediction
from .prediction import Prediction as Prediction
from .private import Private as Private
from .public_table import Public as Public
from .question import GroupBy as GroupBy, Question as Question
from .sql_in import condition_from_sql as condition_from_sql
from .together.ask import JointAnswers as JointAnswers, ask as ask
from .together.joint_plan import JointPlan as JointPlan, plan_together as plan_together
from .unknown_keys.key_coins import KeyCoins as KeyCoins
from .unknown_keys.key_selection import (
    KeySelection as KeySelection,
    UnknownKeys as UnknownKeys,
    keys as keys,
    select_keys as select_keys,
)
