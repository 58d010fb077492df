from .batches import Randomizer as Randomizer
from .embedded import (
    KEPT as KEPT,
    Checked as Checked,
    check as check,
    run as run,
)
from .overlap import ahead as ahead
from .persons import Kept as Kept, PersonKeys as PersonKeys, PersonRows as PersonRows
from .public_columns import PublicColumns as PublicColumns
from .spark import (
    SparkCheck as SparkCheck,
    is_spark_frame as is_spark_frame,
    open_spark as open_spark,
)
