"""The designs that a reader of the site can reach, made when it is built."""

import json
from itertools import product
from pathlib import Path

import noisewright as nw

PEOPLE = (4, 8)
EPSILONS = ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3")
LOSSES = ("L0", "L1", "L2")
GOALS = ("expected", "worst")
PROPERTIES = ("", "WH", "CM", "F", "WH,CM", "RH,RM,CH,CM,F,WH,S")


def design_all(epsilons: tuple[str, ...]) -> dict[str, object]:
    """Return each design by what was asked for: its matrix, loss, bound and route."""
    designs: dict[str, object] = {}
    for n, epsilon, loss, goal, wanted in product(PEOPLE, epsilons, LOSSES, GOALS, PROPERTIES):
        made = nw.design(
            nw.Counts(n),
            epsilon=epsilon,
            loss=loss,
            goal=goal,
            properties={code for code in wanted.split(",") if code},
        )
        designs["/".join((str(n), epsilon, loss, goal, wanted))] = {
            "matrix": [[round(float(cell), 4) for cell in row] for row in made.mechanism.matrix],
            "loss": made.loss,
            "bound": made.bound,
            "route": made.route,
            "guarantee": str(made.problem.guarantee),
            "unit": str(made.problem.space.unit),
        }
    return designs


def write_designs(path: Path) -> None:
    """Write the designs as a script: a page that is opened as a file may not fetch data."""
    choices = {
        "n": PEOPLE,
        "epsilon": EPSILONS,
        "loss": LOSSES,
        "goal": GOALS,
        "properties": PROPERTIES,
    }
    data = json.dumps({"choices": choices, "designs": design_all(EPSILONS)}, separators=(",", ":"))
    path.write_text(f"window.DESIGNS = {data};\n", encoding="utf-8")
