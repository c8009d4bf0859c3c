// The map: stops, the depot and, once there is a plan, its trips. North up, on a grid or on tiles.

import { brief, colour, dash, marker, tint } from "./look.js";
import { attribution, drawTiles } from "./tiles.js";
import { View } from "./view.js";

const WIDTH = 640;
const MARGIN = 26;
const REACH = 22; // pixels from a stop at which pointing still means it
const SQUARE = 56; // least side of a square of the grid
const KILOMETRES = 111.195; // of a degree of latitude
const RADIAN = Math.PI / 180;
const POLE = 85.05; // where Mercator's square ends

/** Places in the plane, y upwards: coordinates as they are, or Mercator's in degrees, as tiles have it. */
export function places(instance) {
  if (!instance.depot) return null;
  const nodes = [instance.depot, ...instance.customers];
  if (!onGlobe(instance)) return nodes.map((n) => [n.x, n.y]);
  const home = instance.depot.lon;
  return nodes.map((n) => [home + ((((n.lon - home + 180) % 360) + 360) % 360) - 180, mercator(n.lat)]);
}

export const onGlobe = (instance) => Boolean(instance.depot && "lat" in instance.depot);

const mercator = (lat) => Math.asinh(Math.tan(Math.min(POLE, Math.max(-POLE, lat)) * RADIAN)) / RADIAN;
export const latitude = (y) => Math.atan(Math.sinh(y * RADIAN)) / RADIAN;

/** The rectangle that holds the points. */
export function bounds(points) {
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
}

export class RouteMap {
  constructor(figure, onVehicle = () => {}) {
    this.svg = figure.querySelector("svg");
    this.tip = figure.querySelector(".tip");
    this.caption = figure.querySelector("figcaption");
    this.svg.innerHTML = '<g class="tiles"></g><g class="drawing"></g>';
    [this.tiles, this.drawing] = this.svg.children;
    this.vehicle = null;
    this.current = -1;
    this.stops = [];
    this.svg.setAttribute("tabindex", "0");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label",
      "Map; the arrow keys step through the stops, with Shift they move it, plus and minus zoom, 0 shows all");
    this.view = new View(this.svg, () => this.later());
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.hide());
    this.svg.addEventListener("blur", () => this.hide());
    this.svg.addEventListener("keydown", (event) => this.step(event));
    this.svg.addEventListener("click", (event) => {
      const group = event.target.closest("[data-vehicle]");
      if (group) onVehicle(Number(group.dataset.vehicle));
    });
  }

  /** Draws `points` (the depot first) inside `frame`; `trips` as the server times them, as `word` words them. */
  draw({ points, frame, globe = false, measured = true, customers, vehicles = [], trips = [], word, note = "" }) {
    Object.assign(this, { points, globe, measured, customers, vehicles, trips, word, note });
    this.fit(frame ?? bounds(points));
    this.radii = radii(customers.map((c) => c.demand));
    this.stops = trips.length
      ? trips.flatMap((trip) => trip.stops.map((customer, k) => ({ customer, trip, arrival: trip.arrivals[k], order: k })))
      : customers.map((_, k) => ({ customer: k + 1 }));
    this.paint();
  }

  /** Paints soon: many changes of the view between two frames are one. */
  later() {
    if (!this.points) return;
    this.waiting ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.waiting = null;
    this.at = this.points.map((p) => this.place(p));
    this.square = squares(this.scale * this.view.k, this.globe ? this.kilometres : 1);
    this.drawing.innerHTML = (this.isTiled ? "" : this.grid()) + (this.trips.length ? this.plan() : this.bare()) + this.depot() +
      '<circle class="ring" r="11" style="display:none"/>';
    const { place, look, size, pixel } = this;
    if (this.globe) drawTiles(this.tiles, { place: place.bind(this), look: look.bind(this), size, pixel });
    else this.tiles.replaceChildren();
    this.caption.textContent = [this.note, this.legend].filter(Boolean).join(" ");
    this.highlight(this.vehicle);
    if (!this.tip.hidden) this.describe(this.stops.findIndex((stop) => stop.customer === this.described));
  }

  fit(frame) {
    const wide = frame.right - frame.left;
    const tall = frame.high - frame.low;
    this.scale = (WIDTH - 2 * MARGIN) / (Math.max(wide, tall) || 1);
    this.size = [WIDTH, Math.max(200, tall * this.scale + 2 * MARGIN)];
    this.centre = [(frame.left + frame.right) / 2, (frame.low + frame.high) / 2];
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${this.size[1].toFixed(1)}`);
    const shown = Object.values(frame).join();
    if (shown === this.shown) return;
    this.shown = shown;
    this.view.size = this.size;
    this.view.reset();
  }

  /** Pixels of the screen in one unit of the view box. */
  get pixel() {
    return this.svg.getScreenCTM()?.a || 1;
  }

  get kilometres() {
    return KILOMETRES * Math.cos(latitude(this.centre[1]) * RADIAN);
  }

  /** Whether the map is drawn on tiles instead of a grid. */
  get isTiled() {
    return this.globe && attribution() !== null;
  }

  get legend() {
    if (!this.points.length || !this.measured) return "";
    if (this.isTiled) return `North is up. ${attribution()}`.trim();
    const side = brief(this.square.value);
    return this.globe ? `North is up; one square is ${side} km.` : `One square is ${side} wide.`;
  }

  place([x, y]) {
    const [wide, tall] = this.size;
    const flat = [wide / 2 + (x - this.centre[0]) * this.scale, tall / 2 - (y - this.centre[1]) * this.scale];
    return this.view.apply(flat).map((value) => Number(value.toFixed(1)));
  }

  /** The place in the plane at a point of the view box. */
  look(point) {
    const [x, y] = this.view.undo(point);
    return [this.centre[0] + (x - this.size[0] / 2) / this.scale, this.centre[1] - (y - this.size[1] / 2) / this.scale];
  }

  /** The place in the plane under a pointer. */
  unplace(event) {
    return this.look(this.view.within(event));
  }

  grid() {
    const lines = [];
    const { step } = this.square;
    const [left, high] = this.look(this.size.map((length) => -length)); // beyond the edges,
    const [right, low] = this.look(this.size.map((length) => 2 * length)); // for a frame of another shape
    const [wide, tall] = this.size;
    for (const x of multiples(step, left, right)) lines.push(`M${this.place([x, 0])[0]} ${-tall}V${2 * tall}`);
    for (const y of multiples(step, low, high)) lines.push(`M${-wide} ${this.place([0, y])[1]}H${2 * wide}`);
    return `<path class="grid" d="${lines.join("")}"/>`;
  }

  bare() {
    const dots = this.customers.map((_, k) => {
      const [x, y] = this.at[k + 1];
      return `<circle class="stop" cx="${x}" cy="${y}" r="${this.radii[k]}"/>`;
    });
    return `<g class="unplanned">${dots.join("")}</g>`;
  }

  plan() {
    const faint = this.trips.length <= 24 ? 0.65 : 0.35;
    const lines = this.trips.map((trip) => this.line(trip));
    const stops = this.stops.map(({ customer, trip }) => {
      const [x, y] = this.at[customer];
      const mark = marker(trip.vehicle, x, y, this.radii[customer - 1]);
      return `<g data-vehicle="${trip.vehicle}" style="--colour:${colour(trip.vehicle)}">${mark}</g>`;
    });
    return `<g style="--faint-leg:${faint}">${lines.join("")}${stops.join("")}</g>`;
  }

  line(trip) {
    const nodes = [0, ...trip.stops, 0].map((node) => this.at[node].join(","));
    const [first, second] = [this.at[0], this.at[trip.stops[0]]];
    const angle = (Math.atan2(second[1] - first[1], second[0] - first[0]) * 180) / Math.PI;
    const middle = `${(first[0] + second[0]) / 2} ${(first[1] + second[1]) / 2}`;
    return `<g data-vehicle="${trip.vehicle}" style="--colour:${tint(trip.vehicle, trip.trip)}">` +
      `<polyline class="trip" stroke-dasharray="${dash(trip.trip)}" points="${nodes.slice(1, -1).join(" ")}"/>` +
      `<polyline class="leg" points="${nodes.slice(0, 2).join(" ")}"/>` +
      `<polyline class="leg" points="${nodes.slice(-2).join(" ")}"/>` +
      `<path class="arrow" d="M-4 -3 4 0 -4 3z" transform="translate(${middle}) rotate(${angle.toFixed(1)})"/></g>`;
  }

  depot() {
    if (!this.at.length) return "";
    const [x, y] = this.at[0];
    return `<rect class="depot" x="${x - 7}" y="${y - 7}" width="14" height="14"/>` +
      `<text class="depot-label" x="${x}" y="${y - 12}">depot</text>`;
  }

  highlight(vehicle) {
    this.vehicle = vehicle;
    for (const part of this.svg.querySelectorAll("[data-vehicle]")) {
      part.classList.toggle("dim", vehicle !== null && Number(part.dataset.vehicle) !== vehicle);
    }
  }

  point(event) {
    if (!this.at || this.view.dragged) return;
    const [x, y] = this.view.within(event);
    let best = -1;
    let nearest = REACH / this.pixel;
    this.stops.forEach(({ customer }, k) => {
      const distance = Math.hypot(this.at[customer][0] - x, this.at[customer][1] - y);
      if (distance < nearest) [best, nearest] = [k, distance];
    });
    if (best < 0) this.hide();
    else this.describe(best);
  }

  step(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.hide();
    if (!by || !this.stops.length) return;
    event.preventDefault();
    const from = this.current < 0 && by < 0 ? 0 : this.current;
    const next = (from + by + this.stops.length) % this.stops.length;
    this.view.reveal(this.view.undo(this.at[this.stops[next].customer]));
    this.paint();
    this.describe(next);
  }

  describe(index) {
    if (index < 0) return this.hide();
    this.current = index;
    const { customer, trip, arrival, order } = this.stops[index];
    this.described = customer;
    const [x, y] = this.at[customer];
    const { name, demand } = this.customers[customer - 1];
    const ring = this.svg.querySelector(".ring");
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.style.display = "";
    const lines = [name ?? `stop ${customer}`, `demand ${brief(demand)}`];
    if (trip) {
      const who = this.vehicles[trip.vehicle];
      lines.push(`${who}, trip ${trip.trip + 1}, stop ${order + 1}`, `arrival ${this.word(arrival)}`);
    }
    this.tip.textContent = lines.join("\n");
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(70, (100 * x) / this.size[0])}%`;
    this.tip.style.top = `${(100 * (y + 14)) / this.size[1]}%`;
  }

  hide() {
    this.tip.hidden = true;
    const ring = this.svg.querySelector(".ring");
    if (ring) ring.style.display = "none";
  }
}

/** The grid's squares at so many pixels a unit: the round `value` of a side, and its `step` in units. */
function squares(scale, worth) {
  const least = (SQUARE / scale) * worth;
  const power = 10 ** Math.floor(Math.log10(least));
  const value = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= least);
  return { value, step: value / worth };
}

/** At most so many: where numbers lie further apart than a step, steps would lead nowhere. */
const MOST_LINES = 200;

/** The multiples of a step within a range. */
function multiples(step, low, high) {
  const first = Math.ceil(low / step);
  const count = Math.min(MOST_LINES, Math.floor(high / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, k) => (first + k) * step);
}

/** Marker radii: area follows demand, smaller in a crowd (as hcvrp.plotting.style). */
function radii(demands) {
  const largest = 1.5 * Math.min(4.6, Math.max(2.2, 28 / Math.sqrt(demands.length || 1)));
  const most = Math.max(...demands, 0) || 1;
  return demands.map((d) => Number((largest * Math.sqrt(0.25 + (0.75 * d) / most)).toFixed(2)));
}

export const vehicleNames = (instance) =>
  instance.vehicles.map((vehicle, k) => vehicle.name ?? `vehicle ${k + 1}`);

