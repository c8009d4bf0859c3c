// Talking to the server: JSON, files, and streams of events.

import { recalled, remember } from "./storage.js";

const KEY = "hcvrp-token";
const given = new URLSearchParams(location.search).get("token");
if (given) {
  remember(KEY, given);
  history.replaceState(null, "", location.pathname); // out of sight and out of the history
}

/** What the server refused, in its own sentence; `code` and `part` say what is to be done. */
export class Refusal extends Error {
  constructor(sentence, { code, part } = {}) {
    super(sentence);
    Object.assign(this, { code, part });
  }
}

/** What it means that a connection failed, unless the page itself ended it. */
const silence = (error) => (error.name === "AbortError" ? error : new Refusal("The server does not answer."));

async function call(path, options = {}) {
  const token = given || recalled(KEY);
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    throw silence(error);
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new Refusal(body.detail ?? `The server answered ${response.status}.`, body);
  }
  return response;
}

export const get = async (path) => (await call(path)).json();
export const remove = async (path) => (await call(path, { method: "DELETE" })).json();

export async function post(path, body) {
  const form = body instanceof FormData;
  const headers = form ? {} : { "Content-Type": "application/json" };
  return (await call(path, { method: "POST", headers, body: form ? body : JSON.stringify(body) })).json();
}

export async function download(path) {
  const response = await call(path);
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name ? name[1] : "plan";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Calls `handle(kind, data)` with each event until the job ends; reconnects where it left off, after `lost(error, isGone)`.
 * Not EventSource, which cannot send the token. */
export async function follow(job, handle, signal, lost) {
  let last = "0";
  let over = false;
  while (!over && !signal.aborted) {
    try {
      const response = await call(`/v1/jobs/${job}/events`, { headers: { "Last-Event-ID": last }, signal });
      for await (const { id, kind, data } of events(response.body)) {
        last = id ?? last;
        handle(kind, data);
        over = kind === "job" && ["done", "cancelled", "failed"].includes(data.status);
      }
    } catch (error) {
      if (signal.aborted) return;
      const isGone = ["not-found", "token-needed"].includes(error.code); // nothing to wait for
      lost(error, isGone);
      if (isGone) return;
    }
    if (!over) await new Promise((wake) => setTimeout(wake, 1000));
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => { throw silence(error); });
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => {
        const at = line.indexOf(": ");
        return [line.slice(0, at), line.slice(at + 2)];
      }));
      if (fields.data) yield { id: fields.id, kind: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
