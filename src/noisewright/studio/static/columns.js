// The form of one column: what it can hold, as somebody types it.

import { choice, field, h, put } from "./dom.js";
import { keep, store } from "./store.js";

const KINDS = [
  ["", "to be declared"],
  ["labels", "one of several labels"],
  ["numbers", "a number"],
  ["dates", "a date or time"],
  ["sets", "a set of items"],
  ["curves", "a curve: numbers at several positions"],
  ["drop", "not used"],
  ["public", "public: released as it is"],
];
export function column(one, words, changed) {
  const about = h("span", { class: one.kind ? "soft" : "open" }, ` ${one.words}`);
  words.set(one.name, about);
  const fields = h("div", { class: "grid" });
  const now = {
    kind: one.kind ?? "",
    labels: one.labels ?? [],
    low: one.low,
    high: one.high,
    step: one.step,
    largest: one.largest,
    positions: one.positions,
    separator: one.separator,
    null: one.null,
    other: one.other,
    outside: "error",
  };
  const set = (changes) => {
    Object.assign(now, changes);
    const columns = { ...store.columns };
    delete columns[one.name];
    if (now.kind) columns[one.name] = wanted(now);
    keep({ columns });
    changed();
  };
  const input = (name, label, hint) =>
    field(
      label,
      h("input", {
        type: "text",
        value: now[name] ?? "",
        autocomplete: "off",
        oninput: (event) => set({ [name]: event.target.value.trim() || null }),
      }),
      hint,
    );
  const draw = () =>
    put(
      fields,
      ...({
        labels: () => [
          lines("Labels, one per line"),
          input("null", "Empty cells count as", "If left blank, they are errors."),
          input("other", "Other labels count as", "If left blank, they are errors."),
        ],
        sets: () => [
          lines("Items, one per line"),
          field(
            "Most items in a set",
            h("input", {
              type: "number",
              min: 1,
              value: now.largest ?? "",
              oninput: (event) => set({ largest: Number(event.target.value) || null }),
            }),
          ),
          between(),
        ],
        curves: () => [
          input("low", "Lowest possible value"),
          input("high", "Highest possible value"),
          field(
            "Numbers in a curve",
            h("input", {
              type: "number",
              min: 1,
              value: now.positions ?? "",
              oninput: (event) => set({ positions: Number(event.target.value) || null }),
            }),
          ),
          between(),
        ],
        numbers: () => [
          input("low", "Lowest possible value"),
          input("high", "Highest possible value"),
          input("step", "Step of the grid", "1 for whole numbers."),
          outside(),
        ],
        dates: () => [
          input("low", "First date, e.g. 1920-01-01"),
          input("high", "Last date"),
          input("step", "Step: day, week, month, year, hour or minute"),
        ],
      }[now.kind]?.() ?? []),
    );
  const between = () =>
    input("separator", "Separator in text files", "If left blank, a semicolon.");
  const lines = (label) =>
    field(
      label,
      h("textarea", {
        value: now.labels.join("\n"),
        spellcheck: "false",
        oninput: (event) =>
          set({
            labels: event.target.value
              .split("\n")
              .map((t) => t.trim())
              .filter(Boolean),
          }),
      }),
      "Typed or pasted, from the questionnaire.",
    );
  const outside = () =>
    field(
      "Values out of bounds",
      choice(
        [
          ["error", "are errors"],
          ["clamp", "move to the nearest bound"],
        ],
        now.outside,
        (value) => set({ outside: value }),
      ),
    );
  const kind = choice(KINDS, now.kind, (value) => {
    set({ kind: value, step: value === "numbers" ? (now.step ?? "1") : now.step });
    draw();
  });
  draw();
  return h(
    "details",
    { open: !one.kind },
    h(
      "summary",
      {},
      h("span", { class: "name" }, one.name),
      one.type ? ` (${one.type})` : "",
      about,
    ),
    one.why ? h("p", { class: "soft small" }, one.why) : null,
    field(`What ${one.name} holds`, kind),
    fields,
  );
}

function wanted(now) {
  const { kind, labels, low, high, step, largest, outside } = now;
  const rest = { null: now.null ?? null, other: now.other ?? null };
  if (kind === "drop" || kind === "public") return { kind };
  if (kind === "labels") return { kind, labels, ...rest };
  const text = { separator: now.separator || null };
  if (kind === "sets") return { kind, labels, largest: largest ?? null, ...text };
  if (kind === "curves")
    return { kind, low: low ?? null, high: high ?? null, positions: now.positions ?? null, ...text };
  const bounds = { kind, low: low ?? null, high: high ?? null, step: step ?? null };
  return kind === "numbers" ? { ...bounds, outside } : bounds;
}
