from .accounting import payer_for as payer_for
from .declared import Columns as Columns, Declared as Declared
from .memory import require_memory as require_memory
from .page import with_report as with_report
from .payment import Payment as Payment, paid as paid
from .reading_back import is_synthesis as is_synthesis
from .recipe import Recipe as Recipe
from .release import release as release
from .released import Release as Release
from .synthesis import Evaluation as Evaluation, Synthesis as Synthesis
from .synthesize import synthesize as synthesize
from .target import (
    CERTIFICATE as CERTIFICATE,
    RECIPE as RECIPE,
    REPORT as REPORT,
    SYNTHESIS as SYNTHESIS,
    Target as Target,
)
from .task import predict_synthesis as predict_synthesis
