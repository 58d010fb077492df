"""A release: the private table, what it promises, and what a reader needs to use it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, final

from noisewright.certificates import Certificate
from noisewright.errors import ReleaseError
from noisewright.estimation import Estimate
from noisewright.exact import parse_json
from noisewright.files import read_whole
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.on_use import pa
from noisewright.plans import Plan
from noisewright.public import public_methods
from noisewright.releases.files.recipe import Recipe, digest_of, embedded_recipe, read_guarantee
from noisewright.releases.files.target import TargetFiles


@public_methods
@final
@dataclass(frozen=True, repr=False)
class Release:
    """A table that was released, and how: made by `release`, read back with `Release.open`.

    `path` is its file and `files` names what lies beside it; a release in memory has neither.
    `balance` is what was left in the ledger right after it, `entry` the number of its spend and
    `charged` what that came to in the unit of the account; all are None without a ledger, and
    after reading back. `notes` says what did not go smoothly.
    """

    plan: Plan
    recipe: Recipe
    path: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    balance: Balance | None = None
    entry: int | None = None
    charged: Guarantee | None = None
    notes: tuple[str, ...] = ()
    _kept: Any = field(default=None, compare=False)
    _certificate: Certificate | None = field(default=None, compare=False)

    @property
    def guarantee(self) -> Guarantee:
        """The privacy loss of each person at most, to whoever sees only the released table."""
        return self.recipe.guarantee

    @property
    def guarantee_in_order(self) -> Guarantee:
        """The privacy loss of each person to whoever knows the order, or ran the release."""
        return self.plan.guarantee_in_order

    @property
    def rows(self) -> int:
        """How many rows were released."""
        return self.recipe.rows

    @property
    def is_private(self) -> bool:
        """Whether the noise came from private entropy; a seeded one promises nothing."""
        return self.recipe.private

    @property
    def is_accounted(self) -> bool:
        """Whether a ledger was debited for it."""
        return self.recipe.accounted

    @property
    def table(self) -> Any:
        """The released rows as an Arrow table; of a file, read when asked for."""
        if self._kept is not None:
            return self._kept
        from noisewright.tables import open_table

        reader = open_table(self.path, schema=self.plan.schema, released=True)
        batches = list(reader.batches())
        return pa.Table.from_batches(batches) if batches else reader.schema.empty_table()

    @cached_property
    def certificate(self) -> Certificate:
        """The proven guarantee; made again from the plan where its file is missing."""
        return self._certificate or _made_again(self.plan, self.recipe)

    def estimate(
        self,
        of: Any = None,
        *,
        question: Any = None,
        at: Any = None,
        about: str = "population",
        method: str = "unbiased",
        confidence: float = 0.95,
        together: bool = False,
        show: str = "useful",
    ) -> Any:
        """Estimate what the table was like before, from the released one and its recipe alone.

        `of` is a column, a tuple of columns for a table of them, or a list of those; nothing gives
        the usual answers about each column, "pairs" those about pairs of columns too. `question`
        asks for something else than usual: "shares", "mean", "variance", "quantiles", "histogram",
        for sets "items" or "pairs"; a mapping says so column by column. `at` goes with quantiles
        (levels), histograms (edges), pairs (the items) and curves (positions). `about`, `method`,
        `confidence`, `together` and `show` are as for `noisewright.estimate`.

        Ensures: an Estimate if one table was asked for by itself, else Estimates. Groups of public
        columns are exact. The file is read once, batch by batch.
        """
        found = estimates_of(
            self.plan,
            self._kept if self.path is None else self.path,
            of,
            question=question,
            at=at,
            about=about,
            method=method,
            confidence=confidence,
            together=together,
            show=show,
        )
        some = found if isinstance(found, Estimate) else next(iter(found.values()), None)
        if some is not None and some.people != self.rows:
            raise ReleaseError(
                f"the table has {some.people:,} rows, and {self.rows:,} were released: rows were "
                "taken out or added since. Ask the publisher for the file again."
            )
        return found

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Release:
        """Read a release back, from the file and its recipe.

        The recipe lies beside the file; Parquet and Feather files also hold it themselves.
        Ensures: the file is the one that the recipe was written for, and the plan in it gives the
        mechanisms that were used, according to their digests; or ReleaseError.
        """
        target = TargetFiles.at(path)
        if not target.data.exists():
            raise ReleaseError(f"there is no file {os.fspath(path)!r}. Check the name.")
        recipe, where = _recipe_of(target)
        plan = recipe.plan(where=where)
        kinds = {"data": target.data, "certificate": target.certificate}
        kinds |= {"recipe": target.recipe, "report": target.report}
        files = {kind: file for kind, file in kinds.items() if file.exists()}
        beside = certificate_beside(target, recipe.document["certificate"]["digest"])
        return cls(plan, recipe, target.data, files, _certificate=beside)

    def report(
        self, path: str | os.PathLike[str] | None = None, *, balance: Balance | None = None
    ) -> Path:
        """Write the page about this release again, beside its data or to a path; return where.

        It is made from the released rows and costs no privacy. `balance` is what the ledger says
        now, for a release that was read back: that of the release itself is known only to who made
        it.
        """
        from noisewright.releases.page import write_report

        known = self.balance if balance is None else balance
        return write_report(self, path, balance=known, made_again=True)

    def __repr__(self) -> str:
        kind = "release" if self.is_private else "test release, NOT PRIVATE (seeded noise),"
        books = "" if self.is_accounted else ", no budget debited"
        where = "in memory" if self.path is None else str(self.path)
        return f"<{kind} of {self.rows:,} rows, {self.guarantee} for each person{books}, {where}>"


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and digests of a folder's data files."""
    if path.is_dir():
        parts = [file for file in sorted(path.iterdir()) if not file.name.startswith(("_", "."))]
        return digest_of([[file.name, file_digest(file)] for file in parts])
    with open(path, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _recipe_of(target: TargetFiles) -> tuple[Recipe, str]:
    """Return the recipe and where it was found; the one beside must be about this very file."""
    if not target.recipe.exists():
        where = f"the metadata of {target.name}"
        return _read_embedded(target), where
    where = str(target.recipe)
    recipe = Recipe.read(read_whole(target.recipe), where=where)
    file = recipe.file
    if file is None or file["sha256"] != file_digest(target.data):
        raise ReleaseError(
            f"{where} was written for another file than {str(target.data)!r}: their SHA-256 "
            "differ. Either the file was changed after its release, or a release that was to "
            "replace it was interrupted. Ask the publisher for both files, or release again."
        )
    return recipe, where


def _read_embedded(target: TargetFiles) -> Recipe:
    """Return the recipe that the file itself holds; it must have the rows that were released."""
    found = embedded_recipe(target.data)
    if found is None and target.synthesis.exists():
        raise ReleaseError(
            f"{str(target.data)!r} is a synthetic table, according to {target.synthesis.name} "
            "beside it: its rows were made from noisy counts, and none of them was randomized. "
            "Count them as they are, or read it with Synthesis.open, which has these counts and "
            "their errors."
        )
    if found is None:
        raise ReleaseError(
            f"{str(target.data)!r} has no recipe: neither {target.recipe.name} beside it, nor one "
            "in its metadata. Without it the noise is unknown; ask the publisher for the recipe."
        )
    text, rows = found
    recipe = Recipe.read(text, where=f"the metadata of {target.name}")
    if rows != recipe.rows:
        raise ReleaseError(
            f"{str(target.data)!r} has {rows:,} rows, and {recipe.rows:,} were released: rows were "
            "taken out or added since. Estimates need all of them; ask the publisher for the file."
        )
    return recipe


def certificate_beside(target: TargetFiles, digest: str) -> Certificate | None:
    """Read the certificate beside the data, if there is one; it must have this digest."""
    if not target.certificate.exists():
        return None
    try:
        document = parse_json(read_whole(target.certificate), what="it")
        content = {key: value for key, value in document.items() if key != "digest"}
        found = digest_of(content)
        guarantee = read_guarantee(document["claims"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as problem:
        raise ReleaseError(f"{str(target.certificate)!r} is not a certificate.") from problem
    if found != document["digest"] or found != digest:
        raise ReleaseError(
            f"{str(target.certificate)!r} is not the certificate of this release: its digest "
            "differs. Ask the publisher for it again, or remove it."
        )
    return Certificate(document, guarantee)


def _made_again(plan: Plan, recipe: Recipe) -> Certificate:
    certificate = plan.certify()
    if dict(certificate.document["digests"]) != recipe.document["certificate"]["sections"]:
        raise ReleaseError(
            "the certificate that the plan gives is not the one that was released, according to "
            "its digests. Ask the publisher for the certificate's file."
        )
    return certificate


def estimates_of(
    plan: Plan,
    released: Any,
    of: Any = None,
    *,
    question: Any = None,
    at: Any = None,
    about: str = "population",
    method: str = "unbiased",
    confidence: float = 0.95,
    together: bool = False,
    show: str = "useful",
) -> Any:
    """Estimate what a table was like before it was released as the plan says.

    `of` and the rest are as for `Release.estimate`.

    Ensures: one pass over the table, whatever is asked. One column or tuple asked for by itself
    gives an Estimate, else there are Estimates, a mapping from titles.
    """
    from noisewright.estimation import Asked, answer_questions, read_questions
    from noisewright.plans import released_layout
    from noisewright.tables import open_table

    layout = released_layout(plan)
    asked = Asked.reading(about, method, confidence, together, show)
    questions, single = read_questions(layout, of, question, at)
    if isinstance(released, (str, os.PathLike)):
        released = open_table(released, schema=plan.schema, released=True)
    found = answer_questions(
        released, layout, questions, asked, rows_per_person=plan.rows_per_person
    )
    return next(iter(found.values())) if single else found
