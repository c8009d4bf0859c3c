// Numbers as people write them in spreadsheets, 1234.5, 1.234,5 or 1 234,5: the same as in hcvrp.formats.numerals.

const NUMBER = /^([-+]?)([.,]*\d[\d.,]*)(e[-+]?\d+)?$/i;
const DOUBTFUL = /^[1-9]\d{0,2}[.,]\d{3}$/;
const GROUPING_SPACE = /(\d)[\s'’](?=\d{3}(?!\d))/g;

/** The number that the text spells, NaN if it spells none; a doubtful one by its point for decimals. */
export function numeral(text) {
  const [, sign, body, power = ""] = taken(text) ?? [];
  if (body === undefined) return NaN;
  const mark = shownMark(body) ?? ".";
  const group = mark === "." ? "," : ".";
  const shape = new RegExp(`^(\\d*|\\d{1,3}(\\${group}\\d{3})+)(\\${mark}\\d*)?$`);
  if (!shape.test(body)) return NaN;
  const value = Number(sign + body.replaceAll(group, "").replace(mark, ".") + power);
  return Number.isFinite(value) ? value : NaN;
}

export const isNumber = (text) => !Number.isNaN(numeral(text));

/** Whether a number may mean thousands or decimals, as 1.234 does. */
export const isDoubtful = (text) => DOUBTFUL.test(taken(text)?.[2] ?? "");

/** Sign, body and power. */
const taken = (text) => NUMBER.exec(text.trim().replace(GROUPING_SPACE, "$1"));

/** The decimal mark of the digits, if they show it: given twice it groups thousands, as in 1.234.567. */
function shownMark(body) {
  const found = [...body].filter((c) => c === "." || c === ",");
  if (!found.length || DOUBTFUL.test(body)) return null;
  const last = found.pop();
  if (!found.includes(last)) return last;
  return last === "." ? "," : ".";
}
