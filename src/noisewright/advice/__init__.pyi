from .advise import advise as advise, count_rows as count_rows
from .better_tool import better_tool as better_tool
from .knots import Knot as Knot, PreviewTask as PreviewTask
from .preview import (
    Glimpse as Glimpse,
    Preview as Preview,
    plain_knots as plain_knots,
    read_preview as read_preview,
)
from .result import TOOLS as TOOLS, Advice as Advice
