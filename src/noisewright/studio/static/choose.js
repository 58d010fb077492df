// The room where epsilon is chosen: a slider over stops that the studio predicts ahead.

import { get, post } from "./api.js";
import { belief, outcomes } from "./charts.js";
import { check, choice, field, h, note, number, put, say, table } from "./dom.js";
import { draftRequest, keep, store } from "./store.js";

const KINDS = [
  ["shares", "shares of labels"],
  ["pairs", "shares of pairs of columns"],
  ["mean", "means"],
  ["median", "medians"],
  ["items", "items of sets"],
];
const still = matchMedia("(prefers-reduced-motion: reduce)");

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
          "anything is spent. This reads no value.",
      ),
      room.view,
    ],
    leave: () => room.leave(),
  };
}

class Choosing {
  constructor() {
    this.question = 0;
    this.frame = 0;
    this.view = h("div");
    this.picture = h("div", { id: "picture" });
  }

  async open() {
    const asked = {
      plan: store.plan,
      table: store.table,
      epsilon: store.epsilon,
      delta: store.delta,
      questions: store.questions,
    };
    try {
      this.study = await post("/api/advice", asked);
    } catch (problem) {
      this.study = null;
      put(this.view, note(problem.message, "bad"), this.settings());
      return;
    }
    this.ledger = await get("/api/ledger").catch(() => null);
    this.controls();
    this.draw();
    this.follow();
    clearInterval(this.clock);
    if (!still.matches)
      this.clock = setInterval(() => {
        this.frame += 1;
        this.animate();
      }, 700);
  }

  leave() {
    clearInterval(this.clock);
    clearTimeout(this.timer);
    this.study = null;
  }

  // Ask again while something is being predicted.
  follow() {
    clearTimeout(this.timer);
    if (!this.study?.working) return;
    this.timer = setTimeout(async () => {
      if (!this.study) return;
      await this.look();
      this.follow();
    }, 700);
  }

  async look(epsilon) {
    const more = epsilon ? `&epsilon=${encodeURIComponent(epsilon)}` : "";
    try {
      const found = await get(
        `/api/advice/${this.study.key}?delta=${encodeURIComponent(store.delta)}${more}`,
      );
      if (!this.study) return;
      const stops = this.study.stops.length !== found.stops.length;
      Object.assign(this.study, found);
      if (stops) this.controls();
      this.draw();
    } catch (problem) {
      say(problem.message);
    }
  }

  controls() {
    const stops = this.study.stops,
      place = Math.max(0, stops.indexOf(store.epsilon));
    this.slider = h("input", {
      type: "range",
      id: "epsilon",
      min: 0,
      max: stops.length - 1,
      step: 1,
      value: place,
      oninput: () => this.move(),
    });
    this.slider.value = String(place);
    this.shown = h("output", { class: "big", for: "epsilon" });
    const other = h("input", {
      type: "text",
      inputmode: "decimal",
      value: "",
      autocomplete: "off",
      placeholder: "e.g. 0.8",
    });
    const take = h(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          if (other.value.trim()) {
            keep({ epsilon: other.value.trim() });
            this.look(store.epsilon).then(() => this.follow());
          }
        },
      },
      field("Another epsilon", other),
      h("button", { type: "submit" }, "Predict it"),
    );
    put(
      this.view,
      h(
        "div",
        { class: "card" },
        h(
          "div",
          { class: "row center" },
          h("label", { for: "epsilon" }, "Privacy loss of each person, at most"),
          this.shown,
        ),
        this.slider,
        h(
          "p",
          { class: "ticks", "aria-hidden": "true" },
          h("span", {}, `${stops[0]}: more private`),
          h("span", {}, `${stops.at(-1)}: more accurate`),
        ),
        take,
      ),
      this.picture,
      this.settings(),
      this.uses(),
    );
  }

  move() {
    const started = performance.now();
    const epsilon = this.study.stops[Number(this.slider.value)];
    keep({ epsilon });
    this.draw();
    // The time to the new picture, for whoever measures it.
    requestAnimationFrame(() => {
      this.picture.dataset.milliseconds = (performance.now() - started).toFixed(1);
    });
    if (!this.study.ready[epsilon]) this.look(epsilon).then(() => this.follow());
  }

  draw() {
    const epsilon = store.epsilon,
      made = this.study.ready[epsilon];
    this.shown.textContent = `ε = ${epsilon}`;
    this.slider.setAttribute("aria-valuetext", `epsilon ${epsilon}`);
    const attacker = this.study.beliefs[epsilon];
    const parts = [];
    if (!made)
      parts.push(
        h(
          "p",
          { class: "note" },
          "Predicting errors at this epsilon … This takes a few seconds for a wide table, once.",
        ),
      );
    else if (made.error) parts.push(note(made.error, "bad"));
    else parts.push(this.errors(made));
    if (attacker)
      parts.push(
        h(
          "div",
          {},
          h("h2", {}, "What an attacker could learn"),
          h(
            "p",
            {},
            "Someone who knows everyone else's data, and considers two values of one person's " +
              "data equally likely, " +
              `guesses the right one with probability at most ${attacker.after} instead of 0.5.`,
          ),
          belief(Number(attacker.before), Math.min(1, parseFloat(attacker.after))),
          this.left(),
        ),
      );
    put(this.picture, h("div", { class: "halves" }, parts));
    this.picture.dataset.epsilon = made && !made.error ? epsilon : "";
    this.animate();
    if (made && !made.error) say(`Epsilon ${epsilon}. ${made.verdict}`);
  }

  errors(made) {
    const [head, ...rows] = made.lines;
    const tools = Object.keys(made.tools),
      best = made.recommended ? tools.indexOf(made.recommended) + 1 : -1;
    this.question = Math.min(this.question, made.errors.length - 1);
    const names = made.errors.map((one, place) => [String(place), one.question]);
    this.example = h("div");
    return h(
      "div",
      {},
      h("h2", {}, "Expected errors"),
      note(made.verdict, made.recommended ? "good" : "warn"),
      table(head, rows, { best, caption: "Typical error of each tool" }),
      made.notes.map((one) => h("p", { class: "soft small" }, one)),
      h("h3", {}, "Example outcomes"),
      field(
        "Question",
        choice(names, String(this.question), (value) => {
          this.question = Number(value);
          this.animate();
        }),
      ),
      this.example,
      h(
        "p",
        { class: "soft small" },
        "The pale dots are equally likely outcomes; the red one is one of them. The " +
          "dashed line is the truth, which stays unknown.",
      ),
    );
  }

  animate() {
    const made = this.study?.ready[store.epsilon];
    if (!made || made.error || !this.example) return;
    const one = made.errors[this.question];
    const tools = Object.entries(made.tools).map(([tool, name]) => ({
      name,
      error: one[tool],
    }));
    const unit = one.unit;
    const told = tools.map((tool) => `${tool.name} ${number(tool.error)}`).join(", ");
    const drawn = outcomes(
      `Example outcomes of ${one.question}; typical errors: ${told}`,
      tools,
      unit,
      this.frame,
    );
    put(this.example, drawn ?? "No tool answers this question.");
  }

  left() {
    const balances = this.ledger?.balances ?? [];
    if (!balances.length)
      return h(
        "p",
        {},
        "No budget has been granted yet. ",
        h("a", { href: "#ledger" }, "Grant one"),
        ".",
      );
    return h(
      "div",
      {},
      h("h3", {}, "Budget left"),
      balances.map((one) =>
        h("p", {}, `${one.dataset}: ${one.left_text} of ${one.granted_text}`),
      ),
    );
  }

  settings() {
    const delta = h("input", {
      type: "text",
      value: store.delta,
      autocomplete: "off",
      onchange: (event) => {
        keep({ delta: event.target.value.trim() || "0" });
        this.open();
      },
    });
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
        keep({
          questions: [
            ...kinds,
            ...event.target.value
              .split(";")
              .map((one) => one.trim())
              .filter(Boolean),
          ],
        });
        this.open();
      },
    });
    return h(
      "fieldset",
      {},
      h("legend", {}, "What you want to know"),
      KINDS.map(([kind, words]) => check(words, store.questions.includes(kind), toggle(kind))),
      h(
        "div",
        { class: "grid" },
        field(
          "Only some columns, separated by semicolons",
          named,
          "For example pairs:sex,job; mean:age",
        ),
        field("Delta", delta, "For the tools that need one."),
      ),
    );
  }

  uses() {
    const said = h("div");
    return h(
      "div",
      {},
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            type: "button",
            class: "main",
            onclick: async () => {
              try {
                await post("/api/plans", {
                  ...draftRequest(),
                  file: store.plan,
                  overwrite: true,
                });
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
            },
          },
          "Use this epsilon",
        ),
      ),
      said,
    );
  }
}
