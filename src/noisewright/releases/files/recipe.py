"""The recipe: what a reader needs to analyze a released file, and nothing that was not released.

It holds the plan with its exact budgets, digests of the certificate and of each mechanism, and how
many rows there are. It lies beside the released file, where it also names the file's SHA-256, and
inside of Parquet and Feather files. It never holds the name or path of the raw data, its
fingerprint, the name of its dataset in the ledger, or who released it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisewright.certificates import Certificate
from noisewright.errors import InputError, NoisewrightError, ReleaseError
from noisewright.exact import Epsilon, exactly, parse_json
from noisewright.mechanisms import Guarantee
from noisewright.on_use import pa, pq
from noisewright.plans import Plan
from noisewright.version import __version__

FORMAT = "noisewright-recipe"
VERSION = 1
KEY = "noisewright.recipe"
"""The key of the recipe in the metadata of Parquet and Feather files."""


@dataclass(frozen=True)
class Recipe:
    """A recipe as it is written: a JSON document with the digest of its content."""

    document: dict[str, Any]

    @classmethod
    def of(
        cls, plan: Plan, certificate: Certificate, *, rows: int, private: bool, accounted: bool
    ) -> Recipe:
        """Return the recipe of a release.

        `private` says whether its noise came from private entropy, `accounted` whether a ledger
        was debited for it.
        """
        plan = plan.resolved
        return cls(
            {
                "format": FORMAT,
                "version": VERSION,
                "made_by": f"noisewright {__version__}",
                "plan": plan.to_toml(),
                "parts": [
                    {
                        "columns": list(part.columns),
                        "mechanism": digest_of(part.mechanism.describe()),
                    }
                    for part in plan.parts
                ],
                "guarantee": certificate.guarantee.describe(),
                "certificate": {
                    "digest": certificate.digest,
                    "sections": dict(certificate.document["digests"]),
                },
                "order": plan.order,
                "rows": rows,
                "private": private,
                "accounted": accounted,
            }
        )._seal()

    def for_file(self, name: str, sha256: str) -> Recipe:
        """Return the recipe that lies beside a file, with the file's name and SHA-256."""
        return Recipe({**self.document, "file": {"name": name, "sha256": sha256}})._seal()

    def _seal(self) -> Recipe:
        content = {key: value for key, value in self.document.items() if key != "digest"}
        return Recipe({**content, "digest": digest_of(content)})

    def to_json(self) -> str:
        """Return the recipe as JSON text."""
        return json.dumps(self.document, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, text: str | bytes, *, where: str) -> Recipe:
        """Read a recipe; refuse what is none, what is newer than this program, what was edited."""
        try:
            document = parse_json(text, what=where)
        except InputError as problem:
            raise ReleaseError(f"{where} is not a recipe: {problem}") from problem
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ReleaseError(f"{where} is not a recipe: its format is not {FORMAT!r}.")
        if document.get("version") != VERSION:
            raise ReleaseError(
                f"{where} is a recipe of version {document.get('version')!r}; this program reads "
                f"version {VERSION}. Install a newer noisewright."
            )
        recipe = cls(document)
        if recipe._seal() != recipe:
            raise ReleaseError(
                f"{where} was changed after it was written: its content does not match its "
                "digest. Ask the publisher for the files again."
            )
        recipe._require_fields(where)
        return recipe

    def _require_fields(self, where: str) -> None:
        """Refuse a recipe that lacks what a reader needs; schemas/recipe-1.json says it all."""
        try:
            complete = all(type(self.document[key]) is kind for key, kind in _FIELDS.items())
            certificate, file = self.document["certificate"], self.document.get("file")
            texts = [
                certificate["digest"],
                *([] if file is None else [file["name"], file["sha256"]]),
            ]
            complete &= all(isinstance(text, str) for text in texts)
            read_guarantee(self.document["guarantee"])
            dict(certificate["sections"])
        except (KeyError, TypeError, ValueError, ArithmeticError) as problem:
            raise _incomplete(where) from problem
        if not complete:
            raise _incomplete(where)

    def plan(self, *, where: str) -> Plan:
        """Return the plan, after its mechanisms have been compared with those that were used."""
        document = self.document
        try:
            plan = Plan.from_toml(document["plan"])
            found = [
                {"columns": list(part.columns), "mechanism": digest_of(part.mechanism.describe())}
                for part in plan.parts
            ]
            same = found == document["parts"]
        except NoisewrightError as problem:
            raise ReleaseError(f"{where} holds a plan that cannot be read: {problem}") from problem
        if not same:
            raise ReleaseError(
                f"the plan in {where} does not give the mechanisms that were used, according to "
                f"their digests. It was made by {document.get('made_by')}, this is noisewright "
                f"{__version__}: use that version to read it."
            )
        return plan

    @property
    def guarantee(self) -> Guarantee:
        """The privacy loss of each person at most."""
        return read_guarantee(self.document["guarantee"])

    @property
    def rows(self) -> int:
        """How many rows were released."""
        return self.document["rows"]

    @property
    def private(self) -> bool:
        """Whether the noise came from private entropy; without it nothing is promised."""
        return self.document["private"]

    @property
    def accounted(self) -> bool:
        """Whether a ledger was debited."""
        return self.document["accounted"]

    @property
    def file(self) -> Mapping[str, str] | None:
        """The name and SHA-256 of the file beside which the recipe lies."""
        return self.document.get("file")


_FIELDS = {
    "plan": str,
    "parts": list,
    "guarantee": dict,
    "certificate": dict,
    "order": str,
    "rows": int,
    "private": bool,
    "accounted": bool,
}


def _incomplete(where: str) -> ReleaseError:
    return ReleaseError(
        f"{where} is incomplete: it lacks fields of a recipe of version {VERSION}, or has them in "
        "another form. Ask the publisher for the files again."
    )


def digest_of(content: Any) -> str:
    """Return the SHA-256 of JSON in its canonical form, as certificates use it."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_guarantee(section: Mapping[str, Any]) -> Guarantee:
    """Read (ε, δ) as certificates and recipes write it."""
    epsilon = section["epsilon"]
    if "value" in epsilon:
        return Guarantee(Epsilon.of(epsilon["value"]), section["delta"])
    return Guarantee(Epsilon.log(exactly(epsilon["ln"], name="e^epsilon")), section["delta"])


def embedded_recipe(path: Path) -> tuple[bytes, int] | None:
    """Return the recipe in a file, or in the files of a folder, and how many rows these have."""
    if not path.is_dir():
        return _of_file(path)
    parts = [file for file in sorted(path.iterdir()) if not file.name.startswith(("_", "."))]
    found = [part for part in map(_of_file, parts) if part is not None]
    if len(found) != len(parts) or len({text for text, _ in found}) != 1:
        return None
    return found[0][0], sum(rows for _, rows in found)


def _of_file(path: Path) -> tuple[bytes, int] | None:
    try:
        with open(path, "rb") as file:
            start = file.read(6)
        if start.startswith(b"PAR1"):
            metadata = pq.read_metadata(path)
            text = (metadata.metadata or {}).get(KEY.encode())
            return None if text is None else (text, metadata.num_rows)
        if start == b"ARROW1":
            with pa.OSFile(str(path), "rb") as file, pa.ipc.open_file(file) as reader:
                text = (reader.schema.metadata or {}).get(KEY.encode())
                return None if text is None else (text, reader.count_rows())
    except (pa.ArrowException, OSError) as problem:
        raise ReleaseError(
            f"{str(path)!r} cannot be read: it is damaged or incomplete. Get a complete copy."
        ) from problem
    return None
