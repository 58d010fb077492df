"""The job of `ContinualCount.create`: prove, debit, and write the file."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from noisewright.certificates import Certificate
from noisewright.errors import InputError
from noisewright.exact import as_text
from noisewright.mechanisms import Guarantee
from noisewright.queries.continual.count_file import FORMAT, write_new
from noisewright.queries.continual.count_scheme import PricedCount
from noisewright.transaction import Job, Payment, Progress, Subject


@final
@dataclass
class CreationJob(Job[Path]):
    """The job of `ContinualCount.create`: prove, debit, and write the file."""

    path: Path
    priced: PricedCount
    what: str
    _certificate: Certificate | None = None

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.priced.budget.guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent: that of people whose data is not here yet."""
        person = self.priced.person
        name = None if person is None else person.column
        return Subject(person=name, change=self.priced.change)

    def hold_place(self) -> AbstractContextManager[Any]:
        """Refuse to overwrite a file; `publish` refuses one that came meanwhile."""
        if self.path.exists() or self.path.is_symlink():
            raise InputError(
                f"{os.fspath(self.path)!r} exists already. Go on with it by "
                "nw.ContinualCount.open (noisewright continual add), or choose another name."
            )
        if not os.access(self.path.parent, os.W_OK):
            raise InputError(
                f"cannot write to the folder of {os.fspath(self.path)!r}. Choose a folder that "
                "exists and that you may write to."
            )
        return nullcontext()

    def prove(self) -> Certificate:
        """Prove what a person can change in all steps, and what the noise costs."""
        self._certificate = self.priced.certify()
        return self._certificate

    def draw(self, progress: Progress | None) -> Path:
        """Draw nothing: noise comes with the steps."""
        return self.path

    def publish(self, made: Path, payment: Payment) -> Path:
        """Write the file whole, under its final name at last."""
        scheme, certificate = self.priced.scheme, self._certificate
        assert certificate is not None
        facts: dict[str, Any] = {
            "format": FORMAT,
            "steps": scheme.tree.bins,
            "widths": scheme.tree.widths,
            "unit": scheme.noise.unit,
            "scale": str(scheme.noise.scale),
            "entry": payment.entry,
            "epsilon": as_text(self.price.epsilon.rational),
            "delta": as_text(self.price.delta),
            "certificate": json.loads(certificate.to_json()),
        }
        staged = self.path.parent / f".noisewright-{os.urandom(8).hex()}"
        try:
            write_new(staged, facts)
            os.link(staged, self.path)  # unlike a rename, it never replaces a file
        except (OSError, sqlite3.Error) as problem:
            why = problem.strerror if isinstance(problem, OSError) else problem
            raise InputError(f"cannot write {os.fspath(self.path)!r}: {why}.") from problem
        finally:
            with suppress(OSError):
                staged.unlink()
        return made
