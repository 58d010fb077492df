"""The certificate of a value that goes through one filter of RAPPOR, or through several."""

from __future__ import annotations

from collections.abc import Sequence

from noisewright.certificates import Certificate, certify_rappor
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.rappor.lifetime import sum_epsilons
from noisewright.local.rappor.mechanism import Rappor
from noisewright.mechanisms import Guarantee


def certify_parts(parts: Sequence[Rappor], *, reports: int | None) -> Certificate:
    """Return the certificate of a value that is sent through several filters at once.

    Ensures: ε is the sum over the parts, and proven.
    """
    total = Epsilon()
    for part in parts:
        one = part.epsilon_forever if reports is None else part.epsilon_after(reports=reports)
        if one is None:
            raise ParameterError(
                "no finite epsilon holds: some reports are possible for one value and impossible "
                "for another. Give f above 0, or 0 < p < q < 1 and a number of reports."
            )
        total = sum_epsilons(total, one)
    return certify_rappor(
        [part.describe() for part in parts], guarantee=Guarantee(total.brief()), reports=reports
    )
