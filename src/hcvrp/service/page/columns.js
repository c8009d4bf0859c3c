// A table whose headings mean nothing to the server: the planner says what it holds, and which column is which.

import { escape } from "./look.js";
import { isNumber } from "./numbers.js";

// By kind of table its fields: id, label, words of headings in plain letters, what it means to have no column (null:
// there must be one), and whether a column without such a word is proposed.
const FIELDS = {
  stops: [
    ["name", "Name", /name|\bnom|kunde|client|stop|halt|magas|adress|ort\b|\bid\b/, "no names", true],
    ["first", "x, or latitude", /^x\b|\blat(itud|\b)|breit|^norte?$|^ost|rechts/, null, true],
    ["second", "y, or longitude", /^y\b|\blong?(itud|\b)|\blng|\blange|^este?$|^hoch/, null, true],
    ["demand", "Demand", /demand|menge|bedarf|quant|cantid|poids|peso|gewicht|weight|anzahl|\blast\b|\bload|charge|carg|caric|pallet|coli|\bkg\b/,
      "1 for every stop", true],
  ],
  vehicles: [
    ["name", "Name", /name|\bnom|fahrzeug|vehic|veic|kennz|plate|targa|matric|driver|fahrer|furgon|camion|lkw|\bid\b/, "no names", true],
    ["capacity", "Capacity", /capac|kapaz|payload|\bload|last\b|gewicht|weight|poids|peso|portata|charge|carg|zulad|\bkg\b/, null, true],
    ["speed", "Speed", /speed|geschw|tempo|veloc|vitesse|\bkm h\b|\bkmh\b/, "not told", false],
    ["count", "Count", /count|number|anzahl|stuck|quant|cantid|nombre|numero|unit/, "1 of each", false],
  ],
};
const VEHICLES = /fahrzeug|vehic|veic|furgon|camion|\blkw|truck|\bvans?\b|kennz|nutzlast|zulad|portata|payload|capac|kapaz|speed|geschw|veloc|vitesse/;
const DEPOT = /depot|d.p.t|lager|zentrale|almac|entrep|magazz|warehouse/i;
const SHOWN = 4;
const MARK = "stops: "; // as hcvrp.formats.spreadsheet has it: the column is not to be taken for another

const [FEW, MOST, ALL] = [0, 1, 2]; // how many cells of a column are figures

const by = (id) => document.getElementById(id);

/** Whether the table has figures to choose from: stops have places, vehicles a capacity. */
export function canAsk(text) {
  const rows = cells(text);
  return figures(rows).filter((share) => share >= MOST).length > (likelyKind(rows) === "vehicles" ? 0 : 1);
}

/** The table as the server wants it, after asking; null if the planner left. */
export async function ask(text, complaint) {
  const rows = cells(text);
  by("columns-reason").textContent = complaint;
  by("columns-bare").checked = rows[0].filter(isNumber).length > 1;
  kinds().find((choice) => choice.value === likelyKind(rows)).checked = true;
  const show = () => choices(rows, chosenKind(), by("columns-bare").checked);
  for (const choice of [by("columns-bare"), ...kinds()]) choice.onchange = show;
  show();
  const dialog = by("columns-dialog");
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  if (dialog.returnValue !== "take") return null;
  const write = chosenKind() === "stops" ? stopsOf : vehiclesOf;
  return written(write(rows, by("columns-bare").checked), separatorOf(text));
}

const kinds = () => [...document.getElementsByName("columns-kind")];
const chosenKind = () => kinds().find((choice) => choice.checked).value;

/** Vehicles where a heading speaks of such, unless there are columns of places. */
function likelyKind(rows) {
  const words = rows[0].map(plain);
  const [, first, second] = guessed(FIELDS.stops, words, figures(rows), { worded: true });
  return words.some((word) => VEHICLES.test(word)) && (first < 0 || second < 0) ? "vehicles" : "stops";
}

/** The selections, filled with what the headings and the cells suggest. */
function choices(rows, kind, bare) {
  const headings = headingsOf(rows, bare);
  const body = bare ? rows : rows.slice(1);
  const words = headings.map((heading) => (bare ? "" : plain(heading)));
  by("columns-reason").hidden = kind === "vehicles"; // it is about stops
  const guesses = guessed(FIELDS[kind], words, figures(rows));
  const selects = FIELDS[kind].map(([field, label, , none], n) => {
    const options = headings.map((heading, k) => option(k, heading, k === guesses[n]));
    if (none) options.unshift(option(-1, `(${none})`, guesses[n] < 0));
    return select(field, label, options);
  });
  if (kind === "stops") selects.push(globe(words), depot(body));
  by("columns-choices").innerHTML = selects.join("");
  const line = (row, tag) => `<tr>${headings.map((_, k) => `<${tag}>${escape(row[k] ?? "")}</${tag}>`).join("")}</tr>`;
  by("columns-sample").innerHTML = `<thead>${line(headings, "th")}</thead><tbody>${body.slice(0, SHOWN).map((row) => line(row, "td")).join("")}</tbody>`;
}

function globe(words) {
  const likely = Number(words.some((word) => /\blat(itud|\b)|breit|\blong?(itud|\b)|\blange/.test(word)));
  return select("globe", "The places are", ["Places on a plan, x and y", "Latitude and longitude"].map((label, k) => option(k, label, k === likely)));
}

function depot(body) {
  const home = Math.max(0, body.findIndex((row) => row.some((cell) => DEPOT.test(cell))));
  return select("depot", "The depot is", body.map((row, k) => option(k, row.filter((cell) => cell.trim()).slice(0, 3).join(", "), k === home)));
}

/** A column for each field, -1 for none: headings speak first, then the cells unless only `worded` columns will do.
 * A heading wins though its cells be no numbers: the server says of the first such cell what is wrong with it. */
function guessed(fields, words, shares, { worded = false } = {}) {
  const guesses = fields.map(() => -1);
  const fill = (n, ...tests) => {
    for (const test of tests) {
      if (guesses[n] < 0) guesses[n] = words.findIndex((_, k) => !guesses.includes(k) && test(k));
    }
  };
  fields.forEach(([field, , usual, , proposed], n) => {
    const told = (k) => usual.test(words[k]);
    if (field === "name") fill(n, (k) => told(k) && shares[k] === FEW);
    else fill(n, (k) => told(k) && shares[k] >= MOST, (k) => told(k) && proposed);
  });
  fields.forEach(([field, , , , proposed], n) => {
    if (!proposed || worded) return;
    if (field === "name") fill(n, (k) => shares[k] === FEW);
    else fill(n, (k) => shares[k] === ALL, (k) => shares[k] === MOST);
  });
  return guesses;
}

const headingsOf = (rows, bare) => rows[0].map((cell, k) => (bare ? "" : cell) || `column ${k + 1}`);

/** A heading in small letters without accents, its words apart. */
const plain = (heading) => heading.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\d]+/gu, " ").trim();

const option = (value, label, chosen) => `<option value="${value}"${chosen ? " selected" : ""}>${escape(label)}</option>`;

const select = (field, label, options) =>
  `<label for="columns-${field}">${label}</label><select id="columns-${field}">${options.join("")}</select>`;

const chosen = (field) => Number(by(`columns-${field}`).value);

/** The chosen columns by the server's own names, then the others, which the plan takes over. */
function stopsOf(rows, bare) {
  const axes = chosen("globe") ? ["lat", "lon"] : ["x", "y"];
  const columns = { name: chosen("name"), [axes[0]]: chosen("first"), [axes[1]]: chosen("second"), demand: chosen("demand") };
  const used = Object.entries(columns).filter(([field, k]) => k >= 0 || field === "demand");
  const others = headingsOf(rows, bare).map((heading, k) => [MARK + heading, k]).filter(([, k]) => !Object.values(columns).includes(k));
  const lines = (bare ? rows : rows.slice(1)).map((row, number) => {
    const isDepot = number === chosen("depot");
    const values = used.map(([field, k]) => (field === "demand" ? (isDepot ? "" : k < 0 ? "1" : row[k]) : row[k]));
    return [isDepot ? "depot" : "stop", ...values, ...others.map(([, k]) => row[k])];
  });
  return [["type", ...[...used, ...others].map(([name]) => name)], ...lines];
}

/** Likewise of vehicles, of which nothing else is kept. */
function vehiclesOf(rows, bare) {
  const used = FIELDS.vehicles.map(([field]) => [field, chosen(field)]).filter(([, k]) => k >= 0);
  return [used.map(([field]) => field), ...(bare ? rows : rows.slice(1)).map((row) => used.map(([, k]) => row[k]))];
}

/** A table as text with the separator that it had: whether 1,250 has decimals depends on that. */
function written(lines, separator) {
  const special = new RegExp(`["\\r\\n${separator}]`);
  const quoted = (cell = "") => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines.map((line) => line.map(quoted).join(separator)).join("\n");
}

/** Of each column, how many of its filled cells are figures; the first row may be a heading. */
function figures(rows) {
  return rows[0].map((_, k) => {
    const filled = rows.slice(1).map((row) => row[k] ?? "").filter((cell) => cell.trim());
    const count = filled.filter(isNumber).length;
    return 2 * count <= filled.length ? FEW : count < filled.length ? MOST : ALL;
  });
}

/** What separates the cells of a table: whichever the first line has most of. */
function separatorOf(text) {
  const first = text.trimStart().split("\n", 1)[0];
  return [",", ";", "\t"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best));
}

/** The cells of a table, within quotes of several lines. */
export function cells(text) {
  const separator = separatorOf(text);
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\n]*))(${separator}|\\r?\\n|$)`, "gy");
  const rows = [[]];
  for (const [, quotes, plain, end] of text.matchAll(cell)) {
    rows.at(-1).push(quotes === undefined ? plain.trim() : quotes.replaceAll('""', '"'));
    if (end !== separator) rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell.trim()));
}
