"""What a release is called on disk, and what it must not overwrite."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from noisewright.errors import InputError, ReleaseError, TargetError
from noisewright.exact import parse_json
from noisewright.files import read_whole
from noisewright.releases.files.recipe import Recipe

CERTIFICATE, RECIPE, REPORT = "certificate.json", "recipe.json", "report.html"
SYNTHESIS, EVALUATION = "synthesis.json", "evaluation-NOT-FOR-RELEASE.json"
COUNTS = "counts.csv"


@dataclass(frozen=True)
class TargetFiles:
    """The released file and the files beside it, which share its stem."""

    data: Path

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> TargetFiles:
        """Return the target at a path; a link keeps pointing where it points."""
        target = cls(Path(os.path.realpath(path) if os.path.islink(path) else path))
        try:
            target.name.encode()
        except UnicodeEncodeError:
            # The recipe names the file, and is text.
            raise TargetError(
                f"the name {target.name!r} is not valid UTF-8. Choose another name."
            ) from None
        if target.name in ("", ".."):
            raise TargetError(f"{os.fspath(path)!r} is a folder; give the name of a file in it.")
        return target

    @property
    def name(self) -> str:
        """The name of the released file."""
        return self.data.name

    def beside(self, kind: str) -> Path:
        """Return the path of a file beside the data."""
        return self.data.with_name(f"{self.data.stem}.{kind}")

    @property
    def certificate(self) -> Path:
        """Where the certificate lies."""
        return self.beside(CERTIFICATE)

    @property
    def recipe(self) -> Path:
        """Where the recipe lies."""
        return self.beside(RECIPE)

    @property
    def report(self) -> Path:
        """Where the report lies."""
        return self.beside(REPORT)

    @property
    def synthesis(self) -> Path:
        """Where the noisy counts behind a synthetic table lie."""
        return self.beside(SYNTHESIS)

    @property
    def all(self) -> tuple[Path, ...]:
        """The data and everything that may lie beside it."""
        kinds = (CERTIFICATE, RECIPE, SYNTHESIS, COUNTS, EVALUATION, REPORT)
        return self.data, *(self.beside(kind) for kind in kinds)

    def require_apart(self, inputs: Iterable[str | os.PathLike[str]]) -> None:
        """Refuse to write over what is read, or into a folder that is read."""
        for given in inputs:
            source = Path(os.path.realpath(given))
            for path in self.all:
                real = Path(os.path.realpath(path))
                if real == source or _same(path, source):
                    raise TargetError(
                        f"{str(path)!r} is the input and would be overwritten. Choose another "
                        "name for the output."
                    )
                if source.is_dir() and real.is_relative_to(source):
                    raise TargetError(
                        f"{str(path)!r} is in the folder {os.fspath(given)!r}, which is the "
                        "input: private and raw rows would be mixed. Choose another folder."
                    )

    def require_free(self, *, overwrite: bool, is_folder: bool = False) -> None:
        """Refuse to replace files, unless told to.

        A recipe, or the counts behind a synthetic table, without their data were left by a run that
        was killed while it named its files: the data comes last. They are replaced without asking,
        with what lies beside them.
        """
        if self.data.is_dir() and not is_folder:
            raise TargetError(f"{str(self.data)!r} is a folder; give the name of a file in it.")
        if self.data.exists() and not self.data.is_dir() and is_folder:
            raise TargetError(
                f"{str(self.data)!r} is a file, and this release is a folder of files. Choose "
                "another name."
            )
        there = [path for path in self.all if os.path.lexists(path)]
        if not there or overwrite or self._is_left_behind():
            return
        side, owner = self._owner()
        if owner is not None and owner != self.name:
            raise TargetError(
                f"{side.name} belongs to {owner}, which is beside it, and both would share it. "
                f"Choose another name than {self.name}."
            )
        raise TargetError(
            f"{str(there[0])!r} exists already. Choose another name, or replace it and "
            "the files beside it: --overwrite, in Python Output(…, overwrite=True)."
        )

    def remove_others(self, *kept: Path) -> None:
        """Remove what lies beside the data, except for these."""
        for old in self.all[1:]:
            if old not in kept:
                old.unlink(missing_ok=True)

    def _is_left_behind(self) -> bool:
        return not os.path.lexists(self.data) and self._owner()[1] == self.name

    def _owner(self) -> tuple[Path, str | None]:
        """Return what lies beside a table, and the name of the one it belongs to, if it says so."""
        side = self.recipe if self.recipe.exists() else self.synthesis
        with contextlib.suppress(OSError, ReleaseError, InputError, LookupError, TypeError):
            text, where = read_whole(side), str(side)
            is_recipe = side == self.recipe
            known = (
                Recipe.read(text, where=where).document
                if is_recipe
                else parse_json(text, what=where)
            )
            name = str(known["file"]["name"])
            # A file that was renamed or removed owns nothing.
            there = name == self.name or os.path.lexists(self.data.with_name(name))
            return side, name if there else self.name
        return side, None


def _same(path: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samefile(path, other)
    return False
