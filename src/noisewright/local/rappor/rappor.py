"""`nw.local.rappor`: what a caller gives, read into a mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly
from noisewright.local.rappor.mechanism import Rappor
from noisewright.public import public
from noisewright.spaces import Categories


@public
def rappor(
    *,
    f: Number,
    p: Number = 0,
    q: Number = 1,
    bits: int | None = None,
    hashes: int = 2,
    cohorts: int = 1,
    candidates: Categories | Iterable[str] | None = None,
    name: str = "",
) -> Rappor:
    """Return RAPPOR: with Bloom filters of `bits` bits, or basic with one bit for each candidate.

    Requires: 0 ≤ f ≤ 1 and 0 ≤ p < q ≤ 1; at least 2 bits, or 2 candidates and no `bits`. Leave p
    and q out for one-time RAPPOR, which sends the permanent response; f = 0 has no permanent
    response, and no bound for life.
    Ensures: f, p and q are exact. `epsilon_one`, `epsilon_after(reports=T)` and `epsilon_forever`
    are the least that hold for any two values of a person, who never changes it.
    Source: Erlingsson, Pihur, Korolova 2014.
    """
    if candidates is not None:
        if bits is not None or cohorts != 1 or hashes not in (1, 2):
            raise ParameterError(
                "candidates= were given together with bits=, hashes= or cohorts=. Basic RAPPOR has "
                "one bit for each candidate, one hash and one cohort: leave the others out."
            )
        space = candidates if isinstance(candidates, Categories) else Categories(candidates)
        return Rappor(space.size, 1, 1, *_chances(f, p, q), space, name)
    if bits is None:
        raise ParameterError(
            "bits is missing; give the length of the Bloom filter, or candidates=."
        )
    return Rappor(bits, hashes, cohorts, *_chances(f, p, q), None, name)


def _chances(f: Number, p: Number, q: Number) -> tuple[Fraction, Fraction, Fraction]:
    return exactly(f, name="f"), exactly(p, name="p"), exactly(q, name="q")
