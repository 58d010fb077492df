// The design room of the site: looks designs up that were made when it was built.

const { choices, designs } = window.DESIGNS;
const now = { n: "8", epsilon: "0.5", loss: "L1", goal: "expected", properties: "WH,CM" };
const WORDS = {
  n: "People counted",
  loss: "Loss",
  goal: "Goal",
  properties: "Properties",
  L0: "L0: any error is 1",
  L1: "L1: the size of the error",
  L2: "L2: the square of the error",
  expected: "expected, all counts equally likely",
  worst: "worst count",
  "": "none",
  WH: "WH: weak honesty",
  CM: "CM: column monotone",
  F: "F: fairness",
  "WH,CM": "WH and CM",
  "RH,RM,CH,CM,F,WH,S": "all seven",
};

function h(name, attributes, ...children) {
  const node = document.createElement(name);
  Object.assign(node, attributes);
  node.append(...children);
  return node;
}

function chooser(name) {
  const options = choices[name].map((one) =>
    h("option", { value: one, selected: String(one) === now[name] }, WORDS[one] ?? String(one)),
  );
  const onchange = (event) => {
    now[name] = event.target.value;
    show();
  };
  return h("label", {}, `${WORDS[name]} `, h("select", { onchange }, ...options));
}

function slider() {
  const value = h("output", {}, now.epsilon);
  const oninput = (event) => {
    now.epsilon = choices.epsilon[Number(event.target.value)];
    value.textContent = now.epsilon;
    event.target.setAttribute("aria-valuetext", now.epsilon);
    show();
  };
  const most = choices.epsilon.length - 1;
  const range = h("input", { type: "range", min: 0, max: most, oninput });
  range.value = choices.epsilon.indexOf(now.epsilon);
  range.setAttribute("aria-valuetext", now.epsilon);
  return h("label", {}, "ε ", range, " ", value);
}

function heatmap(matrix) {
  const most = Math.max(...matrix.flat());
  const cell = (p) => {
    const share = p / most;
    const one = h("td", {}, p.toFixed(2));
    one.style.background = `color-mix(in srgb, #003f66 ${Math.round(share * 100)}%, transparent)`;
    if (share > 0.66) one.style.color = "#fff";
    return one;
  };
  const head = h("tr", {}, h("th", {}, "true ↓ published →"), ...matrix.map((_, y) => h("th", {}, y)));
  const rows = matrix.map((row, x) => h("tr", {}, h("th", {}, x), ...row.map(cell)));
  return h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows));
}

function code() {
  const properties = now.properties ? `, properties={"${now.properties.replaceAll(",", '", "')}"}` : "";
  const goal = now.goal === "worst" ? ', goal="worst"' : "";
  return `nw.design(nw.Counts(${now.n}), epsilon="${now.epsilon}", loss="${now.loss}"${goal}${properties})`;
}

const result = h("div", {});
function show() {
  const made = designs[[now.n, now.epsilon, now.loss, now.goal, now.properties].join("/")];
  const free = designs[[now.n, now.epsilon, now.loss, now.goal, ""].join("/")];
  const price = made.loss / free.loss - 1;
  const facts = [
    `Loss: ${made.loss.toPrecision(5)}. No mechanism reaches less than ${made.bound.toPrecision(5)} under these conditions.`,
    price > 1e-6 ? `The properties cost ${(100 * price).toPrecision(2)}% of the loss.` : "The properties cost nothing here.",
    `Proven: ${made.guarantee}, ${made.unit}.`,
    `Found by ${made.route}.`,
  ];
  const list = h("ul", {}, ...facts.map((fact) => h("li", {}, fact)));
  const scroll = h("div", { className: "scroll" }, heatmap(made.matrix));
  result.replaceChildren(list, scroll, h("pre", {}, h("code", {}, code())));
}

const controls = h("div", { className: "controls" }, slider(), ...Object.keys(WORDS).slice(0, 4).map(chooser));
document.getElementById("design-room").replaceChildren(controls, result);
show();
