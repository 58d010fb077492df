// The design room: the best mechanism for a count of few people, and what properties cost.

import { post } from "./api.js";
import { heatmap } from "./charts.js";
import { check, choice, code, field, h, later, note, number, put, table } from "./dom.js";

const STOPS = [
  "0.05",
  "0.1",
  "0.2",
  "0.3",
  "0.5",
  "0.7",
  "0.9",
  "1",
  "1.2",
  "1.5",
  "2",
  "2.5",
  "3",
  "4",
  "5",
];
const PROPERTIES = [
  ["WH", "weak honesty"],
  ["F", "fairness"],
  ["RH", "row honesty"],
  ["RM", "row monotone"],
  ["CH", "column honesty"],
  ["CM", "column monotone"],
  ["S", "symmetry"],
];

function slider(label, control, shown) {
  control.id = label.toLowerCase().replaceAll(" ", "-");
  shown.setAttribute("for", control.id);
  return h(
    "div",
    {},
    h("div", { class: "ahead" }, h("label", { for: control.id }, label), shown),
    control,
  );
}

export async function design() {
  const now = {
    n: 8,
    epsilon: "0.5",
    loss: "L1",
    goal: "expected",
    properties: ["WH", "CM"],
  };
  const result = h("div", { "aria-live": "off" });
  let latest = 0;
  const solve = later(40, async () => {
    const turn = ++latest,
      started = performance.now();
    try {
      const made = await post("/api/design", now);
      if (turn !== latest) return;
      show(result, made, now);
      result.dataset.milliseconds = (performance.now() - started).toFixed(0);
    } catch (problem) {
      if (turn === latest) put(result, note(problem.message, "bad"));
    }
  });
  const people = h("output", {}, String(now.n)),
    loss = h("output", {}, now.epsilon);
  const n = h("input", {
    type: "range",
    min: 1,
    max: 20,
    value: now.n,
    oninput: (event) => {
      now.n = Number(event.target.value);
      people.textContent = now.n;
      solve();
    },
  });
  n.value = "8";
  const epsilon = h("input", {
    type: "range",
    min: 0,
    max: STOPS.length - 1,
    oninput: (event) => {
      now.epsilon = STOPS[Number(event.target.value)];
      loss.textContent = now.epsilon;
      epsilon.setAttribute("aria-valuetext", now.epsilon);
      solve();
    },
  });
  epsilon.value = String(STOPS.indexOf(now.epsilon));
  epsilon.setAttribute("aria-valuetext", now.epsilon);
  const view = h(
    "div",
    { class: "halves" },
    h(
      "div",
      {},
      slider("People counted", n, people),
      slider("Epsilon", epsilon, loss),
      h(
        "div",
        { class: "grid" },
        field(
          "Loss function",
          choice(
            [
              ["L0", "L0: any error is 1"],
              ["L1", "L1: its size"],
              ["L2", "L2: its square"],
            ],
            now.loss,
            (value) => {
              now.loss = value;
              solve();
            },
          ),
        ),
        field(
          "Over inputs",
          choice(
            [
              ["expected", "on average"],
              ["worst", "in the worst case"],
            ],
            now.goal,
            (value) => {
              now.goal = value;
              solve();
            },
          ),
        ),
      ),
      h(
        "fieldset",
        {},
        h("legend", {}, "Properties it must have"),
        PROPERTIES.map(([key, words]) =>
          check(`${words} (${key})`, now.properties.includes(key), (wanted) => {
            now.properties = now.properties
              .filter((one) => one !== key)
              .concat(wanted ? [key] : []);
            solve();
          }),
        ),
      ),
    ),
    result,
  );
  solve();
  return {
    content: [
      h("h1", {}, "Design"),
      h(
        "p",
        {},
        "The mechanism with the least loss for a count, and a proof that nothing beats it.",
      ),
      view,
    ],
  };
}

function show(result, made, now) {
  const asked = new URLSearchParams({
    n: now.n,
    epsilon: now.epsilon,
    loss: now.loss,
    goal: now.goal,
  });
  now.properties.forEach((one) => asked.append("properties", one));
  put(
    result,
    h("p", {}, "Loss ", h("span", { class: "big" }, number(made.loss, 6))),
    h(
      "p",
      {},
      `No mechanism with ${made.guarantee} and these properties has a loss below ` +
        `${number(made.bound, 9)}: proven. Without any property it is ${number(made.without, 6)}.`,
    ),
    heatmap(
      `Probabilities of released counts for each true count, from 0 to ${now.n}`,
      made.matrix,
    ),
    h(
      "p",
      { class: "soft small" },
      `Rows are true counts. Properties that it has: ${made.has.join(", ") || "none"}. ` +
        `Route: ${made.route}.`,
    ),
    made.prices.length
      ? [
          h("h2", {}, "What properties cost"),
          table(
            ["property", "alone", "it adds", "without it", "it saves"],
            made.prices.map((one) => [
              `${one.meaning} (${one.property})`,
              number(one.alone, 5),
              number(one.added),
              number(one.without, 5),
              number(one.saved),
            ]),
            { caption: "What properties cost" },
          ),
        ]
      : "",
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
    code("The same in the shell", made.code.shell),
    code("The same in Python", made.code.python),
  );
}
