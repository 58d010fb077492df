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
from .public_groups import too_small as too_small
from .spark.session import is_spark_frame as is_spark_frame
from .spark.table import SparkCheck as SparkCheck, open_spark as open_spark
