"""What the name of a column suggests, when nothing else is known about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Suggestion = Literal["identifier", "person", "text", "date", "place"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSONS = _words(
    "person patient user customer client member respondent participant subject employee student "
    "citizen taxpayer household account individual voter donor pupil resident device visitor "
    "subscriber panelist"
)

_IDENTIFIERS = _words(
    "id ids identifier uuid guid key name surname firstname lastname fullname username nickname "
    "login email mail phone telephone mobile fax ssn sin nin nhs mrn passport iban bic iccid imei "
    "imsi ip mac address addr street url website handle signature photo fingerprint barcode "
    "token cookie password pin vin plate"
)

_IDENTIFYING_PAIRS = (
    ("social", "security"),
    ("credit", "card"),
    ("card", "number"),
    ("account", "number"),
    ("record", "number"),
    ("policy", "number"),
    ("tax", "number"),
    ("license", "number"),
    ("phone", "number"),
)

_TEXT = _words(
    "comment comments note notes remark remarks text description narrative message review feedback "
    "answer_text memo body freetext verbatim"
)

_DATES = _words("date datetime timestamp time dob birthdate birthday born created updated")

_PLACES = _words("zip zipcode postcode postal latitude longitude lat lon lng geo gps")


@dataclass(frozen=True)
class Hint:
    """A suggestion and the reason for it, in words that finish "it looks like …"."""

    suggestion: Suggestion
    why: str


def hint_of(name: str) -> Hint | None:
    """Return what a column's name suggests, or nothing.

    "person" is an identifier that one person may have on several rows, such as patient_id.
    """
    words = words_of(name)
    if (
        len(words) > 1
        and words[-1] in ("id", "number", "no", "nr", "key", "uuid", "code")
        and (_PERSONS & set(words[:-1]))
    ):
        return Hint("person", "a number that identifies one person")
    if _IDENTIFIERS & set(words) or _pairs(words):
        return Hint("identifier", "something that names one person")
    if _DATES & set(words):
        return Hint("date", "a date or a time")
    if _PLACES & set(words):
        return Hint("place", "a place that few people share")
    if _TEXT & set(words):
        return Hint("text", "free text")
    return None


def words_of(name: str) -> list[str]:
    """Split a name into lower-case words: patientId, patient_id and "Patient ID" are the same."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.lower() for word in re.split(r"[\W_]+", apart) if word]


def _pairs(words: list[str]) -> bool:
    return any(pair in _IDENTIFYING_PAIRS for pair in pairwise(words))
