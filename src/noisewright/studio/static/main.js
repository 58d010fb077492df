// Shows one room at a time, by the part of the address after #.

import { get, post } from "./api.js";
import { h, note, put } from "./dom.js";
import { audit } from "./audit.js";
import { choose } from "./choose.js";
import { data } from "./data.js";
import { design } from "./design.js";
import { ledger } from "./ledger.js";
import { work } from "./work.js";

const ROOMS = { data, choose, do: work, ledger, design, audit };
const main = document.getElementById("main");
let leave = null;

async function show() {
  const name = location.hash.slice(1) in ROOMS ? location.hash.slice(1) : "data";
  for (const link of document.querySelectorAll("#rooms a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (leave) leave();
  leave = null;
  put(main, h("p", { class: "soft" }, "Opening …"));
  try {
    const made = await ROOMS[name]();
    put(main, ...made.content);
    leave = made.leave ?? null;
    document.title = `${main.querySelector("h1").textContent} · Noisewright studio`;
  } catch (problem) {
    put(main, h("h1", {}, "That did not work"), note(problem.message, "bad"));
  }
  if (document.activeElement?.closest("nav")) main.focus({ preventScroll: true });
}

addEventListener("hashchange", show);
get("/api/state")
  .then((state) => {
    const where = document.getElementById("where");
    where.textContent = `folder ${state.folder}, ledger ${state.ledger}`;
    if (!state.user) return;
    const leave = async () => {
      await post("/leave");
      location.reload();
    };
    where.append(
      `, ${state.user} (may ${state.may}) `,
      h("button", { type: "button", class: "small", onclick: leave }, "Leave"),
    );
  })
  .catch(() => {});
show();
