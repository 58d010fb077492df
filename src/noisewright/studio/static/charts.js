// Small pictures in SVG. Each has a title for screen readers, and a table beside it in the room.

import { number, s } from "./dom.js";

// Letters keep their size on a phone: pictures are drawn as wide as there is room.
const room = () => Math.max(240, Math.min(640, document.documentElement.clientWidth - 48));
const edge = (width) => (width < 480 ? 112 : 190);

function frame(title, height, children, width) {
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
    children,
  );
}

// About 7 units for a letter; what is cut off stands in the title.
function short(text, left) {
  const most = Math.floor((left - 10) / 6.6);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((Math.min(Math.max(value, low), high) - low) / span) * (to - from);
}

// Answers with their intervals.
export function intervals(title, rows) {
  const known = rows.filter((row) => Number.isFinite(row.value));
  if (!known.length) return null;
  const low = Math.min(...known.map((row) => row.low)),
    high = Math.max(...known.map((row) => row.high));
  const width = room(),
    left = edge(width);
  const x = scale(low, high, left, width - 20),
    height = known.length * 24 + 34;
  return frame(
    title,
    height,
    [
      known.map((row, place) => {
        const y = place * 24 + 14;
        return s(
          "g",
          {},
          s(
            "title",
            {},
            `${row.label}: ${number(row.value)} (${number(row.low)} to ${number(row.high)})`,
          ),
          s("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, short(row.label, left)),
          s("line", { class: "bar", x1: x(row.low), x2: x(row.high), y1: y, y2: y }),
          s("circle", { class: "dot", cx: x(row.value), cy: y, r: 5 }),
        );
      }),
      s("text", { class: "soft", x: left, y: height - 6 }, number(low)),
      s(
        "text",
        { class: "soft", x: width - 20, y: height - 6, "text-anchor": "end" },
        number(high),
      ),
    ],
    width,
  );
}

// Twenty equally likely outcomes of a normal error, in an order without a pattern.
export const OUTCOMES = [
  0.13, -0.99, 0.6, 1.96, -0.45, -1.44, 0.32, -0.06, 1.15, -0.76, 0.76, -0.32, 1.44, -1.96,
  0.06, 0.45, -1.15, 0.99, -0.13, -0.6,
];

// Example outcomes around an unknown truth: one line for each tool, on a common scale.
export function outcomes(title, tools, unit, frameNumber, width = room()) {
  const known = tools.filter((tool) => tool.error !== null);
  if (!known.length) return null;
  const most = 2.2 * Math.max(...known.map((tool) => tool.error)) || 1;
  // On a phone a name stands above its line.
  const isNarrow = width < 480;
  const left = isNarrow ? 8 : edge(width);
  const each = isNarrow ? 48 : 34;
  const x = scale(-most, most, left, width - 20),
    height = known.length * each + 30;
  return frame(
    title,
    height,
    [
      s("line", { class: "truth", x1: x(0), x2: x(0), y1: 0, y2: height - 24 }),
      known.map((tool, place) => {
        const y = place * each + each - 16;
        const at = isNarrow
          ? { x: left, y: y - 12 }
          : { x: left - 10, y: y + 4, "text-anchor": "end" };
        return s(
          "g",
          {},
          s("text", at, isNarrow ? tool.name : short(tool.name, left)),
          s("line", { class: "axis", x1: left, x2: width - 20, y1: y, y2: y }),
          OUTCOMES.map((one) =>
            s("circle", { class: "faint", cx: x(one * tool.error), cy: y, r: 5 }),
          ),
          s("circle", {
            class: "now",
            cx: x(OUTCOMES[(frameNumber + 7 * place) % OUTCOMES.length] * tool.error),
            cy: y,
            r: 6,
          }),
        );
      }),
      s(
        "text",
        { class: "soft", x: x(0), y: height - 6, "text-anchor": "middle" },
        "the truth",
      ),
      s("text", { class: "soft", x: left, y: height - 6 }, `−${number(most)} ${unit}`),
      s(
        "text",
        { class: "soft", x: width - 20, y: height - 6, "text-anchor": "end" },
        `+${number(most)} ${unit}`,
      ),
    ],
    width,
  );
}

// What an attacker believes, before and after.
export function belief(before, after, width = room()) {
  const x = scale(0, 1, 60, width - 60);
  const bar = (y, name, value, kind) =>
    s(
      "g",
      {},
      s("text", { x: 52, y: y + 15, "text-anchor": "end" }, name),
      s("rect", { class: kind, x: 60, y, width: x(value) - 60, height: 20, rx: 3 }),
      s("text", { x: x(value) + 6, y: y + 15 }, `${number(100 * value, 9)}%`),
    );
  return frame(
    `An attacker is right with probability ${100 * before}% before, at most ${100 * after}% after`,
    76,
    [
      bar(6, "before", before, "before"),
      bar(40, "after", after, "after"),
      s("line", { class: "truth", x1: x(0.5), x2: x(0.5), y1: 0, y2: 70 }),
    ],
    width,
  );
}

export function heatmap(title, matrix, points = matrix.map((_, x) => String(x))) {
  const size = matrix.length,
    outputs = matrix[0].length,
    longest = Math.max(...points.map((point) => point.length)),
    margin = Math.min(76, Math.max(34, 12 + 8 * longest));
  const cell = Math.min(36, (room() - 40) / outputs);
  const most = Math.max(...matrix.flat());
  return frame(
    title,
    size * cell + margin + 4,
    [
      s("text", { class: "soft", x: margin, y: 12 }, "released →"),
      matrix.map((row, x) =>
        row.map((value, y) =>
          s(
            "rect",
            {
              class: "cell",
              x: margin + y * cell,
              y: 18 + x * cell,
              width: cell - 1,
              height: cell - 1,
              "fill-opacity": (0.04 + (0.96 * value) / most).toFixed(3),
            },
            s("title", {}, `true ${points[x]}, released ${points[y]}: ${number(value)}`),
          ),
        ),
      ),
      matrix.map((_, x) =>
        s(
          "text",
          {
            class: "soft",
            x: margin - 6,
            y: 18 + x * cell + cell / 2 + 4,
            "text-anchor": "end",
          },
          points[x].length > 8 ? `${points[x].slice(0, 7)}…` : points[x],
        ),
      ),
    ],
    Math.max(200, outputs * cell + margin + 4),
  );
}

export function curve(title, points) {
  const right = points.at(-1)[0],
    top = Math.max(...points.map((point) => point[1])) || 1;
  const width = room(),
    x = scale(0, right, 50, width - 20),
    y = scale(0, top, 180, 14);
  const path = points
    .map(
      (point, place) =>
        `${place ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`,
    )
    .join(" ");
  return frame(
    title,
    216,
    [
      s("line", { class: "axis", x1: 50, x2: width - 20, y1: 180, y2: 180 }),
      s("line", { class: "axis", x1: 50, x2: 50, y1: 14, y2: 180 }),
      s("path", { class: "line", d: path }),
      s("text", { class: "soft", x: 44, y: 20, "text-anchor": "end" }, number(top)),
      s("text", { class: "soft", x: 44, y: 184, "text-anchor": "end" }, "δ 0"),
      s(
        "text",
        { class: "soft", x: width - 20, y: 202, "text-anchor": "end" },
        `ε = ${number(right)}`,
      ),
    ],
    width,
  );
}
