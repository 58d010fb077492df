"""A design is certified like the mechanism that it holds; nothing else is."""

from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import InputError


def test_a_design_has_the_certificate_of_its_mechanism() -> None:
    design = nw.design(nw.Counts(4), epsilon="0.5", loss="L1", properties={"CM", "WH"})
    certificate = nw.certify(design)
    plain = nw.certify(design, optimality=False)
    assert plain.digest == nw.certify(design.mechanism).digest
    assert design.properties <= set(certificate.properties)
    assert nw.check(certificate)


@pytest.mark.parametrize("thing", [5, "m.json", None, nw.Counts(4), [[1, 0], [0, 1]]])
def test_what_is_no_mechanism_is_told_so(thing: Any) -> None:
    with pytest.raises(InputError, match=r"certify\(\) takes a mechanism or a design"):
        nw.certify(thing)
