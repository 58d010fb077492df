"""Noisewright designs, proves and releases differentially private data.

    import noisewright as nw

Names load on first use, so that importing the package costs next to nothing. Those that most work
needs are here; the rest is in `nw.combine`, `nw.select`, `nw.curves`, `nw.models`, `nw.priors`,
`nw.analysis`, `nw.planning`, `nw.workloads`, `nw.accounting`, `nw.randomness`, and what functions
return in `nw.results`.
"""

from noisewright.on_use import load_on_use

load_on_use(__name__)
