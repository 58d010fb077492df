// Requests to the studio; an error is a sentence of the library.

export async function get(path) {
  return answer(await fetch(path, { credentials: "same-origin" }));
}

export async function post(path, content) {
  const body = content === undefined ? undefined : JSON.stringify(content);
  const headers = { "content-type": "application/json" };
  return answer(
    await fetch(path, { method: "POST", credentials: "same-origin", headers, body }),
  );
}

async function answer(response) {
  let found = null;
  try {
    found = await response.json();
  } catch {
    /* no JSON: the status has to do */
  }
  if (!response.ok) throw new Error(found?.error ?? `The studio answered ${response.status}.`);
  return found;
}
