"""What a column's name suggests."""

import pytest

from noisewright.plans.name_hints import hint_of, words_of


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("id", "identifier"),
        ("Email Address", "identifier"),
        ("surname", "identifier"),
        ("social_security", "identifier"),
        ("IPAddress", "identifier"),
        ("patientId", "person"),
        ("RESPONDENT_ID", "person"),
        ("household number", "person"),
        ("comments", "text"),
        ("date-of-birth", "date"),
        ("zip", "place"),
        ("job", None),
        ("keyboard", None),
        ("education-num", None),
        ("hours.per.week", None),
        ("native_country", None),
        ("account_type", None),
        ("年齢", None),
        ("", None),
    ],
)
def test_a_name_suggests(name: str, suggestion: str | None) -> None:
    hint = hint_of(name)
    assert (hint and hint.suggestion) == suggestion


def test_words_are_found_however_they_are_joined() -> None:
    for name in ("patientID", "patient_id", "Patient ID", "patient.id", "patient-Id"):
        assert words_of(name) == ["patient", "id"]
