from .comparison import IMPOSSIBLE as IMPOSSIBLE, expected_synthesis as expected_synthesis
from .files.answer_files import answer_files as answer_files
from .files.recipe import Recipe as Recipe
from .files.staging import staging_beside as staging_beside
from .files.target import (
    CERTIFICATE as CERTIFICATE,
    COUNTS as COUNTS,
    RECIPE as RECIPE,
    REPORT as REPORT,
    SYNTHESIS as SYNTHESIS,
    TargetFiles as TargetFiles,
)
from .linked import (
    LinkedSynthesis as LinkedSynthesis,
    synthesize_linked as synthesize_linked,
)
from .output import Output as Output
from .page import with_report as with_report
from .plain_results import (
    plain_answer as plain_answer,
    plain_cost as plain_cost,
    plain_result as plain_result,
)
from .release import release as release
from .released import Release as Release
from .synthesis.declared import Columns as Columns, Declared as Declared
from .synthesis.memory import require_memory as require_memory
from .synthesis.method import Method as Method
from .synthesis.reading_back import is_synthesis as is_synthesis
from .synthesis.result import (
    Evaluation as Evaluation,
    Synthesis as Synthesis,
    plain_errors as plain_errors,
)
from .synthesis.several import (
    SyntheticTables as SyntheticTables,
    names_of_tables as names_of_tables,
)
from .synthesis.task import SynthesisTask as SynthesisTask, predict_synthesis as predict_synthesis
from .synthesize import synthesize as synthesize
