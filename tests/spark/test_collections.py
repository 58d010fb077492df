"""Reports of devices on Spark: the same tally as here, and repeated ones are found."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError


@pytest.mark.parametrize("method", ["projective", "unary"])
def test_a_frame_of_reports_gives_the_same_tally(spark: Any, method: str) -> None:
    collected = nw.local.frequencies(nw.Counts(19), epsilon=1, method=method)
    other = nw.local.frequencies(nw.Counts(19), epsilon=2, method=method)
    reports = [*collected.reports(np.arange(500) % 20)]
    mixed = [*reports, *reports[:30], *other.reports([1, 2, 3]), b"", b"junk", None]
    here = collected.server().add([one or b"" for one in mixed])
    frame = spark.createDataFrame([(one,) for one in mixed], "report BINARY").repartition(5)
    there = collected.server().add(frame)
    assert there.arrivals == here.arrivals
    assert (there.tally == here.tally).all()
    with pytest.raises(InputError, match="count twice"):
        there.add(frame)  # whole servers are merged, or none
    assert there.arrivals == here.arrivals
