from .arrow_names import (
    ArrowField as ArrowField,
    ArrowSchema as ArrowSchema,
    ArrowTable as ArrowTable,
    RecordBatch as RecordBatch,
)
from .cell_types import (
    is_label_type as is_label_type,
    is_list as is_list,
    is_number as is_number,
    is_temporal as is_temporal,
    is_text as is_text,
    plain_array as plain_array,
)
from .cells import (
    BadCellError as BadCellError,
    Cells as Cells,
    code_type as code_type,
    refused as refused,
)
from .files.csv_layout import (
    CSV as CSV,
    CsvLayout as CsvLayout,
    as_csv as as_csv,
    require_names as require_names,
)
from .files.faults import (
    arrow as arrow,
    attempt as attempt,
    guarded as guarded,
    unwritable as unwritable,
)
from .files.formats import (
    Sink as Sink,
    is_text_format as is_text_format,
    open_sink as open_sink,
    require_format as require_format,
)
from .files.frames import frame_table as frame_table, plain_columns as plain_columns
from .files.header import labels_of as labels_of, require_header as require_header
from .files.parquet_files import folder_files as folder_files
from .files.reading import PARQUET as PARQUET, read_table as read_table
from .files.table_reader import (
    BATCH as BATCH,
    TableReader as TableReader,
    plain_schema as plain_schema,
)
from .files.writing import (
    MemoryWriter as MemoryWriter,
    TableWriter as TableWriter,
    open_writer as open_writer,
)
from .plain_cells import (
    double as double,
    is_missing as is_missing,
    listed as listed,
    number_of as number_of,
)
