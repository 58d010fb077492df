"""The two stories that the program tells about itself: a survey from raw to released, and a tour.

They know what is done and said, but not how it is shown: the caller passes a `Narrator`.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
