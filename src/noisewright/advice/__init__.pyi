from .advise import advise as advise, count_rows as count_rows
from .better_tool import better_tool as better_tool
from .result import TOOLS as TOOLS, Advice as Advice
