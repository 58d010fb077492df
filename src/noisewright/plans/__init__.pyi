from .cautions import public_cautions as public_cautions
from .codebook import CodebookEntry as CodebookEntry
from .column import DROP as DROP, PUBLIC as PUBLIC, Column as Column, Treatment as Treatment
from .domains import domain_of as domain_of
from .draft import Draft as Draft, Proposal as Proposal, draft_plan as draft_plan
from .draft_text import draft_text as draft_text
from .epsilon_for import PlannedEpsilon as PlannedEpsilon, epsilon_for as epsilon_for
from .fields import NamedType as NamedType
from .outlook import (
    USELESS as USELESS,
    mechanism_error as mechanism_error,
    outlook_of as outlook_of,
    planned_error as planned_error,
)
from .overview import plan_rows as plan_rows
from .parts import Part as Part
from .plan import Plan as Plan
from .predictions import column_readings as column_readings, released_layout as released_layout
from .settings import read_columns as read_columns, read_epsilon as read_epsilon
from .toml_reading import (
    locate as locate,
    read_settings as read_settings,
    require_known as require_known,
    require_version as require_version,
    settings_at as settings_at,
)
from .toml_writing import field_lines as field_lines, text_of_sections as text_of_sections
from .wanted import Wanted as Wanted
from .words import (
    about as about,
    amounts as amounts,
    central_words as central_words,
    delta_text as delta_text,
    factor_text as factor_text,
    guess_words as guess_words,
    promise_words as promise_words,
    rest_words as rest_words,
    space_words as space_words,
)
