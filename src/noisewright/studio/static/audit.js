// The audit room: a certificate is proven again, and a matrix gets its exact epsilon.

import { post } from "./api.js";
import { curve } from "./charts.js";
import { choice, field, h, note, number, put, say, table } from "./dom.js";

export async function audit() {
  return {
    content: [
      h("h1", {}, "Audit"),
      h("p", {}, "Check what others claim, from the file alone."),
      certificate(),
      matrix(),
    ],
  };
}

function certificate() {
  const found = h("div", { id: "checked" });
  const look = async (text) => {
    put(found, h("p", { class: "soft" }, "Checking the proof …"));
    try {
      const made = await post("/api/audit/certificate", { text });
      say(made.holds ? "Proven." : "Not proven.");
      put(
        found,
        note(
          made.holds ? "Proven: everything that the certificate claims holds." : "NOT proven.",
          made.holds ? "good" : "bad",
        ),
        made.failures.length
          ? h(
              "ul",
              {},
              made.failures.map((one) => h("li", {}, `${one.part}: ${one.message}`)),
            )
          : "",
        h(
          "ul",
          {},
          made.proved.map((text) => h("li", {}, text)),
        ),
        made.assuming.length
          ? [
              h("h3", {}, "Taken on trust"),
              h(
                "ul",
                {},
                made.assuming.map((text) => h("li", {}, text)),
              ),
            ]
          : "",
      );
    } catch (problem) {
      put(found, note(problem.message, "bad"));
    }
  };
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    onchange: async (event) => {
      if (event.target.files[0]) look(await event.target.files[0].text());
    },
  });
  const place = h(
    "div",
    {
      class: "drop",
      ondragover: (event) => {
        event.preventDefault();
        place.classList.add("over");
      },
      ondragleave: () => place.classList.remove("over"),
      ondrop: async (event) => {
        event.preventDefault();
        place.classList.remove("over");
        if (event.dataTransfer.files[0]) look(await event.dataTransfer.files[0].text());
      },
    },
    field("Drop a certificate here, or choose its file", file),
  );
  const pasted = h("textarea", { spellcheck: "false" });
  return h(
    "section",
    {},
    h("h2", {}, "A certificate"),
    place,
    h(
      "details",
      {},
      h("summary", {}, "Or paste it"),
      field("Certificate, as JSON", pasted),
      h("button", { type: "button", onclick: () => look(pasted.value) }, "Check it"),
    ),
    found,
  );
}

function matrix() {
  const found = h("div", { id: "audited" });
  const text = h("textarea", { spellcheck: "false", value: "3/4, 1/4\n1/4, 3/4" });
  let neighbors = "replace";
  const file = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,.json",
    onchange: async (event) => {
      if (event.target.files[0]) text.value = await event.target.files[0].text();
    },
  });
  const delta = h("input", { type: "text", value: "0", autocomplete: "off" });
  const epsilon = h("input", { type: "text", value: "", autocomplete: "off" });
  return h(
    "section",
    {},
    h("h2", {}, "A matrix"),
    h(
      "form",
      {
        class: "card",
        onsubmit: async (event) => {
          event.preventDefault();
          try {
            const made = await post("/api/audit/matrix", {
              text: text.value,
              neighbors,
              delta: delta.value.trim() || "0",
              epsilon: epsilon.value.trim() || null,
            });
            show(found, made);
          } catch (problem) {
            put(found, note(problem.message, "bad"));
          }
        },
      },
      field(
        "One row of probabilities for each input, one column for each output",
        text,
        "0.25 or 1/4, or integer weights, separated by commas, semicolons, tabs or spaces.",
      ),
      field("Or take it from a CSV or JSON file", file),
      h(
        "div",
        { class: "grid" },
        field(
          "Neighbors",
          choice(
            [
              ["replace", "any two inputs"],
              ["adjacent", "adjacent inputs, as with counts"],
            ],
            neighbors,
            (value) => {
              neighbors = value;
            },
          ),
        ),
        field("Delta", delta),
        field("Epsilon to prove, if you have one in mind", epsilon),
      ),
      h(
        "div",
        { class: "row" },
        h("button", { class: "main", type: "submit" }, "What does it guarantee?"),
      ),
    ),
    found,
  );
}

function show(found, made) {
  const witness = made.witness;
  put(
    found,
    made.least_epsilon === null
      ? note(
          `No epsilon holds at delta ${made.delta}: some output is possible for one input ` +
            `and impossible for its neighbor.`,
          "bad",
        )
      : h(
          "p",
          {},
          `The least epsilon at delta ${made.delta}, ${made.unit}, is `,
          h("span", { class: "big" }, String(made.least_epsilon)),
        ),
    made.verdict ? note(made.verdict, made.verdict.startsWith("Proven") ? "good" : "bad") : "",
    witness
      ? h(
          "p",
          {},
          `What tells inputs apart: the outputs ${witness.event.join(", ")} have ` +
            `probability ${witness.probability} for input ${witness.input}, and ` +
            `${witness.probability_for_neighbor} for input ${witness.neighbor}.`,
        )
      : "",
    h("h3", {}, "Delta for each epsilon"),
    curve(
      `The least delta for each epsilon from 0 to ${number(made.curve.at(-1)[0])}`,
      made.curve,
    ),
    h(
      "details",
      {},
      h("summary", {}, "The exact curve, in fractions"),
      h(
        "p",
        { class: "soft" },
        "Between two lines of the table, delta is linear in e^epsilon; after the last, it is " +
          "constant.",
      ),
      table(
        ["e^epsilon", "epsilon, rounded up", "least delta"],
        made.knots.map((one) => [one.ratio, number(one.epsilon, 9), one.delta]),
        { caption: "The exact curve" },
      ),
      h(
        "a",
        {
          class: "button",
          download: "curve.json",
          href: URL.createObjectURL(
            new Blob([JSON.stringify(made, null, 1)], { type: "application/json" }),
          ),
        },
        "Download it as JSON",
      ),
    ),
  );
}
