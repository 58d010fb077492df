// What was chosen so far: names, declarations and numbers, and no data. Kept while the tab lives.

const KEY = "noisewright-studio";
const FIRST = {
  table: null,
  codebook: "",
  columns: {},
  person: null,
  order: "",
  plan: "",
  unknown: [],
  draft: null,
  epsilon: "1",
  delta: "1e-9",
  questions: [],
  job: null,
};

export const store = { ...FIRST, ...read() };

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export function keep(changes) {
  Object.assign(store, changes);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(store));
  } catch {
    /* it works without */
  }
}

export function draftRequest() {
  return {
    table: store.table,
    codebook: store.codebook || null,
    columns: store.columns,
    person: store.person,
    epsilon: store.epsilon,
    delta: store.order === "kept" ? null : store.delta,
    order: store.order || null,
  };
}
