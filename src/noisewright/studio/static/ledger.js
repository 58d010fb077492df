// The ledger room: balances, grants, history, and whether the chain holds.

import { get, post } from "./api.js";
import { field, h, note, number, put, say, table } from "./dom.js";
import { store } from "./store.js";

export async function ledger() {
  const view = h("div");
  draw(view, await get("/api/ledger"));
  return {
    content: [
      h("h1", {}, "Ledger"),
      h(
        "p",
        {},
        "Privacy budgets: granted, spent and left. Nothing is ever refunded, and no release " +
          "can exceed its budget.",
      ),
      view,
    ],
  };
}

function draw(view, book) {
  if (!book.exists) {
    const failed = h("div");
    put(
      view,
      note(`There is no ledger yet (${book.name}).`, "warn"),
      h(
        "button",
        {
          class: "main",
          type: "button",
          onclick: async () => {
            try {
              draw(view, await post("/api/ledger"));
              say("The ledger is created.");
            } catch (problem) {
              put(failed, note(problem.message, "bad"));
            }
          },
        },
        "Create it",
      ),
      failed,
    );
    return;
  }
  if (!book.holds) {
    put(view, note(book.message, "bad"));
    return;
  }
  put(
    view,
    note("Every entry is as it was written: hashes and sums have just been verified.", "good"),
    h("p", { class: "soft small" }, "Head hash, to record elsewhere: ", h("code", {}, book.head)),
    h("h2", {}, "Budgets"),
    book.balances.length
      ? h("div", { class: "grid" }, book.balances.map(balance))
      : h("p", { class: "soft" }, "None has been granted yet."),
    grant(view),
    h("h2", {}, "History"),
    table(
      ["entry", "when (UTC)", "what happened", "dataset", "amount", "state", "about", "by"],
      book.entries
        .slice()
        .reverse()
        .map((one) => [
          String(one.number),
          one.at.slice(0, 19).replace("T", " "),
          one.about ? `${one.kind} ${one.about}` : one.kind,
          one.dataset,
          one.amount,
          one.state,
          one.what,
          one.who,
        ]),
      { texts: true, stacked: true, caption: "History" },
    ),
  );
}

function balance(one) {
  const known = one.granted.epsilon !== undefined;
  const meter = known
    ? h("meter", {
        min: 0,
        max: one.granted.epsilon || 1,
        value: one.left.epsilon,
        "aria-label": `epsilon left of ${one.dataset}`,
      })
    : "";
  return h(
    "div",
    { class: "card" },
    h("h3", {}, one.dataset),
    h("p", {}, `${one.left_text} left of ${one.granted_text}`),
    meter,
    known ? h("p", { class: "soft small" }, `spent: ε = ${number(one.spent.epsilon, 6)}`) : "",
    one.reserved.length
      ? note(
          `Reserved in entry ${one.reserved.join(", ")}: in progress, or interrupted. It ` +
            `counts as spent.`,
          "warn",
        )
      : "",
  );
}

function grant(view) {
  const input = (value = "") => h("input", { type: "text", value, autocomplete: "off" });
  const dataset = input(store.table ? store.table.file.replace(/\.[^.]*$/, "") : ""),
    epsilon = input("2"),
    delta = input("1e-6"),
    why = input();
  const failed = h("div");
  return h(
    "form",
    {
      class: "card",
      onsubmit: async (event) => {
        event.preventDefault();
        if (!dataset.value.trim()) {
          put(failed, note("Give these people a name first, such as survey-2026.", "bad"));
          dataset.focus();
          return;
        }
        try {
          draw(
            view,
            await post("/api/ledger/grants", {
              dataset: dataset.value.trim(),
              epsilon: epsilon.value.trim(),
              delta: delta.value.trim() || "0",
              why: why.value,
              table: store.table,
              person: store.person?.column ?? null,
              rows: store.person?.rows ?? null,
            }),
          );
          say("The budget is granted.");
        } catch (problem) {
          put(failed, note(problem.message, "bad"));
        }
      },
    },
    h("h2", {}, "Grant a budget"),
    h(
      "p",
      {},
      "The most privacy loss of each person, over everything that will ever be published " +
        "from this data. Agree on it before you look at results.",
    ),
    store.table
      ? h("p", { class: "soft" }, `${store.table.file} draws on it from now on.`)
      : h(
          "p",
          { class: "soft" },
          "Open a table in Data first, so that it draws on this budget.",
        ),
    h(
      "div",
      { class: "grid" },
      field("Name for these people", dataset),
      field("Epsilon", epsilon),
      field("Delta", delta),
      field("Reason, for later readers", why),
    ),
    h("div", { class: "row" }, h("button", { class: "main", type: "submit" }, "Grant")),
    failed,
  );
}
