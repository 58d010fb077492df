"""What the page of a release is told: facts about it, all of which may leave the building."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import final

from noisewright.estimation import Estimate
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.plans import Plan
from noisewright.version import __version__


@final
@dataclass(frozen=True)
class ReleaseFile:
    """A file of the release: its name, what it is, its size in bytes and its SHA-256."""

    name: str
    what: str
    size: int | None = None
    sha256: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class PageFacts:
    """What every page tells of what was released.

    `data` is the name of its file. `balance` is the budget after the release, None when no ledger
    kept account or nobody asked it; `accounted` says whether one did, and `charged` what it came to
    in the unit of the account, where that is not the guarantee. `made` is when the page was made,
    which is when the release was unless `made_again`. `not_private` says that the noise can be
    repeated by whoever knows the seed.
    Requires: nothing in here depends on raw data except through what was released.
    """

    data: str
    rows: int
    made: datetime
    guarantee: Guarantee
    certificate_digest: str = ""
    balance: Balance | None = None
    charged: Guarantee | None = None
    accounted: bool = False
    files: tuple[ReleaseFile, ...] = ()
    not_private: bool = False
    made_again: bool = False
    version: str = __version__


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseFacts(PageFacts):
    """A release, as far as its page tells of it.

    `estimates` holds for the columns, by name (or for columns that were released together by the
    name of their part), one estimate or several, made from the released rows; `notes` say what
    could not be estimated. `others` are the typical errors of shares of labels by this and by other
    tools, under the same guarantee.
    """

    plan: Plan
    estimates: Mapping[str, Estimate | Sequence[Estimate]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    others: tuple[tuple[str, float], ...] = ()
    what: str = ""

    def estimates_of(self, name: str) -> tuple[Estimate, ...]:
        """Return the estimates about a column or a part; none when there are none."""
        found = self.estimates.get(name, ())
        return (found,) if isinstance(found, Estimate) else tuple(found)


def certificate_name(files: Sequence[ReleaseFile]) -> str | None:
    """Return the name of the certificate among the files of a release, if it is there."""
    return next((file.name for file in files if file.name.endswith(".certificate.json")), None)
