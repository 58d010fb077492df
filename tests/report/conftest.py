import pytest

import noisewright as nw


@pytest.fixture
def trio() -> dict[str, nw.Mechanism]:
    space = nw.Counts(8)
    return {
        "GM": nw.geometric(space, alpha="0.9"),
        "EM": nw.explicit_fair(space, alpha="0.9"),
        "UM": nw.uniform(space),
    }
