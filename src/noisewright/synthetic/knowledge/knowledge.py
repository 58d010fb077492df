"""All that is declared to be public about a table before it is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from noisewright.synthetic.knowledge.prior import Prior
from noisewright.synthetic.knowledge.totals import Totals
from noisewright.synthetic.knowledge.zeros import Zeros


@final
@dataclass(frozen=True, eq=False)
class PublicKnowledge:
    """Zeros, a starting table and totals, each of which may be missing.

    It decides nothing about privacy: noise is the same with it and without it.
    """

    zeros: Zeros | None = None
    prior: Prior | None = None
    totals: Totals | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is known: some of zeros, prior and totals."""
        every = {"zeros": self.zeros, "prior": self.prior, "totals": self.totals}
        return tuple(kind for kind, one in every.items() if one is not None)

    def require_possible(self, people: int, rows: int) -> None:
        """Refuse totals that no table of so many rows meets."""
        if self.totals is not None:
            self.totals.require_possible(people, rows)

    def words(self) -> list[str]:
        """Return what is said about it beside the table, a sentence for each."""
        said: list[str] = []
        if self.zeros is not None:
            listed = "; ".join(self.zeros.words(zero) for zero in self.zeros.listed[:10])
            more = len(self.zeros.listed) - 10
            said.append(
                f"Structural zeros, declared impossible, which no row meets: {listed}"
                + (f"; and {more:,} more." if more > 0 else ".")
            )
        if self.prior is not None:
            said.append(
                f"The starting distribution is a table of {self.prior.rows:,} rows that was "
                "declared public: rows may repeat those of it, and the guarantee does not cover "
                "what it contains."
            )
        if self.totals is not None:
            listed = ", ".join(" × ".join(names) for names, _ in self.totals.tables)
            said.append(
                f"Totals that were declared public are kept: {listed}. The guarantee does not "
                "cover them."
            )
        return said
