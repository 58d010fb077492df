from .evaluation import Values as Values, evaluate as evaluate
from .in_memory import (
    require_identifying as require_identifying,
    tally_in_memory as tally_in_memory,
)
from .kinds import (
    FieldGrid as FieldGrid,
    Kind as Kind,
    Labels as Labels,
    Numbers as Numbers,
    Truth as Truth,
    as_fraction as as_fraction,
    common_unit as common_unit,
    grid_of as grid_of,
)
from .list_fields import (
    ItemField as ItemField,
    PlaceField as PlaceField,
    value_field as value_field,
)
from .nodes import (
    Node as Node,
    add as add,
    bins as bins,
    both as both,
    choose as choose,
    clip as clip,
    column as column,
    compare as compare,
    divide as divide,
    either as either,
    fill as fill,
    is_in as is_in,
    is_null as is_null,
    literal as literal,
    look_up as look_up,
    modulo as modulo,
    multiply as multiply,
    negate as negate,
    subtract as subtract,
)
from .opening import (
    count_tables as count_tables,
    open_source as open_source,
    people_by_key as people_by_key,
    require_one_engine as require_one_engine,
    sql_of as sql_of,
    sql_table as sql_table,
    tally as tally,
)
from .rows import (
    PRIME as PRIME,
    Filter as Filter,
    KeyRequest as KeyRequest,
    Limit as Limit,
    Paired as Paired,
    Repeated as Repeated,
    Rows as Rows,
    SourceRows as SourceRows,
    TallyRequest as TallyRequest,
    columns_in as columns_in,
    declare as declare,
    filter_rows as filter_rows,
    needed_columns as needed_columns,
    sources as sources,
)
from .sql.duckdb_tables import DuckDB as DuckDB
from .sql.postgresql_tables import PostgreSQL as PostgreSQL
from .sql.sql_tables import SqlTable as SqlTable
