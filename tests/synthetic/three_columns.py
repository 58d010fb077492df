"""Three columns whose whole joint distribution has 12 points: counts, and the best fits to them."""

from collections.abc import Sequence

import numpy as np

import noisewright as nw
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import Noise

SIZES = {"a": 2, "b": 3, "c": 2}
DOMAIN = nw.Records(a=nw.Counts(1), b=nw.Counts(2), c=nw.Counts(1))
SHAPE, ROWS = tuple(SIZES.values()), 1000
GROUPS = [("a",), ("b",), ("c",), ("a", "b"), ("c", "b"), ("a", "c")]


BEYOND = nw.Records({name: nw.Counts(127) for name in "xyz"})
"""128³ points, more than a million; two pairs make a path, and a third would make a cycle."""


def beyond() -> dict[str, np.ndarray]:
    """3,000 people whose x says all about y and z."""
    x = np.random.default_rng(6).integers(0, 128, 3000)
    return {"x": x, "y": (x * 3) % 128, "z": x // 2}


def marginal_of(joint: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    return np.einsum(f"abc->{''.join(names)}", joint)


def joint_of(model: GraphModel) -> np.ndarray:
    return model.marginal(("a", "b", "c"))


def people() -> np.ndarray:
    """1,000 people whose three columns hang together in all ways."""
    rng = np.random.default_rng(12)
    return rng.multinomial(ROWS, rng.dirichlet(np.ones(12))).reshape(SHAPE)


def counted(joint: np.ndarray, noise: Noise, spread: int) -> list[Measurement]:
    rng = np.random.default_rng(5)
    found: list[Measurement] = []
    for names in GROUPS:
        counts = marginal_of(joint, names)
        drawn = rng.integers(-spread, spread + 1, counts.shape)
        found.append(Measurement(DOMAIN, names, counts + drawn, noise, ROWS))
    return found


def nearest(
    seen: Sequence[Measurement], *, pull: float = 0.0, to: np.ndarray | None = None
) -> np.ndarray:
    """Least squares over all distributions on 12 points, by another library: SciPy's SLSQP.

    With a pull, `pull` times ROWS times the Kullback–Leibler distance from `to` comes on top.
    """
    from scipy.optimize import minimize

    def loss(flat: np.ndarray) -> float:
        joint = flat.reshape(SHAPE)
        gaps = [ROWS * (marginal_of(joint, m.columns) - m.counts / ROWS).reshape(-1) for m in seen]
        squares = sum((g @ g) / (2 * m.deviation**2) for m, g in zip(seen, gaps, strict=True))
        if to is None:
            return float(squares)
        inside = np.maximum(flat, 1e-300)
        return float(squares + pull * ROWS * (inside @ np.log(inside / to.reshape(-1))))

    whole = {"type": "eq", "fun": lambda flat: flat.sum() - 1}
    start = np.full(12, 1 / 12)
    options = {"ftol": 1e-15, "maxiter": 2000}
    done = minimize(
        loss, start, method="SLSQP", bounds=[(0, 1)] * 12, constraints=[whole], options=options
    )
    assert done.success
    return done.x.reshape(SHAPE)


def most_even(joint: np.ndarray) -> np.ndarray:
    """The largest entropy with these three pairs: proportional fitting from the uniform one."""
    fit = np.full(SHAPE, 1 / 12)
    for _ in range(3000):
        fit = fit * (joint.sum(axis=2) / fit.sum(axis=2))[:, :, None]
        fit = fit * (joint.sum(axis=0) / fit.sum(axis=0))[None, :, :]
        fit = fit * (joint.sum(axis=1) / fit.sum(axis=1))[:, None, :]
    return fit
