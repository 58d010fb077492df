"""What jobs on a table have in common: files that get their names last, and a page about them."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from noisewright.certificates import Certificate, check
from noisewright.errors import CertificateError
from noisewright.releases.files.staging import Staging, staging_beside
from noisewright.releases.files.target import TargetFiles
from noisewright.releases.inputs import Snapshot, local_paths
from noisewright.releases.output import Output
from noisewright.releases.released import Release, file_digest
from noisewright.sampling import Source, source_or_default
from noisewright.tables import require_format
from noisewright.transaction import Job, Payment, Progress, Subject

if TYPE_CHECKING:
    from noisewright.releases.synthesis.result import Synthesis

Result = TypeVar("Result", Release, "Synthesis")


def target_of(output: Output, *inputs: Any) -> TargetFiles | None:
    """Return the files to write, apart from all that is read; None where nothing is written."""
    if output.path is None:
        return None
    target = TargetFiles.at(output.path)
    target.require_apart(local_paths(*inputs))
    require_format(target.name)
    return target


@dataclass(kw_only=True)
class TableJob(Job[Result], Generic[Result]):
    """A job that reads a table, and writes another one to `target`, or keeps it in memory."""

    data: Any
    output: Output
    target: TargetFiles | None
    source: Source | None
    is_folder: bool = False
    _snapshot: Snapshot = field(init=False)
    _staging: Staging = field(init=False)
    _certificate: Certificate = field(init=False)

    @property
    def is_private(self) -> bool:
        """Whether noise is from a private source."""
        return source_or_default(self.source).private

    @property
    def name(self) -> str:
        """What the result is called in the ledger, if nothing was said."""
        return "a table in memory" if self.target is None else self.target.name

    @property
    def staged(self) -> Path:
        """Where the table is written before it gets its name."""
        return self._staging.path(self.name)

    def _subject(self, person: str | None, *, independent: bool = False) -> Subject:
        # A DataFrame of Spark has no fingerprint: its rows are not here.
        path = os.fspath(self.data) if isinstance(self.data, str | os.PathLike) else None
        known = None if self.is_folder and path is None else self.data
        return Subject(known, path, person, independent)

    @contextmanager
    def hold_place(self) -> Generator[None]:
        """Hold the folder beside the target, and look at the input."""
        target = self.target
        if target is None:
            self._snapshot = Snapshot.of(self.data)
            yield
            return
        with staging_beside(target.data) as self._staging, self._staging.writing(target.data):
            # Within: who waited for another release to the same name sees what it has left.
            target.require_free(overwrite=self.output.overwrite, is_folder=self.is_folder)
            self._snapshot = Snapshot.of(self.data)
            yield

    @abstractmethod
    def certify(self) -> Certificate:
        """Return the certificate of what will be drawn."""

    def prove(self) -> Certificate:
        """Let the stand-alone checker prove the certificate, from the file that is published."""
        self._certificate = self.certify()
        document: Any = self._certificate.document
        if self.target is not None:
            text = self._certificate.to_json().encode()
            document = self._staging.write(self.target.certificate.name, text)
        proven = check(document)
        if not proven:
            failure = proven.failures[0]
            raise CertificateError(
                f"the checker does not prove the certificate ({failure.part}: {failure.message}). "
                "Nothing was spent or released."
            )
        return self._certificate

    @abstractmethod
    def describe(self, made: Result, file: dict[str, str]) -> tuple[Result, str, str]:
        """Return the result, and the kind and the text of what lies beside its file."""

    def publish(self, made: Result, payment: Payment) -> Result:
        """Write what belongs beside the table, and give all of it its names: the table last."""
        target = self.target
        if target is None:
            return made
        file = {"name": target.name, "sha256": file_digest(self.staged)}
        made, kind, text = self.describe(made, file)
        beside = target.beside(f"{kind}.json")
        self._staging.write(beside.name, text.encode())
        payment.goes_out(self.staged, target.data)
        # What lies beside an old file must not lie beside a new one.
        target.remove_others(beside, target.certificate)
        self._staging.publish(beside.name, target.certificate.name, target.name)
        files = {"data": target.data, "certificate": target.certificate, kind: beside}
        return replace(made, path=target.data, files=files)

    def note(self, made: Result, payment: Payment) -> Result:
        """Say what was debited, what is left, and what did not go smoothly."""
        return replace(
            made,
            balance=payment.balance,
            entry=payment.entry,
            charged=payment.charged,
            notes=(*made.notes, *payment.notes),
        )

    def page(self, made: Result, progress: Progress | None) -> Result:
        """Write the page about it."""
        if self.target is None or not self.output.report:
            return made
        # Drawing pages takes more than releasing: loaded when it is needed.
        from noisewright.releases.page import with_report

        return with_report(made, self.target.report, progress)
