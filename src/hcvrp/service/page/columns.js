// A table whose headings mean nothing to the server: the planner says which column is which.

import { escape } from "./look.js";

const FIELDS = [
  ["name", "Name", /name|kunde|client|cliente|stop|halt|adress|ort|id/i, "no names"],
  ["first", "x, or latitude", /^x$|lat|breite|norte?|ost|rechts/i, null],
  ["second", "y, or longitude", /^y$|lon|lng|l.nge|est|hoch/i, null],
  ["demand", "Demand", /demand|menge|bedarf|quant|cantidad|poids|gewicht|anzahl|last|pallet|kg/i, "1 for every stop"],
];
const DEPOT = /depot|d.p.t|lager|zentrale|almac|entrep|magazz|warehouse/i;
const SHOWN = 4;
const MARK = "stops: "; // as hcvrp.formats.spreadsheet has it: the column is not to be taken for another

const by = (id) => document.getElementById(id);

/** Whether the table has figures to choose from. */
export const canAsk = (text) => numericColumns(cells(text)).filter(Boolean).length > 1;

/** The table as the server wants it, after asking; null if the planner left. */
export async function ask(text, complaint) {
  const rows = cells(text);
  by("columns-reason").textContent = complaint;
  by("columns-bare").checked = rows[0].filter(isNumber).length > 1;
  const show = () => choices(rows, by("columns-bare").checked);
  by("columns-bare").onchange = show;
  show();
  const dialog = by("columns-dialog");
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  return dialog.returnValue === "take" ? rewritten(rows, by("columns-bare").checked) : null;
}

/** The selections, filled with what the headings and the cells suggest. */
function choices(rows, bare) {
  const headings = headingsOf(rows, bare);
  const body = bare ? rows : rows.slice(1);
  const numeric = numericColumns(body);
  const taken = new Set();
  const selects = FIELDS.map(([field, label, usual, none]) => {
    const free = headings.map((_, k) => k).filter((k) => !taken.has(k) && (field === "name" ? !numeric[k] : numeric[k]));
    const guess = free.find((k) => !bare && usual.test(headings[k])) ?? (none && field !== "name" && !free.length ? -1 : free[0] ?? -1);
    taken.add(guess);
    const options = headings.map((heading, k) => `<option value="${k}"${k === guess ? " selected" : ""}>${escape(heading)}</option>`);
    if (none) options.unshift(`<option value="-1"${guess < 0 ? " selected" : ""}>(${none})</option>`);
    return select(field, label, options);
  });
  const globe = !bare && /lat|breite|lon|l.nge/i.test(headings.join(" "));
  const kinds = ["Places on a plan, x and y", "Latitude and longitude"].map((words, k) => `<option value="${k}"${k === Number(globe) ? " selected" : ""}>${words}</option>`);
  const home = Math.max(0, body.findIndex((row) => row.some((cell) => DEPOT.test(cell))));
  const depots = body.map((row, k) => `<option value="${k}"${k === home ? " selected" : ""}>${escape(row.filter((cell) => cell.trim()).slice(0, 3).join(", "))}</option>`);
  by("columns-choices").innerHTML = selects.join("") + select("globe", "The places are", kinds) + select("depot", "The depot is", depots);
  const line = (row, tag) => `<tr>${headings.map((_, k) => `<${tag}>${escape(row[k] ?? "")}</${tag}>`).join("")}</tr>`;
  by("columns-sample").innerHTML = `<thead>${line(headings, "th")}</thead><tbody>${body.slice(0, SHOWN).map((row) => line(row, "td")).join("")}</tbody>`;
}

const headingsOf = (rows, bare) => rows[0].map((cell, k) => (bare ? "" : cell) || `column ${k + 1}`);

const select = (field, label, options) =>
  `<label for="columns-${field}">${label}</label><select id="columns-${field}">${options.join("")}</select>`;

const chosen = (field) => Number(by(`columns-${field}`).value);

/** The chosen columns by the server's own names, then the others, which the plan takes over. */
function rewritten(rows, bare) {
  const axes = chosen("globe") ? ["lat", "lon"] : ["x", "y"];
  const columns = { name: chosen("name"), [axes[0]]: chosen("first"), [axes[1]]: chosen("second"), demand: chosen("demand") };
  const used = Object.entries(columns).filter(([field, k]) => k >= 0 || field === "demand");
  const others = headingsOf(rows, bare).map((heading, k) => [MARK + heading, k]).filter(([, k]) => !Object.values(columns).includes(k));
  const lines = (bare ? rows : rows.slice(1)).map((row, number) => {
    const isDepot = number === chosen("depot");
    const values = used.map(([field, k]) => (field === "demand" ? (isDepot ? "" : k < 0 ? "1" : row[k]) : row[k]));
    return [isDepot ? "depot" : "stop", ...values, ...others.map(([, k]) => row[k])];
  });
  return [["type", ...[...used, ...others].map(([name]) => name)], ...lines].map((line) => line.map(quoted).join("\t")).join("\n");
}

const quoted = (cell) => (/["\t\n]/.test(cell ?? "") ? `"${cell.replaceAll('"', '""')}"` : cell ?? "");

/** Of each column, whether its cells are numbers; the first row may be a heading. */
function numericColumns(rows) {
  const fits = (k) => rows.slice(1).every((row) => !row[k]?.trim() || isNumber(row[k])) && rows.some((row) => isNumber(row[k]));
  return rows[0].map((_, k) => fits(k));
}

/** Whether a cell is a number, with a decimal point or a comma. */
const isNumber = (cell) => /^\s*[-+]?\d+([.,]\d+)?\s*$/.test(cell ?? "");

/** The cells of a table, within quotes of several lines; the separator is whichever the first line has most of. */
export function cells(text) {
  const first = text.trimStart().split("\n", 1)[0];
  const separator = [",", ";", "\t"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best));
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\n]*))(${separator}|\\r?\\n|$)`, "gy");
  const rows = [[]];
  for (const [, quotes, plain, end] of text.matchAll(cell)) {
    rows.at(-1).push(quotes === undefined ? plain.trim() : quotes.replaceAll('""', '"'));
    if (end !== separator) rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell.trim()));
}
