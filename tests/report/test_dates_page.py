"""The page of a release of dates names dates, not numbers of days."""

import datetime
import re
from pathlib import Path

import pyarrow as pa

import noisewright as nw


def test_a_page_shows_dates(tmp_path: Path) -> None:
    days = [datetime.date(1990, 1, 1) + datetime.timedelta(n) for n in range(300)]
    space = nw.Dates("1989-01-01", "1991-12-31", step="month")
    plan = nw.Plan({"day": nw.Column(space)}, epsilon=20)
    nw.release(pa.table({"day": days}), plan, ledger=None, out=tmp_path / "o.parquet")
    page = (tmp_path / "o.report.html").read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", " ", page)
    assert "months from 1989-01-01 to 1991-12-01" in text
    assert "What leaves the range from 1989-01-01 to 1991-12-01" in text
    assert re.search(r"1990-0\d-01 +", text)
    assert str(int(space.low)) not in text.split("What happened to each column")[1][:4000]
    assert "noise added to the true value" in text
    # The ends of the strips are dates, too.
    assert re.search(r'text-anchor="middle">19(89|90|91)-\d\d-01</text>', page)
