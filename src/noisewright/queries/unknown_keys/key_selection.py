"""Which keys of the data may be shown, where nobody declared them: optimal partition selection.

A key is kept or not by a coin of its own, whose chance depends on how many people have the key and
on nothing else. One person more or less moves that number by one for each of at most g keys: g
coins of (ε/g, δ/g) each. Replacing a person moves it for at most 2g keys. A key that nobody has is
never kept, so that keys need not be listed beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, Literal, final

import numpy as np

from noisewright.certificates import Certificate, certify_keys
from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly, show
from noisewright.given import brief, one_of, whole_number
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.public import public, public_methods
from noisewright.queries.unknown_keys.key_coins import KeyCoins
from noisewright.sampling import Source

Change = Literal["replace", "add or remove"]

_CHANGES: tuple[Change, Change] = ("replace", "add or remove")


@public
def keys(*, delta: Number, share: Number = Fraction(1, 2)) -> UnknownKeys:
    """Ask for those keys of the data that may be shown, instead of declaring them.

    Requires: 0 < delta < 1, well below 1 / number of people: with about that chance the key of a
    single person is shown. `share` of ε, between 0 and 1, goes into finding keys, and the rest into
    what is asked about them.
    Source: Desfontaines–Voss–Gipson–Mandayam 2022.
    """
    return UnknownKeys(read_delta(delta), exactly(share, name="share"))


@final
@dataclass(frozen=True)
class UnknownKeys:
    """The request for unknown keys; made by `keys`."""

    delta: Fraction
    share: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise ParameterError(
                f"delta is {show(self.delta)}; unknown keys need one between 0 and 1, such as "
                "1e-6: without it no key could ever be shown."
            )
        if not 0 < self.share < 1:
            raise ParameterError(
                f"share is {show(self.share)}; it must lie between 0 and 1: finding keys costs a "
                "part of epsilon, and so does what is asked about them."
            )

    def select(self, epsilon: Fraction, *, groups: int, change: Change) -> KeySelection:
        """Return the selection at its share of ε, where a person has at most so many keys."""
        return select_keys(
            epsilon=epsilon * self.share, delta=self.delta, groups=groups, change=change
        )


@public_methods
@final
@dataclass(frozen=True)
class KeySelection:
    """A way to keep keys that costs (`epsilon`, `delta`) for all keys of a person together."""

    epsilon: Fraction
    delta: Fraction
    groups: int
    """The most keys that a person has."""
    change: Change
    each_row: bool = False
    """Whether each row is a person."""

    @property
    def guarantee(self) -> Guarantee:
        """What it costs each person, for this change of the data."""
        return Guarantee(self.epsilon, self.delta)

    @cached_property
    def coins(self) -> KeyCoins:
        """The coin of one key, which has an equal part of the whole."""
        moved = self.groups * (2 if self.change == "replace" else 1)
        return KeyCoins(self.epsilon / moved, self.delta / moved)

    def keep(self, people: Mapping[Any, int], source: Source | None = None) -> list[Any]:
        """Draw which keys are kept: the one step that spends the guarantee.

        Requires: how many people have each key; each person counts once for a key, and for at most
        `groups` keys, which were chosen by the rows of that person alone.
        Ensures: kept keys, sorted by their values; nothing of the others is shown.
        """
        names = sorted(people, key=_order)
        most = len(self.coins.weights)  # with as many people a key is kept for certain
        counts = np.array([min(int(people[name]), most) for name in names], dtype=np.int64)
        kept = self.coins.flip(counts, source)
        return [name for name, keep in zip(names, kept, strict=True) if keep]

    def describe(self) -> dict[str, Any]:
        """Return the selection as a certificate writes it."""
        return {"groups": self.groups, **self.coins.describe()}

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of the guarantee, for showing keys and nothing else about them.

        Ensures: the stand-alone checker has proven it, or CertificateError.
        """
        return certify_keys(
            self.describe(), guarantee=self.guarantee, change=self.change, each_row=self.each_row
        )


@public
def select_keys(
    *, epsilon: Number, delta: Number, groups: int = 1, change: Change = "add or remove"
) -> KeySelection:
    """Return the selection of unknown keys with the highest chances at (ε, δ).

    Requires: epsilon > 0 and 0 < delta < 1, for all keys of a person together, of which there are
    at most `groups`; `change` says what neighbors are.
    Ensures: chances are known before anything is drawn: `.coins.chance(people)`, and
    `.coins.people_for(chance)`.
    Source: Desfontaines–Voss–Gipson–Mandayam 2022, Theorem 1, for one key of each person; parts of
    ε and δ add up for several.
    """
    whole = exactly(epsilon, name="epsilon")
    lost = read_delta(delta)
    if whole <= 0 or not 0 < lost < 1:
        raise ParameterError(
            f"epsilon is {brief(epsilon)} and delta {brief(delta)}; selecting keys needs an "
            "epsilon above 0 and a delta between 0 and 1, such as 1e-6."
        )
    most = whole_number(groups, name="groups", least=1)
    made = KeySelection(whole, lost, most, one_of(change, _CHANGES, name="change"))
    _ = made.coins.weights  # too many are refused here, where nothing has been spent
    return made


def _order(key: Any) -> tuple[Any, ...]:
    """Return what keys of any kinds are sorted by, none of which may raise."""
    if isinstance(key, tuple):
        return (2, *map(_order, key))
    if isinstance(key, Real) and key == key:  # NaN is not
        return (0, key)
    return (1, key) if isinstance(key, str) else (3, type(key).__name__, str(key))
