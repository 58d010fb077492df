// The flowchart of the count paper (Cormode, Kulkarni and Srivastava 2018, Figure 5), and the path
// through it that a set of properties takes.

import { s } from "./dom.js";

const QUESTIONS = [
  ["fair", ["fairness (F)?"], "EM", ["explicit fair (EM)", "closed form"]],
  ["column", ["CH or CM,", "and α > 1/2?"], "WM", ["WM: the program", "for WH + RM + CM"]],
  ["honest", ["WH, and", "n < 2α/(1 − α)?"], "WH", ["WH: the program", "for WH (+ RM)"]],
];
const LAST = ["GM", ["geometric (GM)", "closed form"]];
const WIDE = 132,
  HIGH = 44,
  STEP = 78,
  RIGHT = 196;

// `path` is null where the flowchart says nothing.
export function flowchart(path) {
  const met = (key) => (path && key in path.answers ? path.answers[key] : null);
  const parts = [];
  QUESTIONS.forEach(([key, words, end, result], place) => {
    const y = 6 + place * STEP;
    const yes = met(key) === true,
      no = met(key) === false;
    parts.push(arrow(WIDE + 4, y + HIGH / 2, RIGHT, y + HIGH / 2, "yes", yes));
    parts.push(arrow(4 + WIDE / 2, y + HIGH, 4 + WIDE / 2, y + STEP, "no", no));
    parts.push(box(4, y, words, met(key) !== null, 20));
    parts.push(box(RIGHT, y, result, path?.end === end, 4));
  });
  parts.push(box(4, 6 + 3 * STEP, LAST[1], path?.end === LAST[0], 4));
  const width = RIGHT + WIDE + 6,
    height = 12 + 3 * STEP + HIGH;
  const end = path ? ` The path ends at ${path.end}.` : "";
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      class: path ? "flow" : "flow pale",
      "aria-label": `Flowchart from properties to the best mechanism for L0.${end}`,
      "data-end": path?.end,
    },
    parts,
  );
}

function box(x, y, words, taken, round) {
  return s(
    "g",
    { class: taken ? "taken" : null },
    s("rect", { x, y, width: WIDE, height: HIGH, rx: round }),
    words.map((text, line) =>
      s(
        "text",
        {
          x: x + WIDE / 2,
          y: y + HIGH / 2 + 4 + (line - (words.length - 1) / 2) * 15,
          "text-anchor": "middle",
        },
        text,
      ),
    ),
  );
}

function arrow(x, y, x2, y2, word, taken) {
  const right = y === y2;
  const tip = right
    ? `M${x2 - 8} ${y2 - 5} L${x2} ${y2} L${x2 - 8} ${y2 + 5} Z`
    : `M${x2 - 5} ${y2 - 8} L${x2} ${y2} L${x2 + 5} ${y2 - 8} Z`;
  const at = right ? { x: (x + x2) / 2 - 10, y: y - 6 } : { x: x + 8, y: (y + y2) / 2 + 4 };
  return s(
    "g",
    { class: taken ? "taken" : null },
    s("line", { x1: x, y1: y, x2: right ? x2 - 6 : x2, y2: right ? y2 : y2 - 6 }),
    s("path", { d: tip }),
    s("text", at, word),
  );
}
