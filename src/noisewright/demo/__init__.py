"""The two stories that the program tells about itself: a survey from raw to released, and a tour.

They know what is done and said, and not how it is shown: whoever tells them gives a `Narrator`.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
