"""Whether the first line of a CSV file holds names, or somebody's record.

Names of columns are published with every release, its plan and its report. In a file without a
header the first record would be taken for them, and would be published unprotected. A file does not
say which of the two its first line is, so a line that looks like a record is refused, and not
shown, unless you say that it holds names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from noisewright.errors import DataError
from noisewright.spaces import Categories, Space, Subsets

_PATTERNS = (
    ("a date", re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")),
    ("a date", re.compile(r"\d{1,2}\.?[ -][^\W\d]{3,9}\.?,?[ -]\d{2,4}")),
    ("a time", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?", re.IGNORECASE)),
    ("a number", re.compile(r"[-+(]*[€$£]?\s*[.,]?\d[\d.,'’\s]*(e[-+]?\d+)?\s*[%€$£)]*", re.I)),
    ("an address", re.compile(r"\S+@\S+\.\S+")),
    ("a long number", re.compile(r".*\d{5}.*", re.DOTALL)),
    ("an identifier", re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", re.IGNORECASE)),
    ("a value", re.compile(r"true|false|nan|n/a|null|none|[-+]?inf(inity)?", re.IGNORECASE)),
)


def looks_like(name: str) -> str | None:
    """Return what kind of value a name looks like, or nothing."""
    text = name.strip()
    return next((kind for kind, pattern in _PATTERNS if pattern.fullmatch(text)), None)


def labels_of(spaces: Iterable[Space]) -> frozenset[str]:
    """Return the labels and items of declared spaces, as a CSV file would write them."""
    found: set[str] = set()
    for space in spaces:
        if isinstance(space, Categories):
            found.update(map(str, space.labels))
        if isinstance(space, Subsets):
            found.update(map(str, space.items))
    return frozenset(found)


def require_header(
    where: str, names: Sequence[str], *, labels: Collection[str] = (), header: bool = False
) -> None:
    """Refuse a first line that may be a record; it is never quoted.

    `labels` are declared labels, which a name that is one of them looks like. `header` says that
    the line holds names; they must still be there, and differ.
    """
    advice = (
        "If the first line is a record, add a header line above it, or pass --no-header. It is not "
        "shown here, because it may be somebody's data."
    )
    places: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"column {place} of {where} has no name; give it one. {advice}")
        if name in places:
            raise DataError(
                f"columns {places[name]} and {place} of {where} have the same name; rename one of "
                f"them. {advice}"
            )
        places[name] = place
    if header:
        return
    for place, name in enumerate(names, start=1):
        what = "a declared label" if name.strip() in labels else looks_like(name)
        if what is not None:
            raise DataError(
                f"the first line of {where} should name the columns but may be a record: cell "
                f"{place} looks like {what}. {advice} If it does hold the names, pass --header "
                "(nw.CSV(path, header=True) in Python)."
            )
