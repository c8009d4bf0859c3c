// The day being edited, kept in the browser, so that it outlives a reload.

import { recalled, remember } from "./storage.js";

const KEY = "hcvrp-day";
const VERSION = 1; // of what is kept: another one is left alone
const PAUSE = 500; // milliseconds in which changes are one

let waiting = null;

/** Keeps the day soon. */
export function keepSoon(day) {
  waiting ??= { day, timer: setTimeout(keep, PAUSE) };
}

function keep() {
  const { day, timer } = waiting;
  clearTimeout(timer);
  waiting = null;
  remember(KEY, JSON.stringify({ version: VERSION, state: day.state }));
}

/** Has the day be what it was when the page was left; one that cannot be read is forgotten. */
export function restoreKept(day) {
  try {
    const { version, state } = JSON.parse(recalled(KEY)) ?? {};
    if (version === VERSION) day.restore(state);
  } catch {
    day.clear();
  }
}

addEventListener("pagehide", () => { if (waiting) keep(); });
