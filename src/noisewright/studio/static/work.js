// The room where budget is spent: a question, a synthetic table, a private copy; and all jobs.

import { get, post } from "./api.js";
import { check, choice, code, field, h, note, number, put, say, table } from "./dom.js";
import { jobCard } from "./jobs.js";
import { keep, store } from "./store.js";

const AGGREGATES = [
  ["count", "how many"],
  ["mean", "mean of"],
  ["sum", "sum of"],
  ["median", "median of"],
  ["distinct", "distinct values of"],
];
const TOOLS = [
  ["ask", "Ask a question"],
  ["synthesize", "Make a synthetic table"],
  ["release", "Release a private copy"],
];
const ENDS = { ask: "answer", synthesize: "synthetic", release: "private" };

export async function work() {
  const [jobs, state] = await Promise.all([get("/api/jobs"), get("/api/state")]);
  const list = h("div", { id: "jobs" });
  const cards = new Map();
  const add = (job, first) => {
    if (cards.has(job.id)) return;
    const card = jobCard(job);
    cards.set(job.id, card);
    if (first) list.prepend(card.view);
    else list.append(card.view);
    if (first) card.view.querySelector("h3").focus();
  };
  jobs.forEach((job) => add(job, false));
  const content = [
    h("h1", {}, "Do"),
    h("p", {}, "Everything here spends privacy budget once you confirm it."),
  ];
  if (!store.plan || !store.table) {
    content.push(note("First declare a table and save its plan, in the room Data.", "warn"));
  } else {
    content.push(...forms(jobs, state, (job) => add(job, true)));
  }
  content.push(
    h("h2", {}, "Jobs"),
    jobs.length ? "" : h("p", { class: "soft", id: "none" }, "No jobs yet."),
    list,
  );
  return { content, leave: () => cards.forEach((card) => card.leave()) };
}

function forms(jobs, state, started) {
  const now = {
    kind: "ask",
    aggregates: [{ what: "count", column: "" }],
    by: [],
    where: "",
    sql: "",
  };
  const columns = (store.draft?.columns ?? []).filter(
    (one) => one.kind && !["drop", "public"].includes(one.kind),
  );
  const body = h("div"),
    confirm = h("div", { id: "confirm" });
  const epsilon = h("input", {
    type: "text",
    inputmode: "decimal",
    value: store.epsilon,
    autocomplete: "off",
  });
  const delta = h("input", {
    type: "text",
    inputmode: "decimal",
    value: store.delta,
    autocomplete: "off",
  });
  const output = h("input", { type: "text", autocomplete: "off" });
  const dataset = h("input", { type: "text", autocomplete: "off" });
  let without = false;
  const name = () => {
    const taken = jobs.length ? `-${jobs.length + 1}` : "";
    output.value = `${ENDS[now.kind]}${taken}.csv`;
  };
  const draw = () => {
    put(confirm);
    name();
    delta.value = now.kind === "ask" ? "0" : store.delta;
    put(
      body,
      ...{
        ask: () => question(now, columns),
        synthesize: () => [
          h(
            "p",
            {},
            "Made-up rows with about the same counts as the real ones. You can ask the table " +
              "anything, but columns that were not counted together may be off.",
          ),
        ],
        release: () => [
          h(
            "p",
            {},
            "Every row, randomized as the plan says. Epsilon, delta and order are those of ",
            h("strong", {}, store.plan),
            "; change them in Data and Choose.",
          ),
        ],
      }[now.kind](),
    );
    numbers.hidden = now.kind === "release";
  };
  const numbers = h(
    "div",
    { class: "grid" },
    field("Epsilon, for this alone", epsilon),
    field("Delta", delta),
  );
  const explain = async () => {
    const request = {
      kind: now.kind,
      table: store.table,
      plan: store.plan,
      output: output.value.trim(),
      dataset: dataset.value.trim() || null,
      without_ledger: without,
    };
    if (now.kind !== "release")
      Object.assign(request, {
        epsilon: epsilon.value.trim(),
        delta: delta.value.trim() || null,
      });
    if (now.kind === "ask") request.question = asked(now);
    put(confirm, h("p", { class: "soft" }, "Computing the cost …"));
    try {
      const made = await post("/api/explain", request);
      put(
        confirm,
        confirmation(
          made,
          request,
          async () => {
            const job = await post("/api/jobs", {
              confirmation: made.confirmation,
            });
            jobs.push(job);
            document.getElementById("none")?.remove();
            put(confirm);
            name();
            keep({ job: job.id });
            started(job);
          },
          () => {
            put(confirm);
          },
        ),
      );
      confirm.querySelector("h2").focus();
    } catch (problem) {
      put(confirm, note(problem.message, "bad"));
    }
  };
  draw();
  return [
    h(
      "form",
      {
        class: "card",
        onsubmit: (event) => {
          event.preventDefault();
          explain();
        },
      },
      h(
        "fieldset",
        {},
        h("legend", {}, "What to do"),
        TOOLS.map(([kind, words]) =>
          check(
            words,
            kind === now.kind,
            () => {
              now.kind = kind;
              draw();
            },
            "radio",
            "tool",
          ),
        ),
      ),
      body,
      numbers,
      h(
        "div",
        { class: "grid" },
        field("File to write", output, ".csv, .parquet or .feather, in the folder."),
        field("Budget", dataset, "If left blank: the one that the table is registered for."),
      ),
      // A team accounts for everything it releases.
      state.user
        ? ""
        : check("Debit no budget (to try things, not to publish)", false, (wanted) => {
            without = wanted;
          }),
      h(
        "div",
        { class: "row" },
        h("button", { class: "main", type: "submit" }, "Show the cost"),
      ),
    ),
    confirm,
  ];
}

function question(now, columns) {
  const numeric = columns.filter((one) => one.kind === "numbers");
  const list = h("div");
  const names = (what) =>
    (what === "distinct" ? columns : numeric).map((one) => [one.name, one.name]);
  const draw = () =>
    put(
      list,
      ...now.aggregates.map((one, place) => {
        const options = names(one.what);
        if (one.what !== "count" && !options.some(([key]) => key === one.column))
          one.column = options[0]?.[0] ?? "";
        return h(
          "div",
          { class: "row" },
          field(
            "What",
            choice(AGGREGATES, one.what, (value) => {
              one.what = value;
              draw();
            }),
          ),
          one.what === "count"
            ? ""
            : field(
                "Column",
                choice(options, one.column, (value) => {
                  one.column = value;
                }),
              ),
          now.aggregates.length > 1
            ? h(
                "button",
                {
                  type: "button",
                  "aria-label": `Remove part ${place + 1}`,
                  onclick: () => {
                    now.aggregates.splice(place, 1);
                    draw();
                  },
                },
                "Remove",
              )
            : "",
        );
      }),
    );
  draw();
  const keys = columns.filter((one) => one.kind === "labels");
  return [
    h(
      "fieldset",
      {},
      h("legend", {}, "Question"),
      list,
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            now.aggregates.push({ what: "count", column: "" });
            draw();
          },
        },
        "Ask for more",
      ),
      keys.length
        ? h(
            "div",
            {},
            h("p", { class: "label" }, "For each value of"),
            keys.map((one) =>
              check(one.name, now.by.includes(one.name), (wanted) => {
                now.by = now.by
                  .filter((name) => name !== one.name)
                  .concat(wanted ? [one.name] : []);
              }),
            ),
          )
        : "",
      field(
        "Only rows where",
        h("input", {
          type: "text",
          value: now.where,
          autocomplete: "off",
          spellcheck: "false",
          oninput: (event) => {
            now.where = event.target.value;
          },
        }),
        "A condition in SQL: hours >= 20 AND job = 'nurse'",
      ),
      h(
        "details",
        {},
        h("summary", {}, "Or write SQL"),
        field(
          "Question in SQL",
          h("textarea", {
            value: now.sql,
            spellcheck: "false",
            oninput: (event) => {
              now.sql = event.target.value;
            },
          }),
          "SELECT job, COUNT(*) FROM people GROUP BY job",
        ),
      ),
    ),
  ];
}

function asked(now) {
  if (now.sql.trim()) return { sql: now.sql };
  const aggregates = now.aggregates.map((one) =>
    one.what === "count" ? { what: "count" } : { ...one },
  );
  return { aggregates, by: now.by, where: now.where.trim() || null };
}

function confirmation(made, request, yes, no) {
  const button = h(
    "button",
    { type: "button", class: "danger" },
    request.without_ledger ? "Do it" : `Spend ${made.price}`,
  );
  const failed = h("div");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await yes();
      say("Started.");
    } catch (problem) {
      button.disabled = false;
      put(failed, note(problem.message, "bad"));
    }
  });
  return h(
    "section",
    { class: "card", "aria-labelledby": "confirm-title" },
    h("h2", { id: "confirm-title", tabindex: -1 }, "Before you confirm"),
    made.budget.map((text) => note(text, request.without_ledger ? "warn" : "")),
    note(made.forever, "warn"),
    made.words.map((text) =>
      text.includes("\n")
        ? h(
            "details",
            {},
            h("summary", {}, "What will be computed"),
            h("pre", { tabindex: 0 }, text),
          )
        : h("p", {}, text),
    ),
    made.errors.length
      ? [
          h("h3", {}, `Expected errors, with ${number(made.rows)} rows spread evenly`),
          table(
            ["number", "standard error", "95% interval, plus or minus"],
            made.errors.map((one) => [
              one.column,
              number(one.standard_error),
              number(one.half_width),
            ]),
            { caption: "Expected errors", stacked: true },
          ),
        ]
      : "",
    h("div", { class: "row" }, button, h("button", { type: "button", onclick: no }, "Cancel")),
    failed,
    made.shell ? code("The same in the shell", made.shell) : "",
    code("The same in Python", made.python),
  );
}
