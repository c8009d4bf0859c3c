// The cells that a planner edits: how they are read, what is wrong with them, and the tables they stand in.

import { escape } from "./look.js";
import { isDoubtful, isNumber, numeral } from "./numbers.js";

const DEGREES = ["lat", "lon"]; // no degree has thousands
const UNIT = /^([-+]?\d[\d.,]*)\s*[^\d\s.,]\S*$/;
const LONGEST = 40; // characters of a cell that a complaint shows
const POSITIVE = [(value) => value > 0, "must be positive"];
const RULES = {
  capacity: POSITIVE,
  speed: POSITIVE,
  count: [(value) => Number.isInteger(value) && value > 0, "must be a whole number of at least 1"],
  demand: [(value) => value >= 0, "must not be negative"],
  lat: [(value) => Math.abs(value) <= 90, "must lie within ±90"],
  lon: [(value) => Math.abs(value) <= 180, "must lie within ±180"],
};

/** The value that a cell spells; its text where that is no number, or may be two. */
function valueOf(key, type, text) {
  if (type !== "number") return text;
  if (DEGREES.includes(key) && isDoubtful(text)) return Number(text.replace(",", "."));
  return isNumber(text) && !isDoubtful(text) ? numeral(text) : text;
}

/** What is wrong with a value, worded as in hcvrp.formats; "" where it will do. */
function wrongWith(key, type, value, place) {
  if (type !== "number") return "";
  if (typeof value === "number") {
    const [fits, rule] = RULES[key] ?? [() => true];
    return fits(value) ? "" : `${place} ${rule}, not ${value}`;
  }
  if (value === "") return `${place} is empty`;
  if (isDoubtful(value)) return `${place} is ${value}, which may mean thousands or decimals: write ${value.replace(/[.,]/, "")} or ${value}0`;
  const unit = UNIT.exec(value);
  return `${place} is not a number: '${value.slice(0, LONGEST)}'${unit ? `; write ${unit[1]} without the unit` : ""}`;
}

const titleOf = (row, k) => row.name || `row ${k + 1}`;
const placeOf = (heading, row, k) => `${heading} of ${titleOf(row, k)}`;

/** Whether there is nothing to fill in: the depot has no demand. */
const isOff = (key, k, fixed) => k < fixed && key === "demand";

/** The first cell of a table that no plan can be made with, and the complaint; null if there is none. */
export function slipIn({ rows, columns, fixed = 0 }) {
  for (const [k, row] of rows.entries()) {
    for (const [key, heading, type] of columns) {
      const words = isOff(key, k, fixed) ? "" : wrongWith(key, type, row[key] ?? "", placeOf(heading, row, k));
      if (words) return { row: k, key, words };
    }
  }
  return null;
}

/** An editable table: `rows` of objects, `columns` of [key, heading, type]; the first `fixed` rows stay. */
export function editable(table, { caption, rows, columns, onEdit, onRemove, fixed = 0 }) {
  const head = columns.map(([, heading]) => `<th scope="col">${heading}</th>`).join("");
  const body = rows.map((row, k) => {
    const cells = columns.map(([key, heading, type]) => {
      const value = row[key] ?? "";
      const place = placeOf(heading, row, k);
      const isEmpty = isOff(key, k, fixed);
      const extra = type === "number" ? ` inputmode="decimal" aria-invalid="${!isEmpty && wrongWith(key, type, value, place) !== ""}"` : "";
      return `<td><input data-row="${k}" data-key="${key}" data-type="${type}" value="${escape(value)}" aria-label="${escape(place)}"${extra}${isEmpty ? " disabled" : ""}></td>`;
    });
    const remove = k < fixed ? "" : `<button type="button" data-remove="${k}" aria-label="Remove ${escape(titleOf(row, k))}">×</button>`;
    return `<tr>${cells.join("")}<td>${remove}</td></tr>`;
  });
  table.innerHTML = `<caption class="unseen">${caption}</caption><thead><tr>${head}<th><span class="unseen">Remove</span></th></tr></thead><tbody>${body.join("")}</tbody>`;
  table.onchange = ({ target }) => {
    const { row, key, type } = target.dataset;
    const value = valueOf(key, type, target.value.trim());
    const complaint = wrongWith(key, type, value, target.getAttribute("aria-label"));
    target.setAttribute("aria-invalid", String(complaint !== ""));
    onEdit(Number(row), key, value, complaint);
  };
  table.onclick = ({ target }) => {
    if (target.dataset.remove !== undefined) onRemove(Number(target.dataset.remove));
  };
}
