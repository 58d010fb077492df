// The data room: open a table, declare its columns, say whose a row is, keep the plan.

import { get, post } from "./api.js";
import { check, choice, code, field, h, later, note, put, say } from "./dom.js";
import { column } from "./columns.js";
import { draftRequest, keep, store } from "./store.js";

const WARNING =
  "Take labels and bounds from what is known without the data: a questionnaire, a " +
  "codebook, the law. Taken from the data, they reveal who is in it: the largest income is " +
  "somebody's income.";

export async function data() {
  const state = await get("/api/state");
  const shown = h("div", { "aria-busy": "false" });
  const files = state.files.filter((one) => one.serves.includes("table"));
  const first = store.table?.file ?? state.data ?? "";
  const table = choice(
    [["", "choose a file"], ...files.map((one) => [one.name, one.name])],
    first,
    () => {},
  );
  const books = state.files.filter((one) => one.serves.includes("codebook"));
  const book = choice(
    [["", "none"], ...books.map((one) => [one.name, one.name])],
    store.codebook,
    () => {},
  );
  const saved = state.files.filter((one) => one.serves.includes("plan"));
  const plan = choice(
    [["", "none: declare the columns here"], ...saved.map((one) => [one.name, one.name])],
    saved.some((one) => one.name === store.plan) ? store.plan : "",
    () => {},
  );
  const failed = h("div");
  const given = store.table ?? {};
  const header = choice(
    [
      ["", "detect"],
      ["yes", "yes"],
      ["no", "no: it is a record"],
    ],
    given.header === false ? "no" : given.header ? "yes" : "",
    () => {},
  );
  const text = (value) =>
    h("input", {
      type: "text",
      value: value ?? "",
      autocomplete: "off",
      spellcheck: "false",
    });
  const delimiter = text(given.delimiter),
    encoding = text(given.encoding);
  const names = text(given.names?.join(", ")),
    sheet = text(given.sheet),
    inside = text(given.table);
  const named = field(
    "Name in the database",
    inside,
    "That of a table or a view, such as survey.people.",
  );
  const isDatabase = () => /:\/\/|\.(duckdb|ddb)$/i.test(table.value);
  const look = () => {
    named.hidden = !isDatabase();
  };
  table.addEventListener("change", look);
  look();

  async function open() {
    put(failed);
    if (!table.value) {
      put(failed, note("Choose a table first.", "bad"));
      table.focus();
      return;
    }
    let reopened = null;
    if (plan.value) {
      try {
        reopened = await get(`/api/plan/settings?file=${encodeURIComponent(plan.value)}`);
      } catch (problem) {
        put(failed, note(problem.message, "bad"));
        return;
      }
    }
    const listed = names.value
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
    keep({
      table: {
        file: table.value,
        table: isDatabase() ? inside.value.trim() || null : null,
        header: { yes: true, no: false }[header.value] ?? null,
        delimiter: delimiter.value || null,
        encoding: encoding.value || null,
        names: listed.length ? listed : null,
        sheet: sheet.value || null,
      },
      codebook: plan.value || book.value,
      columns: {},
      person: reopened?.person ?? null,
      plan: plan.value,
      order: reopened?.order ?? "",
      epsilon: reopened?.epsilon ?? store.epsilon,
      delta: reopened?.delta ?? store.delta,
      unknown: reopened?.unknown ?? [],
      draft: null,
    });
    if (store.unknown.length)
      put(
        failed,
        note(
          `${plan.value} also says ${store.unknown.join(", ")}, which has no field here. You can ` +
            "use the plan as it is; saving it here would leave that out.",
          "warn",
        ),
      );
    await draw(shown);
    shown.querySelector("h2")?.focus();
  }

  const form = h(
    "form",
    {
      class: "card",
      onsubmit: (event) => {
        event.preventDefault();
        open();
      },
    },
    h(
      "div",
      { class: "grid" },
      field("Table", table),
      named,
      field("Codebook, if there is one", book),
      field("Saved plan, to go on with", plan),
    ),
    h(
      "details",
      {},
      h("summary", {}, "How the file is read"),
      h(
        "div",
        { class: "grid" },
        field("The first line holds column names", header),
        field("Delimiter", delimiter, "If left blank, it is detected. For tabs, write tab."),
        field("Encoding", encoding, "If left blank, UTF-8."),
        field(
          "Column names, separated by commas",
          names,
          "For files without a header.",
        ),
        field("Sheet of a workbook", sheet),
      ),
    ),
    h("div", { class: "row" }, h("button", { class: "main", type: "submit" }, "Open")),
    failed,
  );
  // The process that predicts takes a second to start.
  post("/api/advice/start").catch(() => {});
  if (store.table) await draw(shown);
  return {
    content: [
      h("h1", {}, "Data"),
      h(
        "p",
        {},
        "Open a table and declare what its columns can hold. The studio reads names and types of " +
          "columns, and shows no values.",
      ),
      files.length
        ? form
        : note(
            "There is no table in this folder. Put a CSV, Parquet, Feather or Excel file " +
              "there, or start the studio in another folder.",
            "warn",
          ),
      shown,
    ],
  };
}

async function draw(shown) {
  shown.setAttribute("aria-busy", "true");
  let draft;
  try {
    draft = await post("/api/draft", draftRequest());
  } catch (problem) {
    put(shown, note(problem.message, "bad"));
    shown.setAttribute("aria-busy", "false");
    return;
  }
  keep({ draft: { columns: draft.columns } });
  const rest = h("div");
  const again = later(300, async () => {
    try {
      const found = await post("/api/draft", draftRequest());
      keep({ draft: { columns: found.columns } });
      summaries(found);
      finish(rest, found);
    } catch (problem) {
      put(rest, note(problem.message, "bad"));
    }
  });
  const words = new Map();
  const summaries = (found) =>
    found.columns.forEach((one) => {
      const place = words.get(one.name);
      place.textContent = ` ${one.words}`;
      place.className = one.kind ? "soft" : "open";
    });
  const columns = draft.columns.map((one) => column(one, words, again));
  put(
    shown,
    h("h2", { tabindex: -1 }, `Columns of ${store.table.table ?? store.table.file}`),
    note(WARNING, "warn"),
    columns,
    person(draft, again),
    order(again),
    rest,
  );
  shown.setAttribute("aria-busy", "false");
  finish(rest, draft);
}

function person(draft, changed) {
  const several = h("div", { class: "grid" });
  const names = draft.columns.map((one) => [one.name, one.name]);
  const draw = () =>
    put(
      several,
      ...(store.person
        ? [
            field(
              "Column that identifies people",
              choice(names, store.person.column, (value) => {
                keep({ person: { ...store.person, column: value } });
                changed();
              }),
            ),
            field(
              "Most rows that count for a person",
              h("input", {
                type: "number",
                min: 1,
                value: store.person.rows,
                oninput: (event) => {
                  keep({
                    person: {
                      ...store.person,
                      rows: Math.max(1, Number(event.target.value) || 1),
                    },
                  });
                  changed();
                },
              }),
              "They share the budget: the fewer rows, the better the answers.",
            ),
          ]
        : []),
    );
  const hint = draft.persons[0] ?? names[0]?.[0];
  draw();
  return h(
    "fieldset",
    {},
    h("legend", {}, "Which person does a row belong to?"),
    check(
      "Each row is a different person",
      !store.person,
      () => {
        keep({ person: null });
        draw();
        changed();
      },
      "radio",
      "person",
    ),
    check(
      "A person may have several rows",
      Boolean(store.person),
      () => {
        keep({ person: { column: hint, rows: 3 } });
        draw();
        changed();
      },
      "radio",
      "person",
    ),
    draft.persons.length && !store.person
      ? note(`${draft.persons.join(", ")} looks like a column that identifies people.`, "warn")
      : null,
    several,
  );
}

function order(changed) {
  return h(
    "fieldset",
    {},
    h("legend", {}, "If you release a private copy of every row"),
    field(
      "Order of the rows",
      choice(
        [
          ["", "the default for these columns"],
          ["shuffled", "random: rows hide among each other, with less noise"],
          ["kept", "kept: much more noise"],
        ],
        store.order,
        (value) => {
          keep({ order: value });
          changed();
        },
      ),
    ),
  );
}

function finish(rest, draft) {
  const name = h("input", {
    type: "text",
    value: store.plan || "plan.toml",
    autocomplete: "off",
  });
  const said = h("div");
  const save = async (overwrite) => {
    try {
      await post("/api/plans", { ...draftRequest(), file: name.value.trim(), overwrite });
      keep({ plan: name.value.trim() });
      say("The plan is saved.");
      put(
        said,
        h(
          "p",
          { class: "note good" },
          `${store.plan} is saved in the folder. `,
          h(
            "a",
            {
              href: `/api/plan?file=${encodeURIComponent(store.plan)}`,
              download: store.plan,
            },
            "Download it",
          ),
          ", or continue: ",
          h("a", { href: "#choose" }, "choose epsilon"),
          ".",
        ),
      );
    } catch (problem) {
      const exists = problem.message.includes("exists");
      put(
        said,
        note(problem.message, "bad"),
        exists
          ? h("button", { type: "button", onclick: () => save(true) }, "Overwrite it")
          : "",
      );
    }
  };
  put(
    rest,
    h("h2", {}, "The plan"),
    draft.problem ? note(draft.problem, "bad") : "",
    draft.missing.length
      ? note(`Still to be declared: ${draft.missing.join(", ")}.`, "warn")
      : "",
    draft.unused
      ? h("p", { class: "soft" }, `Only in the codebook: ${draft.unused}.`)
      : "",
    draft.promise ? h("p", {}, draft.promise) : "",
    h(
      "div",
      { class: "row" },
      field("Save it as", name),
      h(
        "button",
        {
          class: "main",
          type: "button",
          onclick: () => save(store.plan === name.value.trim()),
        },
        "Save the plan",
      ),
    ),
    said,
    h(
      "p",
      {},
      h(
        "a",
        {
          download: "plan.toml",
          href: `data:application/toml;charset=utf-8,${encodeURIComponent(draft.toml)}`,
        },
        "Download the draft",
      ),
      " as it stands, saved or not.",
    ),
    code("The plan as TOML", draft.toml),
  );
}
