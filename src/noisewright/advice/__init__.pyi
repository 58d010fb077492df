from .advise import Declaration as Declaration, advise as advise, count_rows as count_rows
from .better_tool import better_tool as better_tool
from .knots import Knot as Knot, PreviewTask as PreviewTask
from .preview import Glimpse as Glimpse, Preview as Preview
from .result import (
    TOOLS as TOOLS,
    Advice as Advice,
    difference_rows as difference_rows,
    error_rows as error_rows,
)
