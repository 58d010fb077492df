// The design room: the best mechanism for few points, and what properties cost.

import { post } from "./api.js";
import { heatmap } from "./charts.js";
import { STOPS, form, isOrdered, request } from "./design_form.js";
import { code, h, later, note, number, put, table } from "./dom.js";
import { flowchart } from "./flowchart.js";

const MOST_KEPT = 200;
const known = new Map();

// What was found is kept, so that a slider that comes back shows it at once.
function find(request) {
  const key = JSON.stringify(request);
  if (!known.has(key)) {
    const found = post("/api/design", request);
    known.set(key, found);
    found.catch(() => known.delete(key));
    if (known.size > MOST_KEPT) known.delete(known.keys().next().value);
  }
  return known.get(key);
}

export async function design() {
  const now = {
    space: "counts",
    n: 8,
    labels: ["red", "green", "blue"],
    distances: "",
    neighbors: "adjacent",
    epsilon: "0.5",
    loss: "L0",
    goal: "expected",
    prior: "uniform",
    p: "1/2",
    weights: [],
    properties: ["WH", "CM"],
  };
  const result = h("div", { id: "best" });
  const prices = h("div", { id: "prices" });
  const controls = h("div");
  let latest = 0,
    here = true;
  const solve = later(20, async () => {
    const turn = ++latest,
      started = performance.now(),
      wanted = request(now);
    try {
      const made = await find(wanted);
      if (turn !== latest || !here) return;
      show(result, made, now, wanted);
      result.dataset.milliseconds = (performance.now() - started).toFixed(0);
      result.dataset.shown = `${now.n} ${now.epsilon}`;
      const cost = await post("/api/design/prices", wanted);
      if (turn !== latest || !here) return;
      put(prices, ...priced(cost));
      await ahead(now, () => turn === latest && here);
    } catch (problem) {
      if (turn !== latest || !here) return;
      put(result, note(problem.message, "bad"));
      put(prices);
    }
  });
  const draw = () => put(controls, ...form(now, solve, draw));
  draw();
  solve();
  return {
    content: [
      h("h1", {}, "Design"),
      h(
        "p",
        {},
        "The mechanism with the least loss for few points, and a proof that nothing beats it.",
      ),
      h("div", { class: "halves" }, controls, result),
      prices,
    ],
    leave: () => {
      here = false;
    },
  };
}

// The stops beside this one are found while nobody waits.
async function ahead(now, wanted) {
  const place = STOPS.indexOf(now.epsilon);
  const near = [
    ...[place + 1, place - 1, place + 2, place - 2]
      .filter((one) => one in STOPS)
      .map((one) => ({ epsilon: STOPS[one] })),
    ...[now.n + 1, now.n - 1].filter((n) => n >= 2 && n <= 20).map((n) => ({ n })),
  ];
  for (const change of near) {
    if (!wanted() || (now.space === "labels" && change.n)) return;
    await find(request({ ...now, ...change })).catch(() => {});
  }
}

function show(result, made, now, wanted) {
  const asked = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted))
    for (const one of [value].flat()) asked.append(key, one);
  const last = made.points.at(-1);
  put(
    result,
    h("p", {}, "Loss ", h("span", { class: "big" }, number(made.loss, 6))),
    h(
      "p",
      {},
      `No mechanism with ${made.guarantee} ${made.unit} and these properties has a loss below ` +
        `${number(made.bound, 9)}: proven.`,
    ),
    heatmap(
      `Probabilities of outputs for each input, from ${made.points[0]} to ${last}`,
      made.matrix,
      made.points,
    ),
    h(
      "p",
      { class: "soft small" },
      `Rows are true inputs. Properties that it has: ${made.has.join(", ") || "none"}. ` +
        `Route: ${made.route}.`,
    ),
    table(
      ["loss of this mechanism", "on average", "worst case"],
      made.losses.map((one) => [one.loss, number(one.expected, 5), number(one.worst, 5)]),
      { caption: "Losses" },
    ),
    h(
      "div",
      { class: "row" },
      h(
        "a",
        {
          class: "button",
          href: `/api/design/certificate?${asked}`,
          download: "mechanism.certificate.json",
        },
        "Download the certificate",
      ),
    ),
    h("h2", {}, "Flowchart of the count paper"),
    made.flowchart.applies
      ? ""
      : h(
          "p",
          { class: "soft" },
          `It does not apply here: it is ${made.flowchart.reasons.join(", ")}.`,
        ),
    flowchart(made.flowchart.applies ? made.flowchart : null),
    h(
      "p",
      { class: "soft small" },
      `Cormode, Kulkarni and Srivastava 2018, Figure 5, where α is e^−ε` +
        (isOrdered(now) ? ` = ${number(Math.exp(-Number(now.epsilon)))}.` : "."),
    ),
    made.code.shell ? code("The same in the shell", made.code.shell) : "",
    code("The same in Python", made.code.python),
  );
}

function priced(cost) {
  return [
    h("h2", {}, "What properties cost"),
    h(
      "p",
      {},
      `The least loss of any mechanism, without any property, is ${number(cost.without, 6)}.`,
    ),
    table(
      ["property", "asked for", "least loss with it alone", "it adds", "dropping it saves"],
      cost.prices.map((one) => [
        `${one.meaning} (${one.property})`,
        one.asked ? "yes" : "no",
        number(one.alone, 5),
        one.added ? `+${number(one.added)}` : "0",
        one.asked ? number(one.saved) : "–",
      ]),
      { caption: "What properties cost" },
    ),
  ];
}
