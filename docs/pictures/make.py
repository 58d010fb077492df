"""Draw the pictures of the documentation: `.venv/bin/python docs/pictures/make.py`."""

from pathlib import Path

import altair as alt
import numpy as np

import noisewright as nw
from noisewright import report
from noisewright.demo.survey import JOBS, make_survey

HERE = Path(__file__).parent
BLUES = alt.Scale(scheme="viridis", domain=[0, 0.5])
EPSILON = 0.5
PEOPLE = 8


def heatmap(mechanism: nw.Mechanism, title: str) -> alt.LayerChart:
    """Draw a mechanism: a row for each input, a column for each output."""
    cells = [
        {"truth": x, "answer": y, "probability": float(p), "text": f"{p:.2f}"}
        for x, row in enumerate(mechanism.matrix)
        for y, p in enumerate(row)
    ]
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("answer:O", title="published count", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("truth:O", title="true count"),
    )
    color = alt.Color("probability:Q", scale=BLUES, legend=None)
    dark = alt.datum.probability > 0.3
    text = alt.when(dark).then(alt.value("#222")).otherwise(alt.value("#fff"))
    squares = base.mark_rect().encode(color=color)
    numbers = base.mark_text(fontSize=9).encode(text="text:N", color=text)
    return (squares + numbers).properties(width=270, height=270, title=title)


def curves(mechanisms: dict[str, nw.Mechanism]) -> alt.Chart:
    """Draw the exact privacy curves of several mechanisms."""
    rows = []
    for name, mechanism in mechanisms.items():
        profile = nw.profile(mechanism)
        for step in range(61):
            epsilon = step / 100
            rows.append({"epsilon": epsilon, "delta": profile.delta(epsilon), "mechanism": name})
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("epsilon:Q", title="epsilon", axis=alt.Axis(tickCount=6)),
            y=alt.Y("delta:Q", title="least delta"),
            color=alt.Color(
                "mechanism:N",
                scale=alt.Scale(range=["#0072B2", "#D55E00"]),
                legend=alt.Legend(orient="top-right", title=None),
            ),
            strokeDash=alt.StrokeDash("mechanism:N", legend=None),
        )
        .properties(width=230, height=270, title="What each one gives away")
    )


def answers() -> alt.ConcatChart:
    """Draw what 2,000 made-up people gave away for ε = 1, and the truth that nobody else knows."""
    table = make_survey(2000, seed=1)
    columns = {
        "job": nw.Column(JOBS, null="none"),
        "smokes": nw.Column([False, True]),
        "commute": nw.Column(nw.Interval(0, 120, step=1)),
    }
    people = nw.Private(table, columns=columns, ledger=None)
    source = nw.randomness.SeededSource(4)
    smokers = people.filter(nw.col("smokes")).group_by("job").agg(smokers=nw.count())
    commute = people.group_by("job").agg(commute=nw.col("commute").mean())
    found = [one.release(epsilon="0.5", source=source) for one in (smokers, commute)]
    job = np.array([one or "none" for one in table["job"].to_pylist()])
    smokes, minutes = table["smokes"].to_numpy(), table["commute"].to_numpy()
    truth = [
        np.array([np.sum(smokes & (job == one)) for one in JOBS]),
        np.array([minutes[job == one].mean() for one in JOBS]),
    ]
    titles = ["Smokers, by job", "Mean commute in minutes, by job"]
    charts = [
        report.estimate_chart(answer.estimate(), truth=true, title=title)
        for answer, true, title in zip(found, truth, titles, strict=True)
    ]
    return report.side_by_side(charts, columns=2)


def main() -> None:
    """Draw the pictures of the README."""
    report.save_chart(answers(), HERE / "answers.png")
    space = nw.Counts(PEOPLE)
    geometric = nw.geometric(space, epsilon=EPSILON)
    fair = nw.explicit_fair(space, epsilon=EPSILON)
    named: dict[str, nw.Mechanism] = {"geometric": geometric, "explicit fair": fair}
    chart = alt.hconcat(
        heatmap(geometric, "Geometric mechanism"),
        heatmap(fair, "Explicit fair mechanism"),
        curves(named),
        spacing=28,
    ).configure_view(stroke=None)
    chart.save(HERE / "mechanisms.png", scale_factor=1.5)


if __name__ == "__main__":
    main()
