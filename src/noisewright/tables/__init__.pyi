from .cell_types import (
    ArrowField as ArrowField,
    ArrowSchema as ArrowSchema,
    ArrowTable as ArrowTable,
    RecordBatch as RecordBatch,
    is_text as is_text,
)
from .codec import column_codes as column_codes
from .field import Field as Field
from .files.csv_layout import CSV as CSV, as_csv as as_csv
from .files.excel_files import Excel as Excel, as_excel as as_excel
from .files.formats import (
    ARROW as ARROW,
    PARQUET as PARQUET,
    Sink as Sink,
    is_text_format as is_text_format,
    open_sink as open_sink,
    require_format as require_format,
)
from .files.frames import (
    frame_table as frame_table,
    plain_columns as plain_columns,
    repeatable as repeatable,
)
from .files.header import require_header as require_header
from .files.list_texts import require_joinable as require_joinable
from .files.parquet_files import folder_files as folder_files, partition_of as partition_of
from .files.reading import (
    names_of_text as names_of_text,
    open_table as open_table,
    require_column_names as require_column_names,
    require_names as require_names,
)
from .files.table_reader import (
    BATCH as BATCH,
    TableReader as TableReader,
    arrow as arrow,
    attempt as attempt,
    guard_batches as guard_batches,
    plain_schema as plain_schema,
    unwritable as unwritable,
)
from .files.writing import (
    MemoryWriter as MemoryWriter,
    TableWriter as TableWriter,
    open_writer as open_writer,
)
from .inputs import read_inputs as read_inputs
from .item_sets import ItemSets as ItemSets, cut_sets as cut_sets, read_sets as read_sets
from .outputs import (
    CurveOutputs as CurveOutputs,
    Outputs as Outputs,
    codes_of as codes_of,
    outputs_for as outputs_for,
)
from .released_types import public_type as public_type
from .schema import (
    Person as Person,
    Schema as Schema,
    read_person as read_person,
    stored_array as stored_array,
    stored_type as stored_type,
)
from .table_codes import Codes as Codes, table_codes as table_codes
from .total_cells import Missing as Missing, TotalCells as TotalCells
