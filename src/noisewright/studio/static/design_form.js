// The form of the design room: what comes in, what errors cost, and what must hold.

import { check, choice, field, h } from "./dom.js";

export const STOPS = "0.05 0.1 0.2 0.3 0.5 0.7 0.9 1 1.2 1.5 2 2.5 3 4 5".split(" ");
const SPACES = [
  ["counts", "a count of people"],
  ["line", "points on a line"],
  ["circle", "points on a circle"],
  ["labels", "labels"],
];
const NEIGHBORS = {
  counts: [
    ["adjacent", "counts that differ by one"],
    ["replace", "any two counts"],
  ],
  line: [
    ["metric", "any two, epsilon per unit of distance"],
    ["replace", "any two points"],
  ],
  circle: [
    ["metric", "any two, epsilon per unit of distance"],
    ["replace", "any two points"],
  ],
  labels: [
    ["replace", "any two labels"],
    ["metric", "any two, epsilon per unit of distance"],
  ],
};
const LOSSES = [
  ["L0", "L0: any error is 1"],
  ["L1", "L1: the size of the error"],
  ["L2", "L2: the square of the error"],
  ["L0,1", "L0,1: an error of more than 1 is 1"],
];
const PRIORS = [
  ["uniform", "uniform: all inputs equally likely"],
  ["binomial", "binomial: each person says yes with p"],
  ["weights", "weights of my own"],
];
const PROPERTIES = [
  ["WH", "weak honesty"],
  ["F", "fairness"],
  ["RH", "row honesty"],
  ["RM", "row monotone"],
  ["CH", "column honesty"],
  ["CM", "column monotone"],
  ["S", "symmetry"],
  ["OD", "output privacy"],
];
const UNORDERED = ["WH", "F", "RH", "CH"];

export function request(now) {
  const possible = isOrdered(now) ? PROPERTIES.map(([key]) => key) : UNORDERED;
  const wanted = {
    space: now.space,
    epsilon: now.epsilon,
    loss: now.loss,
    goal: now.goal,
    neighbors: now.neighbors,
    properties: now.properties.filter((one) => possible.includes(one)),
  };
  if (now.space === "labels") wanted.labels = now.labels;
  else wanted.n = now.n;
  if (now.space === "labels" && now.distances.trim()) wanted.distances = now.distances;
  if (now.prior !== "uniform") wanted.prior = now.prior;
  if (now.prior === "binomial") wanted.p = now.p;
  if (now.prior === "weights") wanted.weights = now.weights;
  return wanted;
}

const inputs = (now) =>
  now.space === "labels" ? now.labels.length : now.n + (now.space === "counts" ? 1 : 0);

export const isOrdered = (now) => ["counts", "line"].includes(now.space);

function slider(label, low, high, value, text, changed) {
  const shown = h("output", {}, text(value));
  const control = h("input", {
    type: "range",
    min: low,
    max: high,
    "aria-valuetext": text(value),
    oninput: (event) => {
      const place = Number(event.target.value);
      shown.textContent = text(place);
      control.setAttribute("aria-valuetext", text(place));
      changed(place);
    },
  });
  control.value = String(value);
  control.id = label.toLowerCase().replaceAll(" ", "-");
  shown.setAttribute("for", control.id);
  return h(
    "div",
    {},
    h("div", { class: "ahead" }, h("label", { for: control.id }, label), shown),
    control,
  );
}

export function form(now, solve, draw) {
  const set = (changes) => {
    Object.assign(now, changes);
    solve();
  };
  const again = (changes) => {
    set(changes);
    draw();
  };
  const text = (label, value, changed, hint) =>
    field(
      label,
      h("input", {
        type: "text",
        value,
        autocomplete: "off",
        oninput: (event) => changed(event.target.value.trim()),
      }),
      hint,
    );
  const split = (value) =>
    value
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
  const possible = PROPERTIES.filter(([key]) => isOrdered(now) || UNORDERED.includes(key));
  const ends = PRIORS.filter(([key]) => key !== "binomial" || now.space === "counts");
  return [
    h(
      "div",
      { class: "grid" },
      field(
        "What comes in",
        choice(SPACES, now.space, (space) =>
          again({
            space,
            n: Math.max(now.n, 2),
            neighbors: NEIGHBORS[space][0][0],
            prior: now.prior === "binomial" ? "uniform" : now.prior,
          }),
        ),
      ),
      field(
        "Neighbors",
        choice(NEIGHBORS[now.space], now.neighbors, (neighbors) => set({ neighbors })),
      ),
    ),
    now.space === "labels"
      ? [
          text("Labels, separated by commas", now.labels.join(", "), (value) =>
            set({ labels: split(value) }),
          ),
          field(
            "Distances between labels, as a matrix",
            h("textarea", {
              value: now.distances,
              spellcheck: "false",
              oninput: (event) => set({ distances: event.target.value }),
            }),
            "One row for each label. If left blank, every two labels are 1 apart.",
          ),
        ]
      : slider(
          now.space === "counts" ? "People counted" : "Points",
          now.space === "counts" ? 1 : 2,
          20,
          now.n,
          String,
          (n) => set({ n }),
        ),
    slider(
      "Epsilon",
      0,
      STOPS.length - 1,
      STOPS.indexOf(now.epsilon),
      (place) => STOPS[place],
      (place) => set({ epsilon: STOPS[place] }),
    ),
    h(
      "div",
      { class: "grid" },
      field(
        "Loss function",
        choice(LOSSES, now.loss, (loss) => set({ loss })),
      ),
      field(
        "Over inputs",
        choice(
          [
            ["expected", "on average, by the prior"],
            ["worst", "in the worst case"],
          ],
          now.goal,
          (goal) => again({ goal }),
        ),
      ),
      now.goal === "worst"
        ? ""
        : field(
            "Prior: how likely inputs are",
            choice(ends, now.prior, (prior) =>
              again({ prior, weights: Array(inputs(now)).fill("1") }),
            ),
          ),
      now.goal !== "worst" && now.prior === "binomial"
        ? text("p", now.p, (p) => set({ p }), "For example 0.3 or 1/3.")
        : "",
      now.goal !== "worst" && now.prior === "weights"
        ? text(
            "Weights, separated by commas",
            now.weights.join(", "),
            (value) => set({ weights: split(value) }),
            "One for each input; they need not sum to 1.",
          )
        : "",
    ),
    h(
      "fieldset",
      {},
      h("legend", {}, "Properties it must have"),
      possible.map(([key, words]) =>
        check(`${words} (${key})`, now.properties.includes(key), (wanted) =>
          set({
            properties: now.properties
              .filter((one) => one !== key)
              .concat(wanted ? [key] : []),
          }),
        ),
      ),
    ),
  ];
}
