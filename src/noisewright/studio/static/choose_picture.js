// What one budget means: errors, example outcomes, detectable differences, and the attacker.

import { belief, outcomes } from "./charts.js";
import { choice, field, h, note, number, put, table } from "./dom.js";
import { store } from "./store.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const FRAME = 700;

export class BudgetPicture {
  constructor() {
    this.question = 0;
    this.frame = 0;
    this.isPaused = still.matches;
    this.left = [];
    this.progress = h("div");
    this.tools = h("div");
    this.apart = h("div");
    // Made once: whoever opens or closes it finds it so. On a phone it is long.
    this.details = h(
      "details",
      { open: !matchMedia("(max-width: 40rem)").matches },
      h("summary", {}, h("h2", { class: "inline" }, "Detectable differences")),
      this.apart,
    );
    this.example = h("div");
    this.questions = h("div");
    this.pause = h("button", {
      type: "button",
      onclick: () => {
        this.isPaused = !this.isPaused;
        this.label();
      },
    });
    this.label();
    this.risk = h("div");
    this.budgets = h("div");
    this.view = h(
      "div",
      { id: "picture" },
      this.progress,
      h(
        "div",
        { class: "halves" },
        h("div", {}, this.tools, this.details),
        h(
          "div",
          {},
          this.risk,
          this.budgets,
          h("h2", {}, "Example outcomes"),
          this.questions,
          this.example,
          h(
            "p",
            { class: "soft small" },
            "The pale dots are equally likely outcomes; the red one is one of them. The " +
              "dashed line is the truth, which stays unknown.",
          ),
          h("div", { class: "row" }, this.pause),
        ),
      ),
    );
    this.clock = setInterval(() => {
      if (this.isPaused) return;
      this.frame += 1;
      this.animate();
    }, FRAME);
  }

  // Letters keep their size: pictures are drawn as wide as their place is.
  get width() {
    const room = this.example.clientWidth;
    return room ? Math.max(240, Math.min(640, room)) : undefined;
  }

  stop() {
    clearInterval(this.clock);
  }

  label() {
    this.pause.textContent = this.isPaused ? "Show outcomes in turn" : "Pause";
  }

  draw(made) {
    this.made = made;
    this.pick(made);
    this.advance(made);
    // What says the same stays: it may be being read, or selected.
    const { lines, estimated, verdict, notes, promise, attacker } = made;
    const shown = JSON.stringify([lines, estimated, verdict, notes, promise, attacker, this.width]);
    if (shown !== this.shown) {
      this.shown = shown;
      put(this.tools, this.errors(made));
      put(this.apart, this.differences(made));
      put(this.risk, this.attacker(made));
    }
    this.balances(this.left);
    this.animate();
    const isWhole = made.verdict !== "";
    this.view.dataset.epsilon = isWhole ? made.epsilon : "";
    this.view.dataset.delta = made.delta;
    this.view.dataset.estimated = made.estimated.join(" ");
  }

  // The list of questions stays the same while the slider moves, and so does what is chosen.
  pick(made) {
    const names = made.errors.map((one) => one.question);
    if (this.names?.join("\n") === names.join("\n")) return;
    this.names = names;
    this.question = Math.min(this.question, names.length - 1);
    const options = names.map((name, at) => [String(at), name]);
    const select = choice(options, String(this.question), (value) => {
      this.question = Number(value);
      this.animate();
    });
    put(this.questions, field("Question", select));
  }

  advance(made) {
    if (made.problem) return put(this.progress, note(made.problem, "bad"));
    if (!made.working) return put(this.progress);
    const words = made.pending.length
      ? `Still to come: ${made.pending.join(", ")}.`
      : made.estimated.length
        ? "Estimates are being replaced by predictions for exactly this budget."
        : "Predicting at other budgets.";
    put(
      this.progress,
      h("p", { class: "soft small" }, words),
      h("progress", {
        max: made.done + made.left || 1,
        value: made.done,
        "aria-label": "Predictions that are made",
      }),
    );
  }

  lines(made, lines) {
    const tools = Object.keys(made.tools);
    return lines.map(([what, ...cells]) => [
      what,
      ...cells.map((cell, at) =>
        made.estimated.includes(tools[at]) && /^\d/.test(cell) ? `≈\u00a0${cell}` : cell,
      ),
    ]);
  }

  errors(made) {
    const tools = Object.keys(made.tools),
      best = made.recommended ? tools.indexOf(made.recommended) + 1 : -1;
    if (!tools.length) return [h("h2", {}, "Expected errors"), h("p", {}, "Predicting …")];
    const [head, ...rows] = made.lines;
    return [
      h("h2", {}, "Expected errors"),
      made.verdict
        ? note(made.verdict, made.recommended ? "good" : "warn")
        : note("A recommendation follows when all tools can be compared."),
      table(head, this.lines(made, rows), {
        best,
        caption: "Typical error of each tool",
        stacked: true,
      }),
      made.estimated.length
        ? h(
            "p",
            { class: "soft small" },
            "≈ is an estimate from predictions at nearby budgets. The prediction for exactly " +
              "this budget replaces it soon after you let go of the slider. What you release " +
              "never depends on an estimate.",
          )
        : "",
      h("p", { class: "soft small" }, made.promise),
      made.notes.map((one) => h("p", { class: "soft small" }, one)),
    ];
  }

  differences(made) {
    if (!Object.keys(made.tools).length) return "";
    const [head, ...rows] = made.difference_lines;
    return [
      h(
        "p",
        {},
        "How far apart two true answers must be so that noise does not hide it: a test at 95% " +
          "confidence finds a difference of this size in 80 of 100 releases. It compares two " +
          "shares of one column or pair of columns, or two means or medians with this error " +
          "each; “none” means that no possible difference is detectable.",
      ),
      table(head, this.lines(made, rows), {
        caption: "Detectable differences",
        stacked: true,
      }),
      h(
        "p",
        { class: "soft small" },
        "This is about the people in the table. If they are a sample of a population, add the " +
          "sampling error.",
      ),
    ];
  }

  attacker(made) {
    const told = made.attacker;
    return [
      h("h2", {}, "What an attacker could learn"),
      h("p", {}, told.words),
      belief(told.before, Math.min(1, parseFloat(told.after)), this.width),
      h(
        "p",
        { class: "soft small" },
        `${told.guarantee}, for replacing the data of one person: no matter what else the ` +
          "attacker knows, or will learn elsewhere.",
      ),
    ];
  }

  animate() {
    const made = this.made;
    const one = made?.errors[this.question];
    if (!one || !Object.keys(made.tools).length) return put(this.example, "Predicting …");
    const tools = Object.entries(made.tools).map(([tool, name]) => ({ name, error: one[tool] }));
    const told = tools.map((tool) => `${tool.name} ${number(tool.error)}`).join(", ");
    const title = `Example outcomes of ${one.question}; typical errors: ${told}`;
    const drawn = outcomes(title, tools, one.unit, this.frame, this.width);
    put(this.example, drawn ?? "No tool answers this question.");
  }

  balances(found) {
    this.left = found;
    if (!found.length)
      return put(
        this.budgets,
        h("h2", {}, "Budget left"),
        h(
          "p",
          {},
          "No budget has been granted yet. ",
          h("a", { href: "#ledger" }, "Grant one"),
          ".",
        ),
      );
    const enough = (one) => {
      const left = one.left.epsilon;
      if (left === undefined) return "";
      const fits = left >= Number(store.epsilon) && (one.left.delta ?? 0) >= Number(store.delta);
      return fits ? ". This fits." : ". This is more than is left.";
    };
    put(
      this.budgets,
      h("h2", {}, "Budget left"),
      found.map((one) =>
        h("p", {}, `${one.dataset}: ${one.left_text} of ${one.granted_text}${enough(one)}`),
      ),
    );
  }
}
