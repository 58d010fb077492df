"""Draw the pictures of the documentation: `.venv/bin/python docs/pictures/make.py`."""

from pathlib import Path

import altair as alt

import noisewright as nw

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


def main() -> None:
    """Draw the picture at the top of the README."""
    space = nw.Counts(PEOPLE)
    geometric = nw.geometric(space, epsilon=EPSILON)
    fair = nw.explicit_fair(space, epsilon=EPSILON)
    named = {"geometric": geometric, "explicit fair": fair}
    chart = alt.hconcat(
        heatmap(geometric, "Geometric mechanism"),
        heatmap(fair, "Explicit fair mechanism"),
        curves(named),
        spacing=28,
    ).configure_view(stroke=None)
    chart.save(HERE / "mechanisms.png", scale_factor=1.5)


if __name__ == "__main__":
    main()
