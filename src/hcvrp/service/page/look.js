// How vehicles, trips and numbers look: the same as in hcvrp.plotting.style.

const HUES = [
  [0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167],
  [230, 159, 0], [86, 180, 233], [152, 138, 20], [110, 110, 110],
];
const CORNERS = { square: [4, 45], triangle: [3, -90], diamond: [4, 0], pentagon: [5, -90] };
const SHAPES = ["circle", "square", "triangle", "diamond", "pentagon"];
const DASHES = ["none", "10 4", "3 3", "14 4 3 4"];
const INK = "#1f2328";

const mix = (channels, grey, share) =>
  "#" + channels.map((c) => Math.round(grey + share * (c - grey)).toString(16).padStart(2, "0")).join("");
const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));

export function colour(vehicle) {
  const turn = Math.floor(vehicle / HUES.length);
  return mix(HUES[vehicle % HUES.length], 25, 1 / (1 + 0.55 * turn));
}

export const tint = (vehicle, trip) =>
  trip % 2 === 0 ? colour(vehicle) : mix(channels(colour(vehicle)), 255, 0.6);

export const dash = (trip) => DASHES[trip % DASHES.length];

/** White or ink, whichever has more contrast (WCAG 2.2, 1.4.3). */
export function textOn(background) {
  const middle = luminance(background) + 0.05;
  return 1.05 / middle > middle / (luminance(INK) + 0.05) ? "#ffffff" : INK;
}

function luminance(hex) {
  const [r, g, b] = channels(hex).map((c) => {
    const share = c / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The stop marker of a vehicle as SVG. */
export function marker(vehicle, x, y, radius, more = "") {
  const shape = SHAPES[vehicle % SHAPES.length];
  if (shape === "circle") return `<circle class="stop" cx="${x}" cy="${y}" r="${radius}"${more}/>`;
  const [count, first] = CORNERS[shape];
  const corners = Array.from({ length: count }, (_, k) => {
    const angle = ((first + (360 * k) / count) * Math.PI) / 180;
    return `${(x + 1.25 * radius * Math.cos(angle)).toFixed(2)},${(y + 1.25 * radius * Math.sin(angle)).toFixed(2)}`;
  });
  return `<polygon class="stop" points="${corners.join(" ")}"${more}/>`;
}

/** Four figures, never in powers of ten. */
export function number(value) {
  if (!value) return "0";
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 12));
}

/** How times are worded, as in hcvrp.wording: h:mm where they are `hours`, else four figures. */
export const clock = (hours) => (hours ? hoursAndMinutes : number);

function hoursAndMinutes(value) {
  const minutes = Math.round(60 * value);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

export const brief = (value) => String(Number(Number(value).toPrecision(6)));
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The hour of a time in Unix seconds, with the date unless it is of today. */
export function moment(seconds) {
  const date = new Date(1000 * seconds);
  const hour = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return date.toDateString() === new Date().toDateString() ? hour : `${date.toLocaleDateString()}, ${hour}`;
}

/** Round numbers from 0 to `limit`, steps of 1, 2 or 5 × 10ᵏ. */
export function ticks(limit, most = 5) {
  if (!(limit > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(limit / most));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => limit / s <= most);
  return Array.from({ length: Math.floor(limit / step + 1e-9) + 1 }, (_, k) => k * step);
}

/** Hours from 0 to `limit`, in steps of round minutes, hours or days. */
export function clockTicks(limit, most = 5) {
  const days = 24 * Math.ceil(limit / 24 / most);
  const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].find((m) => (limit * 60) / m <= most);
  const step = minutes ? minutes / 60 : days;
  return Array.from({ length: Math.floor(limit / step + 1e-9) + 1 }, (_, k) => k * step);
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);

/** A complaint or note with a capital letter, unless it begins with a file's name, and a full stop. */
export function sentence(text) {
  const first = /^\S+\.\w+:/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();
  return first + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
