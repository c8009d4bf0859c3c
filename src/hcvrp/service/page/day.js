// The day being prepared: its stops and its fleet.

import { plural } from "./look.js";
import { bounds, latitude, onGlobe, places } from "./map.js";

const EMPTY_FRAME = { left: 0, right: 10, low: 0, high: 10 };
const NEW_DEMAND = 10;
const NO_NOTES = { places: [], stops: [], fleet: [] };

/** Speeds until the planner gives them: on a plan, and in km/h by latitude and longitude. */
export const VAN_SPEEDS = [1, 30];
const LORRY_SPEEDS = [0.8, 25];

const DEGREES = ["lat", "lon"];
const NAME = ["name", "Name", "text"];
const DEMAND = ["demand", "Demand", "number"];
const FLEET = [NAME, ["capacity", "Capacity", "number"], ["speed", "Speed", "number"], ["count", "Count", "number"]];

export class Day {
  constructor(onChange) {
    this.fleet = [];
    this.guessed = new WeakMap(); // vehicles whose speed nobody gave, and their speeds
    this.onChange = () => {}; // nobody listens while it is being made
    this.clear();
    this.addVehicle({ name: "small van", capacity: 100, count: 2 }, VAN_SPEEDS);
    this.addVehicle({ name: "lorry", capacity: 250, count: 1 }, LORRY_SPEEDS);
    this.onChange = onChange;
  }

  clear() {
    this.name = undefined;
    this.depot = null;
    this.customers = [];
    this.distances = undefined;
    this.places = null;
    this.notes = NO_NOTES;
    this.frame = EMPTY_FRAME;
    this.guessSpeeds();
    this.onChange();
  }

  /** All of it, to come back to. */
  get state() {
    const { name, depot, customers, distances, places, notes, frame, fleet } = this;
    const guesses = fleet.map((vehicle) => this.guessed.get(vehicle) ?? null);
    return structuredClone({ name, depot, customers, distances, places, notes, frame, fleet, guesses });
  }

  restore({ guesses, ...state }) {
    Object.assign(this, { name: undefined, distances: undefined }, structuredClone(state)); // JSON has no undefined
    this.fleet.forEach((vehicle, k) => { if (guesses[k]) this.guessed.set(vehicle, guesses[k]); });
    this.onChange();
  }

  /** Takes an instance as the server read it, with its vehicles or for those that are here, and a name if it has none.
   * `notes` are about the places, which may be edited, and about the files of stops and fleet. */
  load({ instance, points }, { name, notes, keepFleet = false } = {}) {
    this.name = instance.name ?? name;
    this.depot = instance.depot ?? null;
    this.customers = instance.customers;
    this.distances = instance.distances;
    this.places = points;
    this.notes = { ...NO_NOTES, ...notes };
    if (!keepFleet) this.fleet = grouped(instance.vehicles);
    this.guessSpeeds();
    this.frame = bounds(this.points);
    this.onChange();
  }

  addVehicle(vehicle, speeds) {
    this.fleet.push(vehicle);
    this.guessed.set(vehicle, speeds);
    this.guessSpeeds();
  }

  /** A cell of the fleet was edited. */
  change(row, key, value) {
    this.fleet[row][key] = value;
    if (key === "speed") this.guessed.delete(this.fleet[row]);
  }

  guessSpeeds() {
    for (const vehicle of this.fleet) {
      if (this.guessed.has(vehicle)) vehicle.speed = this.guessed.get(vehicle)[Number(this.onGlobe)];
    }
  }

  get onGlobe() {
    return onGlobe(this);
  }

  get axes() {
    return this.onGlobe ? DEGREES : ["x", "y"];
  }

  get hasPlaces() {
    return this.distances === undefined;
  }

  get points() {
    if (this.distances !== undefined) return this.places;
    return this.depot ? places(this) : [];
  }

  /** The tables that it is edited in, as `editable` takes them. */
  get tables() {
    const axes = this.hasPlaces ? this.axes.map((axis) => [axis, axis, "number"]) : [];
    const depot = this.depot ? [{ name: "depot", ...this.depot }] : [];
    return {
      stops: { caption: "Stops", columns: [NAME, ...axes, DEMAND], rows: [...depot, ...this.customers], fixed: depot.length },
      fleet: { caption: "Vehicles", columns: FLEET, rows: this.fleet },
    };
  }

  /** The instance document for the server. */
  get instance() {
    const named = this.customers.some((c) => c.name);
    return {
      format: "hcvrp-instance", version: 1,
      ...(this.name ? { name: this.name } : {}),
      ...(this.depot ? { depot: this.depot } : {}),
      customers: this.customers.map((c, k) => (named ? { ...c, name: c.name || `stop ${k + 1}` } : c)),
      vehicles: this.fleet.map(({ name, ...rest }) => (name ? { name, ...rest } : rest)),
      ...(this.distances ? { distances: this.distances } : {}),
    };
  }

  get isReady() {
    return this.customers.length > 0 && this.fleet.length > 0;
  }

  get summary() {
    if (!this.customers.length) return this.depot ? "The depot; no stops yet." : "None yet.";
    const total = this.customers.reduce((sum, c) => sum + (Number(c.demand) || 0), 0);
    return `${this.name ? `${this.name}: ` : ""}${plural(this.customers.length, "stop")}, demand ${Number(total.toFixed(3))} in all.`;
  }

  /** A place was clicked: the depot first, then stops. */
  put([x, y]) {
    const place = this.onGlobe ? { lat: round(latitude(y)), lon: round(((((x + 180) % 360) + 360) % 360) - 180) } : { x: round(x), y: round(y) };
    if (!this.depot) this.depot = place;
    else this.customers.push({ ...this.nextName(), ...place, demand: NEW_DEMAND });
    this.onChange();
  }

  /** A stop from the keyboard, at the depot until its place is typed in. */
  add() {
    const { left, right, low, high } = this.frame;
    const middle = this.onGlobe ? { lat: this.depot.lat, lon: this.depot.lon } : { x: round((left + right) / 2), y: round((low + high) / 2) };
    if (!this.depot) this.depot = middle;
    else this.customers.push({ ...this.nextName(), ...middle, demand: NEW_DEMAND });
    this.onChange();
  }

  nextName() {
    if (this.customers.length && !this.customers[0].name) return {};
    const taken = new Set(this.customers.map((c) => c.name));
    let k = this.customers.length + 1;
    while (taken.has(`stop ${k}`)) k += 1;
    return { name: `stop ${k}` };
  }
}

const round = (value) => Number(value.toPrecision(6));

/** Vehicles that differ in nothing but a number at the end of their names, counted. */
function grouped(vehicles) {
  const rows = [];
  let numbered = false;
  for (const vehicle of vehicles) {
    const stem = vehicle.name?.replace(/ \d+$/, "");
    const last = rows.at(-1);
    const same = last && last.capacity === vehicle.capacity && last.speed === vehicle.speed &&
      (vehicle.name === undefined ? last.name === undefined : numbered && vehicle.name === `${last.name} ${last.count + 1}`);
    if (same) {
      last.count += 1;
      continue;
    }
    numbered = vehicle.name?.endsWith(" 1"); // only these come back under the names they had
    rows.push({ ...vehicle, ...(numbered ? { name: stem } : {}), count: 1 });
  }
  return rows.map((row, k) => (row.count === 1 && row.name !== undefined ? { ...row, name: restored(vehicles, rows, k) } : row));
}

/** The full name of a vehicle that turned out to be the only one of its kind. */
function restored(vehicles, rows, index) {
  const before = rows.slice(0, index).reduce((sum, row) => sum + row.count, 0);
  return vehicles[before].name;
}
