// The map: stops, the depot and, once there is a plan, its trips. Planar, north up.

import { brief, colour, dash, marker, number, tint } from "./look.js";

const WIDTH = 640;
const MARGIN = 26;
const REACH = 22; // pixels from a stop at which pointing still means it

/** Places in the plane for an instance with coordinates, y upwards (as hcvrp.layout). */
export function places(instance) {
  const nodes = [instance.depot, ...instance.customers];
  if (!instance.depot) return null;
  if (!("lat" in instance.depot)) return nodes.map((n) => [n.x, n.y]);
  const scale = Math.cos((nodes.reduce((sum, n) => sum + n.lat, 0) / nodes.length) * (Math.PI / 180));
  const home = instance.depot.lon;
  return nodes.map((n) => [(home + ((((n.lon - home + 180) % 360) + 360) % 360) - 180) * scale, n.lat]);
}

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
    this.vehicle = null;
    this.current = 0;
    this.stops = [];
    this.svg.setAttribute("tabindex", "0");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "Map; the arrow keys step through the stops");
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.hide());
    this.svg.addEventListener("blur", () => this.hide());
    this.svg.addEventListener("keydown", (event) => this.step(event));
    this.svg.addEventListener("click", (event) => {
      const group = event.target.closest("[data-vehicle]");
      if (group) onVehicle(Number(group.dataset.vehicle));
    });
  }

  /** Draws `points` (the depot first) inside `frame`; `trips` as the server times them. */
  draw({ points, frame, customers, vehicles = [], trips = [], note = "" }) {
    this.customers = customers;
    this.vehicles = vehicles;
    this.fit(frame ?? bounds(points));
    this.at = points.map((p) => this.place(p));
    this.radii = radii(customers.map((c) => c.demand));
    this.trips = trips;
    this.stops = trips.length
      ? trips.flatMap((trip) => trip.stops.map((customer, k) => ({ customer, trip, arrival: trip.arrivals[k], order: k })))
      : customers.map((_, k) => ({ customer: k + 1 }));
    this.svg.innerHTML = this.grid() + (trips.length ? this.plan() : this.bare()) + this.depot() +
      '<circle class="ring" r="11" style="display:none"/>';
    this.caption.textContent = note;
    this.highlight(this.vehicle);
  }

  fit(frame) {
    const wide = frame.right - frame.left;
    const tall = frame.high - frame.low;
    this.scale = (WIDTH - 2 * MARGIN) / (Math.max(wide, tall) || 1);
    this.height = Math.max(200, tall * this.scale + 2 * MARGIN);
    this.centre = [(frame.left + frame.right) / 2, (frame.low + frame.high) / 2];
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${this.height.toFixed(1)}`);
  }

  place([x, y]) {
    return [
      Number((WIDTH / 2 + (x - this.centre[0]) * this.scale).toFixed(1)),
      Number((this.height / 2 - (y - this.centre[1]) * this.scale).toFixed(1)),
    ];
  }

  /** The place in the plane under a pointer. */
  unplace(event) {
    const [x, y] = this.within(event);
    return [
      this.centre[0] + (x - WIDTH / 2) / this.scale,
      this.centre[1] - (y - this.height / 2) / this.scale,
    ];
  }

  within(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  grid() {
    const lines = [];
    const [far, step] = [3 * WIDTH, WIDTH / 10]; // beyond the edges, for a frame of another shape
    for (let x = -far; x <= far; x += step) lines.push(`M${x} ${-far}V${far}M${-far} ${x}H${far}`);
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
    const [x, y] = this.within(event);
    const pixel = this.svg.getScreenCTM().a;
    let best = -1;
    let nearest = REACH / pixel;
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
    this.describe((this.current + by + this.stops.length) % this.stops.length);
  }

  describe(index) {
    this.current = index;
    const { customer, trip, arrival, order } = this.stops[index];
    const [x, y] = this.at[customer];
    const { name, demand } = this.customers[customer - 1];
    const ring = this.svg.querySelector(".ring");
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.style.display = "";
    const lines = [name ?? `stop ${customer}`, `demand ${brief(demand)}`];
    if (trip) {
      const who = this.vehicles[trip.vehicle];
      lines.push(`${who}, trip ${trip.trip + 1}, stop ${order + 1}`, `arrival ${number(arrival)}`);
    }
    this.tip.textContent = lines.join("\n");
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(70, (100 * x) / WIDTH)}%`;
    this.tip.style.top = `${(100 * (y + 14)) / this.height}%`;
  }

  hide() {
    this.tip.hidden = true;
    const ring = this.svg.querySelector(".ring");
    if (ring) ring.style.display = "none";
  }
}

/** Marker radii: area follows demand, smaller in a crowd (as hcvrp.plotting.style). */
function radii(demands) {
  const largest = 1.5 * Math.min(4.6, Math.max(2.2, 28 / Math.sqrt(demands.length || 1)));
  const most = Math.max(...demands, 0) || 1;
  return demands.map((d) => Number((largest * Math.sqrt(0.25 + (0.75 * d) / most)).toFixed(2)));
}

export const vehicleNames = (instance) =>
  instance.vehicles.map((vehicle, k) => vehicle.name ?? `vehicle ${k + 1}`);

