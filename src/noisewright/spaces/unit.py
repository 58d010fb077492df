"""What an ε is counted for: which change of whose data it bounds, and the words for it.

The words have one home, the stand-alone checker, so that whatever states an ε here says what the
checker says of its certificate.
"""

from noisewright.checker import Unit

__all__ = ["Unit"]
