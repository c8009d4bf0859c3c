// What the page says above all else: what went wrong, and what was done, with the way back.

import { Refusal } from "./api.js";
import { sentence } from "./look.js";

const by = (id) => document.getElementById(id);

const words = (error) => (error instanceof Refusal ? sentence(error.message) : `Something went wrong: ${error.message}`);

export function tell(error) {
  by("notice").textContent = words(error);
  by("notice").hidden = false;
}

/** Takes the notice of this error away, unless another took its place. */
export function untell(error) {
  if (by("notice").textContent === words(error)) by("notice").hidden = true;
}

/** The complaint about a cell; none takes a former notice away. */
export function tellOf(complaint) {
  by("notice").hidden = true;
  if (complaint) tell(new Refusal(complaint));
}

/** `action` as a listener: its errors are told, a former notice goes. */
export function doing(action) {
  return async (event) => {
    by("notice").hidden = true;
    try {
      await action(event);
    } catch (error) {
      tell(error);
    }
  };
}

/** Says what was done; `undo` takes it back. */
export function say(text, undo) {
  by("done").textContent = text;
  by("undo").onclick = doing(undo);
  by("news").hidden = false;
}

export function unsay() {
  by("news").hidden = true;
}

by("seen").addEventListener("click", () => { by("notice").hidden = true; });
by("heard").addEventListener("click", unsay);
