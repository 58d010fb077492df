// One job: its progress while it runs, and then its results, downloads and code.

import { get } from "./api.js";
import { intervals } from "./charts.js";
import { code, h, note, number, put, say, table } from "./dom.js";

const STATES = {
  waiting: "starting",
  running: "running",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
};
const KINDS = { ask: "Question", synthesize: "Synthetic table", release: "Private copy" };
const FILES = {
  data: "the data",
  certificate: "the certificate",
  report: "the report",
  recipe: "the recipe for analysts",
  synthesis: "the noisy counts behind it",
};
const MOST = 200;

export function jobCard(job) {
  const view = h("article", { class: "card", "data-job": job.id });
  let timer = 0,
    gone = false;
  const isOpen = () => ["waiting", "running"].includes(job.state);
  const draw = () => {
    view.dataset.state = job.state;
    put(
      view,
      h(
        "h3",
        { tabindex: -1 },
        `${KINDS[job.request.kind]}: ${job.request.output} `,
        h("span", { class: `state ${job.state}` }, STATES[job.state]),
      ),
      h(
        "p",
        { class: "soft small" },
        `${job.begun.replace("T", " ").slice(0, 19)} UTC, from ${job.request.table.file} by ` +
          `${job.request.plan}${job.user ? `, by ${job.user}` : ""}`,
      ),
      isOpen() ? progress(job) : "",
      job.error ? note(job.error, "bad") : "",
      ...(job.result ? results(job) : []),
      job.code.shell ? code("The same in the shell", job.code.shell) : "",
      code("The same in Python", job.code.python),
    );
  };
  const follow = () => {
    if (gone || !isOpen()) return;
    timer = setTimeout(async () => {
      try {
        const found = await get(`/api/jobs/${job.id}`);
        const changed =
          JSON.stringify([found.state, found.progress]) !==
          JSON.stringify([job.state, job.progress]);
        job = found;
        if (changed && !gone) draw();
        if (!isOpen()) say(`${job.request.output}: ${STATES[job.state]}.`);
      } catch (problem) {
        say(problem.message);
      }
      follow();
    }, 500);
  };
  draw();
  follow();
  return {
    view,
    leave: () => {
      gone = true;
      clearTimeout(timer);
    },
  };
}

function progress(job) {
  const now = job.progress,
    known = now?.total;
  return h(
    "div",
    {},
    h(
      "p",
      {},
      now
        ? `${now.step}: ${number(now.done)}${known ? ` of ${number(known)}` : ""}`
        : "Preparing …",
    ),
    h("progress", {
      max: known || 1,
      value: known ? now.done : undefined,
      "aria-label": "Progress",
    }),
    h(
      "p",
      { class: "soft small" },
      "You can close the browser: the job goes on, and is debited once.",
    ),
  );
}

function results(job) {
  const made = job.result,
    parts = [];
  if (made.guarantee) {
    const left = made.balance?.left?.epsilon;
    const rest =
      left === undefined ? "" : `; left of ${made.balance.dataset}: ε = ${number(left, 6)}`;
    parts.push(
      h(
        "p",
        {},
        `Privacy loss of each person: at most ε = ${made.guarantee.exact.epsilon}` +
          (made.guarantee.delta ? `, δ = ${made.guarantee.delta}` : "") +
          ". " +
          (made.accounted
            ? `Debited in entry ${made.entry} of the ledger${rest}.`
            : "No budget was debited."),
      ),
    );
  }
  if (made.answer) parts.push(...answers(made));
  if (made.columns?.length)
    parts.push(
      h(
        "details",
        {},
        h("summary", {}, "Estimates from it, with 95% intervals"),
        h("pre", { tabindex: 0 }, made.columns.map((one) => one.words).join("\n")),
      ),
    );
  if (made.how) parts.push(h("p", {}, `${number(made.rows)} rows, by ${made.how}.`));
  if (made.how && made.workload_error === null)
    parts.push(
      h(
        "p",
        {},
        `No query of the workload is off by more than ${number(made.expected_error)} of all ` +
          "rows, with probability 95%.",
      ),
    );
  else if (made.how)
    parts.push(
      h(
        "p",
        {},
        "A marginal is off by the sum of |share − true share| over its cells, which is 2 " +
          `at most. Expected from noise alone: ${number(made.expected_error)} on average over ` +
          "the workload, if all of it were counted.",
      ),
      h(
        "p",
        { class: "soft small" },
        `Measured between the synthetic rows and the noisy counts: ` +
          `${number(made.workload_error)} on average over the counted marginals. What was not ` +
          "counted can be off by more; the report says which tables were.",
      ),
    );
  for (const text of [...(made.notes ?? []), ...(job.cautions ?? [])])
    parts.push(h("p", { class: "soft small" }, text));
  const links = Object.entries(made.files ?? {}).map(([kind, name]) =>
    h(
      "a",
      {
        class: "button",
        download: name,
        href: `/api/jobs/${job.id}/files/${encodeURIComponent(kind)}`,
      },
      `Download ${FILES[kind] ?? kind}`,
    ),
  );
  if (links.length) parts.push(h("div", { class: "row" }, links));
  return parts;
}

function answers(made) {
  const rows = made.answer.slice(0, MOST),
    names = Object.keys(rows[0] ?? {});
  const isValue = (name) => names.includes(`${name}_low`) && names.includes(`${name}_high`);
  const values = names.filter(isValue),
    ends = new Set(values.flatMap((name) => [`${name}_low`, `${name}_high`]));
  const keys = names.filter((name) => !isValue(name) && !ends.has(name));
  const label = (row) => keys.map((key) => String(row[key])).join(", ") || "all";
  return [
    h(
      "p",
      { class: "soft small" },
      "Each confidence interval covers the true value with probability 95%, over the noise.",
    ),
    values.map((name) => {
      const picture = intervals(
        `${name}, with 95% intervals`,
        rows.map((row) => ({
          label: label(row),
          value: row[name],
          low: row[`${name}_low`] ?? row[name],
          high: row[`${name}_high`] ?? row[name],
        })),
      );
      return picture ? [h("h4", {}, name), picture] : "";
    }),
    table(
      [...keys, ...values.flatMap((name) => [name, "low", "high"])],
      rows.map((row) => [
        ...keys.map((key) => String(row[key])),
        ...values.flatMap((name) => [
          number(row[name], 6),
          number(row[`${name}_low`], 6),
          number(row[`${name}_high`], 6),
        ]),
      ]),
      { caption: "Answer" },
    ),
    made.answer.length > MOST
      ? h(
          "p",
          { class: "soft" },
          `The first ${MOST} of ${made.answer.length} rows; download the rest.`,
        )
      : "",
  ];
}
