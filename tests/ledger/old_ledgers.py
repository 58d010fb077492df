"""Ledgers as they were written before: version 1, without a unit, and version 2, without ρ.

Nothing here comes from the library: it may change, and what was written then must still be read.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

COLUMNS = [
    "sequence",
    "token",
    "kind",
    "dataset",
    "about",
    "epsilon",
    "delta",
    "what",
    "certificate",
    "fingerprint",
    "who",
    "at",
    "previous",
    "hash",
]

_DESCRIPTION = """CREATE TABLE noisewright_ledger (
    id INTEGER NOT NULL, version INTEGER NOT NULL, {origin} identity TEXT NOT NULL,
    created TEXT NOT NULL, key TEXT, key_check TEXT NOT NULL, head_sequence BIGINT NOT NULL,
    head_hash TEXT NOT NULL, PRIMARY KEY (id))"""
_ENTRIES = """CREATE TABLE noisewright_entries (
    sequence {whole} NOT NULL, token TEXT NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL,
    about BIGINT, epsilon TEXT, delta TEXT, what TEXT NOT NULL, certificate TEXT,
    fingerprint TEXT, who TEXT NOT NULL, at TEXT NOT NULL, previous TEXT NOT NULL,
    hash TEXT NOT NULL, {later} PRIMARY KEY (sequence), UNIQUE (token))"""
_REFUSAL = "a ledger is append-only: entries are never changed or deleted"
_SQLITE_TRIGGERS = [
    f"CREATE TRIGGER noisewright_entries_no_{verb.lower()} BEFORE {verb} ON noisewright_entries "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    for verb in ("UPDATE", "DELETE")
]
_POSTGRESQL_TRIGGERS = [
    "CREATE OR REPLACE FUNCTION noisewright_entries_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
    "CREATE TRIGGER noisewright_entries_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "
    "noisewright_entries FOR EACH STATEMENT EXECUTE FUNCTION noisewright_entries_refuse()",
]


def digest(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def write_old_ledger(
    execute: Callable[..., object],
    entries: list[dict[str, Any]],
    *,
    mark: str = "?",
    version: int = 1,
) -> str:
    """Write the two tables and return the head; `mark` is how the database marks a parameter."""
    whole = "INTEGER" if mark == "?" else "BIGINT"
    later = ["unit", "claim"] if version == 2 else []
    execute(_DESCRIPTION.format(origin="origin INTEGER," if later else ""), ())
    execute(_ENTRIES.format(whole=whole, later="".join(f"{name} TEXT, " for name in later)), ())
    for statement in _SQLITE_TRIGGERS if mark == "?" else _POSTGRESQL_TRIGGERS:
        execute(statement, ())
    key = bytes(range(32))
    public = {
        "version": version,
        "identity": "ab" * 16,
        "created": "2026-05-12T08:00:00.000000Z",
        "key_check": hmac.new(key, b"noisewright ledger key 1", "sha256").hexdigest(),
    }
    previous = digest(public)
    for number, said in enumerate(entries, start=1):
        entry: dict[str, Any] = dict.fromkeys(COLUMNS[:-1])
        entry |= {
            "sequence": number,
            "token": f"{number:032x}",
            "dataset": "survey",
            "what": "",
            "who": "ann@agency",
            "at": "2026-05-12T08:00:00.000000Z",
            "previous": previous,
            **said,
        }
        entry["hash"] = previous = digest(entry)
        marks = ", ".join([mark] * len(entry))
        execute(
            f"INSERT INTO noisewright_entries ({', '.join(entry)}) VALUES ({marks})",
            tuple(entry.values()),
        )
    row = {"id": 1, **public, "key": key.hex()} | ({"origin": version} if later else {})
    row |= {"head_sequence": len(entries), "head_hash": previous}
    marks = ", ".join([mark] * len(row))
    execute(
        f"INSERT INTO noisewright_ledger ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
    )
    return f"{len(entries)}:{previous}"


FIVE = [
    {"kind": "register", "fingerprint": "cd" * 32},
    {"kind": "grant", "epsilon": "4", "delta": "1/1000"},
    {"kind": "spend", "epsilon": "1", "delta": "0", "what": "ages"},
    {"kind": "released", "about": 3},
    {"kind": "spend", "epsilon": "ln(2)", "delta": "1/1000000", "what": "jobs"},
]
"""A grant of 4, and 1 + ln 2 spent for nobody knows whom; the second spend is still reserved."""

_UNIT = '{"person":"patient","rows":3}'
_BY_ROW = '{"delta":"1/1000000","epsilon":"1/2","independent":true,"person":null}'
_BY_PERSON = '{"delta":"1/1000000","epsilon":"1","independent":false,"person":"patient"}'
SECOND: list[dict[str, Any]] = [
    {"kind": "grant", "epsilon": "9", "delta": "1/1000", "unit": _UNIT},
    {
        "kind": "spend",
        "epsilon": "3/2",
        "delta": "3/1000000",
        "what": "rows",
        "unit": _UNIT,
        "claim": _BY_ROW,
    },
    {
        "kind": "spend",
        "epsilon": "1",
        "delta": "1/1000000",
        "what": "people",
        "unit": _UNIT,
        "claim": _BY_PERSON,
    },
    {
        "kind": "checkpoint",
        "dataset": "",
        "what": '{"accounts":[["survey",["9","1/1000"],["5/2","1","1/250000"],'
        '"{\\"person\\":\\"patient\\",\\"rows\\":3}",[[[null,"1/2","1","1/1000000"],'
        '["patient","1","1","0"]],[["patient",64,"1/1000000"]]]]],"owners":[],'
        '"reserved":[[2,"survey"],[3,"survey"]]}',
    },
    {"kind": "wasted", "about": 2, "unit": _UNIT},
]
"""Of version 2: a person has three rows; a spend for one row, one for a person, a checkpoint."""
