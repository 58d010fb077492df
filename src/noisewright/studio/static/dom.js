// Elements from plain values. Text becomes text nodes, never markup.

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return fill(
    document.createElementNS("http://www.w3.org/2000/svg", tag),
    attributes,
    children,
  );
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected")
      element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...plain(children));
  return element;
}

const plain = (children) =>
  children
    .flat(4)
    .filter((one) => one !== null && one !== undefined && one !== false && one !== "");

// Replace what an element holds.
export function put(element, ...children) {
  element.replaceChildren(...plain(children));
}

let last = 0;
const fresh = () => `field-${++last}`;

export function field(label, control, hint) {
  const id = control.id || fresh();
  control.id = id;
  const parts = [h("label", { for: id }, label), control];
  if (hint) {
    control.setAttribute("aria-describedby", `${id}-hint`);
    parts.push(h("p", { class: "soft small", id: `${id}-hint` }, hint));
  }
  return h("div", {}, parts);
}

export function choice(options, value, onchange) {
  const control = h("select", { onchange: (event) => onchange(event.target.value) });
  for (const [key, text] of options) {
    control.append(h("option", { value: key, selected: key === value }, text));
  }
  return control;
}

export function check(label, checked, onchange, type = "checkbox", name) {
  const box = h("input", {
    type,
    name,
    checked,
    onchange: (event) => onchange(event.target.checked),
  });
  return h("label", { class: "inline" }, box, h("span", {}, label));
}

// A stacked table has a block for each row on a phone, with the head of its column beside each cell.
export function table(head, rows, { best = -1, texts = false, stacked = false, caption } = {}) {
  const kinds = [texts ? "texts" : "", stacked ? "stacked" : ""].filter(Boolean).join(" ");
  const mark = (place) => (place === best ? "best" : null);
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption || "Table" },
    h(
      "table",
      { class: kinds || null },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((cell, place) => h("th", { scope: "col", class: mark(place) }, cell)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell, place) =>
              place
                ? h("td", { class: mark(place), "data-label": head[place] }, cell)
                : h("th", { scope: "row" }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

export function code(title, text) {
  const button = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          say("Copied.");
          button.textContent = "Copied";
        } catch {
          say("The browser does not allow copying; select the text instead.");
        }
      },
    },
    "Copy",
  );
  return h("details", {}, h("summary", {}, title), h("pre", { tabindex: 0 }, text), button);
}

export function note(text, kind = "") {
  return h("p", { class: `note ${kind}`, role: kind === "bad" ? "alert" : null }, text);
}

export function say(text) {
  document.getElementById("live").textContent = text;
}

export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Number(value.toPrecision(digits)).toLocaleString("en", {
    maximumSignificantDigits: digits,
  });
}

export function later(wait, work) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}
