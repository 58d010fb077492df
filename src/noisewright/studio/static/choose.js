// The room where epsilon and delta are chosen. The studio answers for any budget at once: with
// predictions where it has made them, and with estimates between them otherwise.

import { get, post } from "./api.js";
import { BudgetPicture } from "./choose_picture.js";
import { check, field, h, note, put, say } from "./dom.js";
import { draftRequest, keep, store } from "./store.js";

const KINDS = [
  ["shares", "shares of labels"],
  ["pairs", "shares of pairs of columns"],
  ["mean", "means"],
  ["median", "medians"],
  ["items", "items of sets"],
];
const STEPS = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3, 3.5, 4, 4.5];
const LATER = [5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5];
const EPSILONS = [0.01, 0.1, 1]
  .flatMap((power) => [...STEPS, ...LATER].map((one) => Number((one * power).toPrecision(3))))
  .filter((one) => one >= 0.05 && one <= 8)
  .map(String);
const DELTAS = ["0", ...[12, 11, 10, 9, 8, 7, 6, 5, 4].map((power) => `1e-${power}`)];
const REST = 400;
const AGAIN = 700;

export async function choose() {
  const heading = h("h1", {}, "Choose epsilon");
  if (!store.plan || !store.table) {
    return {
      content: [
        heading,
        note("First declare a table and save its plan, in the room Data.", "warn"),
        h("p", {}, h("a", { href: "#data" }, "Go to Data")),
      ],
    };
  }
  const room = new Choosing();
  await room.open();
  return {
    content: [
      heading,
      h(
        "p",
        {},
        "How large the errors will be, and what an attacker could learn, before " +
          "anything is spent. This room reads no cell of the table.",
      ),
      room.view,
    ],
    leave: () => room.leave(),
  };
}

// Where a value stands on a slider, or the nearest to it.
function place(values, value) {
  const exact = values.indexOf(value);
  if (exact >= 0) return exact;
  const far = (one) => Math.abs(Math.log((Number(one) || 1e-13) / (Number(value) || 1e-13)));
  return values.reduce((best, one, at) => (far(one) < far(values[best]) ? at : best), 0);
}

class Choosing {
  constructor() {
    this.picture = new BudgetPicture();
    this.failed = h("div");
    // Made once, so that whoever uses the keyboard stays where they are.
    this.view = h(
      "div",
      {},
      this.budget(),
      this.failed,
      this.picture.view,
      this.settings(),
      this.uses(),
    );
  }

  async open() {
    clearTimeout(this.timer);
    try {
      this.made = await post("/api/advice", {
        plan: store.plan,
        table: store.table,
        epsilon: store.epsilon,
        delta: store.delta,
        questions: store.questions,
      });
    } catch (problem) {
      this.made = null;
      this.key = null;
      put(this.failed, note(problem.message, "bad"));
      this.picture.view.hidden = true;
      return;
    }
    this.key = this.made.key;
    put(this.failed);
    this.picture.view.hidden = false;
    this.show();
    this.later();
    const ledger = await get("/api/ledger").catch(() => null);
    this.picture.balances(ledger?.balances ?? []);
  }

  leave() {
    clearTimeout(this.timer);
    clearTimeout(this.resting);
    this.picture.stop();
    this.made = null;
    this.key = null;
  }

  // One request at a time; the latest budget is the one that is asked for.
  async ask(settle = false) {
    if (!this.key) return;
    this.settling = this.settling || settle;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      do {
        this.again = false;
        const more = this.settling ? "&settle=true" : "";
        this.settling = false;
        const found = await get(
          `/api/advice/${this.key}?epsilon=${encodeURIComponent(store.epsilon)}` +
            `&delta=${encodeURIComponent(store.delta)}${more}`,
        );
        if (!this.key) return;
        this.made = found;
        put(this.failed);
        this.show();
      } while (this.again);
    } catch (problem) {
      put(this.failed, note(problem.message, "bad"));
      say(problem.message);
    } finally {
      this.busy = false;
    }
  }

  show() {
    this.words();
    if (this.made.epsilon === store.epsilon && this.made.delta === store.delta)
      this.picture.draw(this.made);
  }

  // Ask again while something is being predicted.
  later() {
    clearTimeout(this.timer);
    if (!this.made?.working) return;
    this.timer = setTimeout(async () => {
      await this.ask();
      this.later();
    }, AGAIN);
  }

  async move(changes) {
    const started = performance.now();
    keep(changes);
    this.words();
    clearTimeout(this.resting);
    this.resting = setTimeout(async () => {
      await this.ask(true);
      this.later();
      if (this.made?.verdict) say(`Epsilon ${store.epsilon}. ${this.made.verdict}`);
    }, REST);
    await this.ask();
    // The time to the new picture, for whoever measures it.
    requestAnimationFrame(() => {
      this.picture.view.dataset.milliseconds = (performance.now() - started).toFixed(1);
    });
  }

  words() {
    this.epsilonShown.textContent = `ε = ${store.epsilon}`;
    this.deltaShown.textContent = store.delta === "0" ? "δ = 0" : `δ = ${store.delta}`;
    this.epsilon.setAttribute("aria-valuetext", `epsilon ${store.epsilon}`);
    this.delta.setAttribute("aria-valuetext", `delta ${store.delta}`);
  }

  budget() {
    const slider = (id, values, name) => {
      const made = h("input", {
        type: "range",
        id,
        min: 0,
        max: values.length - 1,
        step: 1,
        oninput: () => this.move({ [name]: values[Number(made.value)] }),
      });
      made.value = String(place(values, store[name]));
      return made;
    };
    this.epsilon = slider("epsilon", EPSILONS, "epsilon");
    this.delta = slider("delta", DELTAS, "delta");
    this.epsilonShown = h("output", { class: "big", for: "epsilon" });
    this.deltaShown = h("output", { for: "delta" });
    this.words();
    const text = (placeholder) =>
      h("input", { type: "text", inputmode: "decimal", autocomplete: "off", placeholder });
    const otherEpsilon = text("e.g. 0.83"),
      otherDelta = text("e.g. 3e-8");
    return h(
      "div",
      { class: "card" },
      h(
        "div",
        { class: "row center" },
        h("label", { for: "epsilon" }, "Epsilon: the privacy loss of each person, at most"),
        this.epsilonShown,
      ),
      this.epsilon,
      h(
        "p",
        { class: "ticks", "aria-hidden": "true" },
        h("span", {}, `${EPSILONS[0]}: more private`),
        h("span", {}, `${EPSILONS.at(-1)}: more accurate`),
      ),
      h(
        "div",
        { class: "row center" },
        h("label", { for: "delta" }, "Delta, for the tools that need one"),
        this.deltaShown,
      ),
      this.delta,
      h(
        "details",
        {},
        h("summary", {}, "Another epsilon or delta"),
        h(
          "form",
          {
            class: "row",
            onsubmit: (event) => {
              event.preventDefault();
              const epsilon = otherEpsilon.value.trim() || store.epsilon,
                delta = otherDelta.value.trim() || store.delta;
              this.epsilon.value = String(place(EPSILONS, epsilon));
              this.delta.value = String(place(DELTAS, delta));
              if (this.made) this.move({ epsilon, delta });
              else {
                keep({ epsilon, delta });
                this.open();
              }
            },
          },
          field("Epsilon", otherEpsilon),
          field("Delta", otherDelta),
          h("button", { type: "submit" }, "Show it"),
        ),
      ),
    );
  }

  settings() {
    const toggle = (kind) => (wanted) => {
      const left = store.questions.filter((one) => one !== kind);
      keep({ questions: wanted ? [...left, kind] : left });
      this.open();
    };
    const named = h("input", {
      type: "text",
      autocomplete: "off",
      value: store.questions.filter((one) => one.includes(":")).join("; "),
      onchange: (event) => {
        const kinds = store.questions.filter((one) => !one.includes(":"));
        const more = event.target.value.split(";").map((one) => one.trim());
        keep({ questions: [...kinds, ...more.filter(Boolean)] });
        this.open();
      },
    });
    return h(
      "fieldset",
      {},
      h("legend", {}, "What you want to know"),
      h(
        "p",
        { class: "soft small" },
        "If you choose nothing: the usual questions for these columns, as in noisewright " +
          "advise.",
      ),
      KINDS.map(([kind, words]) => check(words, store.questions.includes(kind), toggle(kind))),
      field(
        "Only some columns, separated by semicolons",
        named,
        "For example pairs:sex,job; mean:age",
      ),
    );
  }

  uses() {
    const said = h("div");
    const use = async () => {
      if (store.unknown.length) {
        const words =
          `${store.plan} says ${store.unknown.join(", ")}, which this page cannot write. Set ` +
          `epsilon = ${store.epsilon} in the file yourself.`;
        put(said, note(words, "warn"));
        return;
      }
      try {
        await post("/api/plans", { ...draftRequest(), file: store.plan, overwrite: true });
        put(
          said,
          h(
            "p",
            { class: "note good" },
            `${store.plan} now has epsilon ${store.epsilon}. `,
            h("a", { href: "#do" }, "Go on"),
            ".",
          ),
        );
      } catch (problem) {
        put(said, note(problem.message, "bad"));
      }
    };
    return h(
      "div",
      {},
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "main", onclick: use }, "Use this epsilon"),
      ),
      said,
    );
  }
}
