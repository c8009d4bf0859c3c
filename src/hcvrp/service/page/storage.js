// What the browser keeps for this page, where it keeps anything: storage may be forbidden, or full.

/** The text under that key, or null. */
export function recalled(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps the text; where there is no room for it, none rather than a former one. */
export function remember(key, text) {
  try {
    localStorage.removeItem(key);
    localStorage.setItem(key, text);
  } catch {
    // then a reload forgets it
  }
}
