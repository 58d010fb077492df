"""The design room: the best mechanism for few points, its losses, and what properties cost.

A slider asks for the same problems again and again: what was found is remembered.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field as Given

from noisewright import certificates, designs, mechanisms, spaces
from noisewright.exact import exactly
from noisewright.studio.failures import RefusalError

MOST_POINTS = 20
Found = TypeVar("Found")

_REMEMBERED = 256
_ORDERED = ("WH", "F", "RH", "RM", "CH", "CM", "S", "OD")
_UNORDERED = ("WH", "F", "RH", "CH")
_LOSSES = ("L0", "L1", "L2")


class StudioDesign(BaseModel):
    """A mechanism for few points: what comes in, what errors cost, and what it must satisfy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    space: Literal["counts", "labels", "line", "circle"] = "counts"
    n: int = Given(default=8, ge=1, le=MOST_POINTS)
    labels: list[str] = Given(default_factory=list[str], max_length=MOST_POINTS)
    distances: str | None = Given(default=None, max_length=20_000)
    neighbors: Literal["adjacent", "replace", "metric"] | None = None
    epsilon: str = Given(max_length=50)
    loss: Literal["L0", "L1", "L2", "L0,1", "L0,2", "distance"] = "L0"
    goal: Literal["expected", "worst"] = "expected"
    prior: Literal["uniform", "binomial", "weights"] = "uniform"
    p: str = Given(default="1/2", max_length=50)
    weights: list[str] = Given(default_factory=list[str], max_length=MOST_POINTS + 1)
    properties: list[str] = Given(default_factory=list[str], max_length=12)

    def points(self) -> Any:
        """Return the space of the inputs, which is that of the outputs too."""
        near: dict[str, Any] = {} if self.neighbors is None else {"neighbors": self.neighbors}
        if self.space == "counts":
            return spaces.Counts(self.n, **near)
        if self.space == "labels":
            metric = {} if self.matrix is None else {"metric": self.matrix}
            return spaces.Categories(self.labels, **near, **metric)
        if self.n < 2:
            raise RefusalError(f"a {self.space} needs at least 2 points; n is {self.n}.")
        if self.space == "line":
            return spaces.Interval(0, self.n - 1, step=1, **near)
        around = [[min(abs(a - b), self.n - abs(a - b)) for b in range(self.n)] for a in self.all]
        return spaces.Categories(list(map(str, self.all)), metric=around, **near)

    @property
    def all(self) -> range:
        """The numbers of the points of a line or a circle."""
        return range(self.n)

    @property
    def matrix(self) -> Any:
        """The distances between labels; None if all are 1."""
        if self.distances is None or not self.distances.strip():
            return None
        return mechanisms.read_matrix(self.distances, where="the distances")

    def weights_of(self, size: int) -> tuple[Fraction, ...] | None:
        """Return the prior as exact weights that sum to 1; None if it is uniform."""
        if self.prior == "uniform":
            return None
        if self.prior == "binomial":
            return designs.binomial(size - 1, self.p)
        given = [exactly(one, name="a weight") for one in self.weights]
        total = sum(given, Fraction(0))
        if len(given) != size or total <= 0 or min(given) < 0:
            raise RefusalError(
                f"the prior has {len(given)} weights; give {size}, one for each input, none below "
                "0 and not all of them 0. They need not sum to 1."
            )
        return tuple(one / total for one in given)

    @property
    def possible(self) -> tuple[str, ...]:
        """The properties that points of this kind can have."""
        return _UNORDERED if self.space in ("labels", "circle") else _ORDERED


def find_design(request: StudioDesign) -> dict[str, Any]:
    """Return the best mechanism, its proven bound and its losses."""
    made = _design(request)
    prior = made.problem.prior
    has = mechanisms.properties(made.mechanism)
    return {
        "points": [str(point) for point in made.problem.space.points],
        "matrix": [[float(cell) for cell in row] for row in made.mechanism.matrix],
        "loss": made.loss,
        "bound": made.bound,
        "gap": made.gap,
        "route": made.route,
        "guarantee": str(made.problem.guarantee),
        "unit": str(made.problem.space.unit),
        "prior": [float(weight) for weight in prior],
        "losses": [
            {
                "loss": name,
                "expected": designs.loss(made.mechanism, name, prior=prior),
                "worst": designs.loss(made.mechanism, name, goal="worst"),
            }
            for name in _LOSSES
        ],
        "has": [code for code in designs.WORDS if code in has],
        "words": {code: designs.WORDS[code] for code in request.possible},
        "flowchart": _flowchart(request),
        "code": design_code(request),
    }


def find_prices(request: StudioDesign) -> dict[str, Any]:
    """Return what each property costs: alone, and among those that are asked for."""
    prices: dict[str, dict[str, Any]] = {}
    for codes, asked in _sets(request):
        for row in _prices(_key(request), codes).rows():
            prices[row["property"]] = {**row, "asked": asked}
    none = _prices(_key(request), frozenset(request.properties)).none
    return {
        "without": none.loss,
        "prices": [prices[code] for code in designs.WORDS if code in prices],
    }


def certify_design(request: StudioDesign) -> str:
    """Return the certificate of the best mechanism."""
    return certificates.certify(_design(request)).to_json()


def design_code(request: StudioDesign) -> dict[str, str | None]:
    """Return the same as Python and shell code; None where the shell has no such space."""
    size = request.points().size
    prior = request.weights_of(size)
    weights = None if prior is None else list(map(str, prior))
    written = repr(weights)
    if request.prior == "binomial":
        written = f"nw.priors.binomial({size - 1}, {request.p!r})"
    near = "" if request.neighbors is None else f", neighbors={request.neighbors!r}"
    lines = ["import noisewright as nw", ""]
    space = f"nw.Counts({request.n}{near})"
    words: list[str] | None = ["counts", str(request.n)]
    if request.space == "line":
        space = f"nw.Interval(0, {request.n - 1}, step=1{near})"
        words = ["interval", "0", str(request.n - 1)]
    elif request.space == "labels":
        matrix = request.matrix
        shown = "" if matrix is None else f", metric={[list(map(str, row)) for row in matrix]}"
        space = f"nw.Categories({request.labels!r}{shown}{near})"
        plain = matrix is None and not any("," in label for label in request.labels)
        words = ["categories", ",".join(request.labels)] if plain else None
    elif request.space == "circle":
        lines += [
            f"n = {request.n}",
            "around = [[min(abs(a - b), n - abs(a - b)) for b in range(n)] for a in range(n)]",
        ]
        space = f"nw.Categories(list(map(str, range(n))), metric=around{near})"
        words = None
    codes = "{" + ", ".join(map(repr, request.properties)) + "}" if request.properties else "None"
    lines += [
        "best = nw.design(",
        f"    {space},",
        f"    epsilon={request.epsilon!r}, loss={request.loss!r}, goal={request.goal!r},",
        f"    prior={written}, properties={codes},",
        ")",
        'nw.certify(best).save("mechanism.json")',
    ]
    python = "\n".join(lines)
    if words is None:
        return {"shell": None, "python": python}
    command = ["noisewright", "design", *words, "--epsilon", request.epsilon]
    command += ["--loss", request.loss]
    command += [] if request.goal == "expected" else ["--goal", request.goal]
    command += [] if request.neighbors is None else ["--neighbors", request.neighbors]
    command += [] if weights is None else ["--prior", ",".join(weights)]
    command += ["--properties", ",".join(request.properties)] if request.properties else []
    return {"shell": shlex.join([*command, "-o", "mechanism.json"]), "python": python}


def _flowchart(request: StudioDesign) -> dict[str, Any]:
    """Return the path through the flowchart of the count paper, or why it does not apply."""
    if request.space != "counts":
        return {"applies": False, "reasons": ["for counts"]}
    reasons = [
        words
        for words, applies in (
            ("for at least 2 people", request.n >= 2),
            ("for adjacent counts as neighbors", request.neighbors in (None, "adjacent")),
            ("for the loss L0", request.loss == "L0"),
            ("for the loss on average", request.goal == "expected"),
            ("for a uniform prior", request.prior == "uniform"),
            ("for the properties of the paper", "OD" not in request.properties),
        )
        if not applies
    ]
    if reasons:
        return {"applies": False, "reasons": reasons}
    path = designs.flowchart_path(request.n, epsilon=request.epsilon, properties=request.properties)
    return {"applies": True, "answers": dict(path.answers), "end": path.end}


def _sets(request: StudioDesign) -> list[tuple[frozenset[str], bool]]:
    """Return the sets to price: those that are asked for together, and each other one alone."""
    asked = frozenset(request.properties)
    others = [frozenset({code}) for code in request.possible if code not in asked]
    return [(asked, True), *((one, False) for one in others)]


def _key(request: StudioDesign) -> str:
    return request.model_copy(update={"properties": []}).model_dump_json()


@lru_cache(maxsize=_REMEMBERED)
def _prices(key: str, codes: frozenset[str]) -> designs.PropertyPrices:
    return _solve(designs.price_of_properties, key, codes)


def _design(request: StudioDesign) -> designs.Design:
    return _best(_key(request), frozenset(request.properties))


@lru_cache(maxsize=_REMEMBERED)
def _best(key: str, codes: frozenset[str]) -> designs.Design:
    return _solve(designs.design, key, codes)


def _solve(solve: Callable[..., Found], key: str, codes: frozenset[str]) -> Found:
    request = StudioDesign.model_validate_json(key)
    space = request.points()
    return solve(
        space,
        epsilon=request.epsilon,
        loss=request.loss,
        goal=request.goal,
        prior=request.weights_of(space.size),
        properties=codes,
    )
