"""How a delimited text is to be read: its encoding, its delimiter, and where its names stand.

What is not given is detected from the first bytes and the first line alone, in the same way for
every command; what remains ambiguous is an error that names the option to give.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from noisewright.errors import DataError, InputError, ParameterError
from noisewright.files import require_path
from noisewright.given import brief, several
from noisewright.public import public_methods

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
"""What the name of a delimited text ends in."""

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""What files of an encoding may begin with; those of UTF-32 before the shorter ones of UTF-16."""

_LONGEST = 1 << 23
"""Letters of a line with names; without a limit a file without lines would fill the memory."""

_ENCODING = (
    'give its encoding, as in --encoding latin-1 (nw.CSV(path, encoding="latin-1") in Python)'
)
_NAMES = "--names (names=[…] of nw.CSV or nw.Excel in Python)"


@public_methods
@final
@dataclass(frozen=True, init=False)
class CSV(os.PathLike[str]):
    """A delimited text file and how to read it; pass it wherever you can pass the path of a table.

    Requires: `delimiter` is one character, and `encoding` is known to Python; left out, commas,
    semicolons, tabs and vertical bars are detected from the first line, and UTF-8, UTF-16 and
    UTF-32 from the first bytes. Where a space follows each delimiter of the first line, spaces at
    the beginning of cells are left out. `header` says whether the first line holds names: True
    even if it looks like a record, False if it is one. The names are then `names`, or those of the
    plan.
    """

    path: str
    delimiter: str | None
    encoding: str | None
    header: bool | None
    names: tuple[str, ...] | None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        delimiter: str | None = None,
        encoding: str | None = None,
        header: bool | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        require_path(path)
        if delimiter is not None and (
            not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0'
        ):
            raise ParameterError(
                f"delimiter is {brief(delimiter)}; it must be one character, such as ';', and "
                "neither a quote nor the end of a line."
            )
        listed = read_header(header, names)
        set_field = object.__setattr__
        set_field(self, "path", os.fspath(path))
        set_field(self, "delimiter", delimiter)
        set_field(self, "encoding", None if encoding is None else _known_encoding(encoding))
        set_field(self, "header", header)
        set_field(self, "names", listed)

    def __fspath__(self) -> str:
        """Return the path of the file."""
        return self.path


def read_header(header: Any, names: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of columns that were given, which goes with header=False alone."""
    if header not in (None, True, False):
        raise ParameterError(f"header is {brief(header)}; it must be True, False or None.")
    listed = None if names is None else tuple(several(names, name="names", of="columns"))
    if listed is not None and header is not False:
        raise ParameterError(
            "names are given, but the first line of the file should hold them. Pass header=False "
            "(--no-header) if it does not, or leave names out."
        )
    return listed


def _known_encoding(encoding: Any) -> str:
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise ParameterError(
            f"encoding is {brief(encoding)}, which Python does not know. Give 'latin-1', 'cp1252' "
            "or 'utf-16', for example."
        ) from None


def as_csv(data: Any) -> CSV | None:
    """Return what is a delimited text, by what it is or by its name; None for anything else."""
    if isinstance(data, CSV):
        return data
    if isinstance(data, (str, os.PathLike)):
        name = os.fspath(data)
        if isinstance(name, str) and name.lower().endswith(TEXT) and not os.path.isdir(name):
            return CSV(name)
    return None


@final
@dataclass(frozen=True)
class CsvLayout:
    """A delimited text file with all that is needed to read it.

    `spaced` says that a space follows each delimiter of the first line: it is part of no cell.
    """

    path: Path
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    spaced: bool = False

    @classmethod
    def of(cls, file: CSV, *, declared: Sequence[str] = ()) -> CsvLayout:
        """Detect what was not said; `declared` are the names of a file without a header.

        Ensures: nothing is looked at but the first line. Raises DataError, without showing it.
        """
        path = Path(file.path)
        with open(path, "rb") as raw:
            if not raw.read(1):
                raise DataError(f"{path} is empty; its first line must hold the names of columns.")
        encoding = file.encoding or "utf-8"
        try:
            if file.encoding is None:
                with _binary(path) as raw:
                    start = raw.read(4)
                marked = (name for mark, name in _MARKS if start.startswith(mark))
                encoding = next(marked, encoding)
            with _open_text(path, encoding) as text:
                first = _first_line(path, text).removeprefix("\ufeff")
        except (gzip.BadGzipFile, EOFError):
            raise DataError(f"{path} does not begin with the header of a CSV file.") from None
        except UnicodeError:
            raise DataError(
                f"the header of {path} is not {encoding.upper()} text; {_ENCODING}."
            ) from None
        _require_text(path, first, encoding)
        delimiter = file.delimiter or _delimiter(path, first)
        spaced = 0 < first.count(delimiter) == first.count(f"{delimiter} ")
        lines = io.StringIO(first, newline="")
        try:
            cells = next(csv.reader(lines, delimiter=delimiter, skipinitialspace=spaced), [])
        except csv.Error:
            raise DataError(f"{path} does not begin with the header of a CSV file.") from None
        if file.header is not False:
            return cls(path, encoding, delimiter, tuple(cells), has_header=True, spaced=spaced)
        names = require_as_many_names(file, declared, len(cells))
        return cls(path, encoding, delimiter, names, has_header=False, spaced=spaced)

    def open_text(self) -> io.TextIOWrapper:
        """Return the letters of the file; those that are none of the encoding are replaced."""
        return _open_text(self.path, self.encoding)


def _binary(path: Path) -> Any:
    return gzip.open(path) if path.suffix.lower() == ".gz" else open(path, "rb")


def _open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    # What is not of the encoding further down is found, with its row, when it is read.
    return io.TextIOWrapper(_binary(path), encoding=encoding, errors="replace", newline="")


def _first_line(path: Path, text: io.TextIOWrapper) -> str:
    """Return the first line, and those that a quoted name goes on over."""
    first = whole = text.readline(_LONGEST)
    if len(first) == _LONGEST:
        raise DataError(
            f"the first line of {path} has more than 8 MB; it must hold the names of columns."
        )
    while whole.count('"') % 2:
        following = text.readline(_LONGEST - len(whole))
        if not following:
            # A quote that is never closed is part of a name.
            return first
        whole += following
    return whole


def _require_text(path: Path, first: str, encoding: str) -> None:
    shown = encoding.upper()
    if "\0" in first:
        raise DataError(
            f"the header of {path} holds zero bytes, so it is not {shown} text. If it is text, "
            f"{_ENCODING}; for UTF-16 without a byte order mark, utf-16-le."
        )
    if "�" in first:
        raise DataError(
            f"the header of {path} is not {shown} text. Save the file as UTF-8, or {_ENCODING}."
        )


def _delimiter(path: Path, first: str) -> str:
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    outside = re.sub(r'"[^"]*"', "", first)
    found = [letter for letter in _DELIMITERS if letter in outside]
    if len(found) > 1:
        words = " or ".join(_DELIMITERS[letter] for letter in found)
        raise DataError(
            f"the cells of {path} may be separated by {words}: its first line has them all. Name "
            "one, as in --delimiter ';' (nw.CSV(path, delimiter=\";\") in Python), or put names "
            "that hold one of them between quotes."
        )
    return found[0] if found else ","


def require_as_many_names(file: Any, declared: Sequence[str], cells: int) -> tuple[str, ...]:
    """Return the names of a file without a header: those given, or those declared in order."""
    path, given = file.path, file.names
    names = tuple(given if given is not None else declared)
    whose = "names are given" if given is not None else "columns are named in the plan"
    if not names:
        raise InputError(f"{path} has no header; name its columns with {_NAMES}.")
    if any(not isinstance(name, str) or not name for name in names) or len(set(names)) < len(names):
        raise InputError(f"the names of the columns of {path} must be distinct texts.")
    if len(names) != cells:
        raise InputError(
            f"{len(names)} {whose}, and the first line of {path} has {cells} cells. Name every "
            f"column in order, dropped ones too, with {_NAMES}."
        )
    return names
