from .batches import Randomizer as Randomizer
from .csv_files import require_names as require_names
from .embedded import (
    KEPT as KEPT,
    Checked as Checked,
    Progress as Progress,
    check as check,
    run as run,
)
from .faults import arrow as arrow
from .formats import is_text as is_text, require_format as require_format
from .frames import frame_table as frame_table, plain_columns as plain_columns
from .outputs import outputs_for as outputs_for
from .overlap import ahead as ahead
from .persons import Kept as Kept, PersonKeys as PersonKeys, PersonRows as PersonRows
from .public_columns import PublicColumns as PublicColumns
from .reading import open_table as open_table
from .spark import (
    SparkCheck as SparkCheck,
    is_spark_frame as is_spark_frame,
    open_spark as open_spark,
)
from .table_reader import TableReader as TableReader
from .writing import MemoryWriter as MemoryWriter, open_writer as open_writer
