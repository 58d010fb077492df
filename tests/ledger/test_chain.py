"""The chain of hashes: whatever is edited, deleted, moved or added is noticed, with which entry."""

import hashlib
import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import AlteredLedgerError, LedgerError
from noisewright.ledger.entries import LedgerEntry, digest_of

ENTRIES, DESCRIPTION = "noisewright_entries", "noisewright_ledger"


@pytest.fixture
def path(folder: Path) -> Path:
    """A ledger with an entry of every kind."""
    (folder / "survey.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    ledger = nw.Ledger.create(folder / "budget.db")
    ledger.grant("survey", epsilon=2, delta="1e-6", data=folder / "survey.csv", why="the board")
    with ledger.spend("survey", nw.accounting.Guarantee(0.5), what="ages", certificate="ab" * 32):
        pass
    with (
        pytest.raises(KeyError),
        ledger.spend("survey", nw.accounting.Guarantee(alpha="1/2"), what="jobs"),
    ):
        raise KeyError
    ledger.spend("survey", nw.accounting.Guarantee("1/10", "1e-9"), what="incomes")
    return folder / "budget.db"


@contextmanager
def edited(path: Path) -> Generator[sqlite3.Connection]:
    """Let someone edit the file with other tools, for the length of a block."""
    before = path.read_bytes()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for verb in ("update", "delete"):
            database.execute(f"DROP TRIGGER {ENTRIES}_no_{verb}")
        yield database
    path.write_bytes(before)


def rows(path: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        found = database.execute(f"SELECT * FROM {ENTRIES} ORDER BY sequence").fetchall()
    return [dict(row) for row in found]


def altered(path: Path, head: str | None = None) -> AlteredLedgerError:
    with pytest.raises(AlteredLedgerError, match=r"was altered: .* Release nothing") as problem:
        nw.Ledger.open(path, head=head)
    return problem.value


def other(value: object) -> list[object]:
    """Values that someone might put in place of one."""
    if isinstance(value, int):
        return [value + 100, str(value) + "x"]
    if isinstance(value, str):
        return [value + " ", b"\xff\xfe", 3]
    return ["1", 1]


def test_every_field_of_every_entry_is_covered(path: Path) -> None:
    for row in rows(path):
        for column, value in row.items():
            for new in other(value):
                if column == "sequence" and not isinstance(new, int):
                    continue  # SQLite itself refuses it
                with edited(path) as database:
                    changed = database.execute(
                        f"UPDATE {ENTRIES} SET {column} = ? WHERE sequence = ?",
                        (new, row["sequence"]),
                    )
                    assert changed.rowcount == 1
                    assert altered(path).entry == row["sequence"], (row, column, new)
    nw.Ledger.open(path)


def test_every_field_of_the_description_is_covered(path: Path) -> None:
    for column in ("identity", "created", "key_check", "head_hash", "head_sequence", "key"):
        with edited(path) as database:
            database.execute(f"UPDATE {DESCRIPTION} SET {column} = '00'")
            with pytest.raises(LedgerError):
                nw.Ledger.open(path)
    with edited(path) as database:
        database.execute(f"DELETE FROM {DESCRIPTION}")
        with pytest.raises(AlteredLedgerError, match="not one row"):
            nw.Ledger.open(path)


def test_a_deleted_entry_is_noticed_and_named(path: Path) -> None:
    for row in rows(path):
        with edited(path) as database:
            database.execute(f"DELETE FROM {ENTRIES} WHERE sequence = ?", (row["sequence"],))
            assert altered(path).entry == row["sequence"]


def test_two_entries_that_changed_places_are_noticed(path: Path) -> None:
    count = len(rows(path))
    for first in range(1, count + 1):
        for second in range(first + 1, count + 1):
            with edited(path) as database:
                for old, new in ((first, -1), (second, first), (-1, second)):
                    database.execute(
                        f"UPDATE {ENTRIES} SET sequence = ? WHERE sequence = ?", (new, old)
                    )
                assert altered(path).entry == first


def test_an_added_entry_is_noticed_even_with_a_right_hash(path: Path) -> None:
    last = rows(path)[-1]
    content = {**last, "sequence": last["sequence"] + 1, "token": "x", "previous": last["hash"]}
    del content["hash"]
    with edited(path) as database:
        insert(database, LedgerEntry.seal(content))
        assert altered(path).entry is not None


def insert(database: sqlite3.Connection, entry: LedgerEntry) -> None:
    row = entry.as_row()
    marks = ", ".join("?" * len(row))
    names = ", ".join(row)
    database.execute(f"INSERT INTO {ENTRIES} ({names}) VALUES ({marks})", tuple(row.values()))


def rewritten(database: sqlite3.Connection, found: list[dict[str, Any]]) -> None:
    """Put other entries in place of all, with hashes that fit, as a careful forger would."""
    database.execute(f"DELETE FROM {ENTRIES}")
    names = ("version", "identity", "created", "key_check")
    values = database.execute(f"SELECT {', '.join(names)} FROM {DESCRIPTION}").fetchone()
    previous = digest_of(dict(zip(names, values, strict=True)))
    for number, row in enumerate(found, start=1):
        content = {**row, "sequence": number, "previous": previous}
        content.pop("hash", None)
        entry = LedgerEntry.seal(content)
        insert(database, entry)
        previous = entry.hash
    database.execute(
        f"UPDATE {DESCRIPTION} SET head_sequence = ?, head_hash = ?", (len(found), previous)
    )


def test_what_only_a_noted_head_can_notice(path: Path) -> None:
    """A tail cut off with the head moved, and a ledger rewritten as a whole: the chain fits."""
    found = rows(path)
    head = nw.Ledger.open(path).head
    middle = f"{found[2]['sequence']}:{found[2]['hash']}"
    with edited(path) as database:
        rewritten(database, found[:-1])
        nw.Ledger.open(path)
        nw.Ledger.open(path, head=middle)
        problem = altered(path, head)
        assert problem.entry == len(found)
        assert "entries at the end are missing" in str(problem)
    with edited(path) as database:
        rewritten(database, [{**row, "who": "nobody"} for row in found])
        nw.Ledger.open(path)
        assert "rewritten" in str(altered(path, head))
        assert altered(path, middle).entry == 3
    nw.Ledger.open(path, head=head)
    nw.Ledger.open(path, head=middle)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({2: {"epsilon": "1/2"}}, id="more spent than granted"),
        pytest.param({2: {"epsilon": "-1"}}, id="a negative grant"),
        pytest.param({2: {"epsilon": "ln(9)"}}, id="an irrational grant"),
        pytest.param({2: {"delta": "2"}}, id="a delta above one"),
        pytest.param({3: {"epsilon": "a lot"}}, id="no number"),
        pytest.param({3: {"epsilon": "ln(1/2)"}}, id="a negative logarithm"),
        pytest.param({3: {"dataset": "others"}}, id="a dataset without a grant"),
        pytest.param({4: {"about": 5}}, id="an outcome before its spend"),
        pytest.param({6: {"about": 3}}, id="two outcomes of one spend"),
        pytest.param({4: {"about": None}}, id="an outcome of nothing"),
        pytest.param({1: {"fingerprint": None}}, id="a registration of nothing"),
    ],
)
def test_a_chain_that_fits_must_also_make_sense(path: Path, change: dict[int, dict]) -> None:
    found = [{**row, **change.get(row["sequence"], {})} for row in rows(path)]
    with edited(path) as database:
        rewritten(database, found)
        assert "no ledger accepts" in str(altered(path)) or "no guarantee" in str(altered(path))


def test_an_open_ledger_notices_too(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    before = path.read_bytes()
    ledger.spend("survey", nw.accounting.Guarantee("1/100"), what="more")
    path.write_bytes(before)  # someone restores an older copy
    with pytest.raises(AlteredLedgerError, match="is missing or was replaced"):
        ledger.spend("survey", nw.accounting.Guarantee("1/100"), what="again")
    with pytest.raises(AlteredLedgerError):
        ledger.remaining("survey")
    path.unlink()
    nw.Ledger.create(path)  # or starts over
    with pytest.raises(AlteredLedgerError, match="replaced"):
        ledger.spend("survey", nw.accounting.Guarantee("1/100"), what="again")


def test_other_tools_are_kept_from_editing_by_accident(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in (f"UPDATE {ENTRIES} SET who = 'me'", f"DELETE FROM {ENTRIES}"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                database.execute(statement)


def test_an_export_can_be_checked_with_nothing_but_the_standard_library(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    head = ledger.export(path.parent / "ledger.jsonl")
    lines = (path.parent / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    assert "key" not in json.loads(lines[0])
    previous = hashlib.sha256(lines[0].encode()).hexdigest()
    for line in lines[1:]:
        entry = json.loads(line)
        own = entry.pop("hash")
        assert entry["previous"] == previous
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
        assert own == hashlib.sha256(text.encode()).hexdigest()
        previous = own
    assert head == f"{len(lines) - 1}:{previous}"
    ledger.export(path.parent / "ledger.csv")
    table = (path.parent / "ledger.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == len(lines)
    assert table[0].startswith("sequence,token,kind,dataset")


def test_altered_entries_are_not_exported(path: Path) -> None:
    ledger = nw.Ledger.open(path)
    with edited(path) as database:
        database.execute(f"UPDATE {ENTRIES} SET what = 'nothing' WHERE sequence = 3")
        with pytest.raises(AlteredLedgerError):
            ledger.export(path.parent / "ledger.csv")
    assert not (path.parent / "ledger.csv").exists()
