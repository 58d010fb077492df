from .narrator import Narrator as Narrator
from .survey_story import tell_survey as tell_survey
from .tour_story import tell_tour as tell_tour
