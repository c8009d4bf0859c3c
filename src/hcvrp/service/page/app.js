// The page: prepare a day on the left, see its plans on the right.

import * as api from "./api.js";
import { editable, slipIn } from "./cells.js";
import { ask, canAsk } from "./columns.js";
import { Day, VAN_SPEEDS } from "./day.js";
import { Jobs } from "./jobs.js";
import { keepSoon, restoreKept } from "./keep.js";
import { escape, plural, sentence } from "./look.js";
import { RouteMap } from "./map.js";
import { doing, say, tell, tellOf, unsay, untell } from "./notice.js";
import { Run } from "./run.js";
import { decoded } from "./text.js";
import { useTiles } from "./tiles.js";

const by = (id) => document.getElementById(id);
const map = new RouteMap(by("day").querySelector(".map"));
const runs = [];
const PASTED = "paste.csv"; // no file that the planner knows by name
const LONGEST_TITLE = 100;
const SLIP = "slip"; // in a cell on the page, whatever is being read
const ANY_FLEET = [{ capacity: Number.MAX_SAFE_INTEGER }]; // takes whatever the stops need
let clicking = false;
let certified = 0; // stops up to which the server proves a bound
const day = new Day(() => changed());
const jobs = new Jobs(() => runs.map((run) => run.job.id));

// The day ----------------------------------------------------------------------------------------

function changed() {
  keepSoon(day);
  by("stops-summary").textContent = day.summary;
  showNotes();
  by("start").disabled = !day.isReady;
  const many = day.customers.length > certified;
  by("certify").disabled = many;
  by("certify-hint").textContent = many ? `Proofs are for up to ${certified} stops.`
    : "A proof tells how much better than the plan any other can be.";
  drawDay();
  drawFleet();
  if (by("stops-details").open) drawStops();
}

function drawDay() {
  const note = clicking ? (day.depot ? "Click where a stop is." : "Click where the depot is.")
    : day.customers.length ? "" : "Open a file, paste a table, click stops onto the map, or take an example.";
  map.draw({ points: day.points, frame: day.frame, globe: day.onGlobe, measured: day.hasPlaces, customers: day.customers, note });
}

function drawStops() {
  const { stops } = day.tables;
  editable(by("stops"), {
    ...stops,
    onEdit: (row, key, value, complaint) => {
      const target = row < stops.fixed ? day.depot : day.customers[row - stops.fixed];
      if (target !== day.depot || day.axes.includes(key)) target[key] = value;
      by("stops-summary").textContent = day.summary;
      drawDay();
      keepSoon(day);
      tellOf(complaint);
      if (day.axes.includes(key)) checkPlaces();
    },
    onRemove: (row) => {
      if (day.distances) return tell(new api.Refusal("Stops of a distance table cannot be removed here."));
      day.customers.splice(row - stops.fixed, 1);
      changed();
      checkPlaces();
    },
  });
}

function drawFleet() {
  editable(by("fleet"), {
    ...day.tables.fleet,
    onEdit: (row, key, value, complaint) => { day.change(row, key, value); keepSoon(day); tellOf(complaint); },
    onRemove: (row) => { day.fleet.splice(row, 1); changed(); },
  });
}

/** Refuses what cannot be right in one of the tables, in the words of its cell, and goes there. */
async function check(table) {
  const slip = slipIn(day.tables[table]);
  if (!slip) return;
  const details = by(table).closest("details");
  if (details && !details.open) {
    details.open = true;
    await new Promise((drawn) => details.addEventListener("toggle", drawn, { once: true }));
  }
  by(table).querySelector(`[data-row="${slip.row}"][data-key="${slip.key}"]`).focus();
  throw new api.Refusal(slip.words, { code: SLIP });
}

/** The number in a field of the form, which must lie within its bounds. */
function figure(id) {
  const field = by(id);
  const { valueAsNumber: value, min, max } = field;
  const fits = value >= Number(min) && value <= Number(max);
  field.setAttribute("aria-invalid", String(!fits));
  if (fits) return value;
  field.closest("details")?.setAttribute("open", "");
  field.focus();
  const [label] = field.labels;
  throw new api.Refusal(`'${label.textContent}' must be a number from ${min} to ${max}, ${field.value ? `not ${field.value}` : "and is empty"}`);
}

/** Reads a file, a Blob; where the server cannot make out its columns, the planner is asked.
 * Of its `origin` the name goes into complaints, the title becomes the day's. */
async function read(file, origin, vehicles = day.instance.vehicles) {
  try {
    return await load(file, origin, vehicles);
  } catch (error) {
    if (!(error instanceof api.Refusal) || error.code === SLIP) throw error;
    const { code, part, message } = error;
    const reason = part ? message.slice(message.indexOf(": ") + 2) : message; // without the server's name for the file
    const text = decoded(await file.arrayBuffer());
    if (code === "unclear-columns" && canAsk(text)) {
      const told = await ask(text, sentence(reason));
      return told === null ? null : await read(new Blob([told]), { ...origin, name: PASTED, isAsked: true });
    }
    // About the vehicles on the page: the stops may be right, and other vehicles next.
    const unfit = vehicles !== ANY_FLEET && (code === "fleet-too-small" || part === "vehicles");
    if (unfit && await read(file, origin, ANY_FLEET) === "vehicles") return "vehicles";
    if (unfit) await check("fleet");
    throw new api.Refusal(origin.name === PASTED || (unfit && part === "vehicles") ? reason : `${origin.name}: ${reason}`);
  }
}

/** Takes the file as stops, or as vehicles where the server finds these in it; says which. */
async function load(file, origin, vehicles) {
  try {
    await loadStops(file, origin, vehicles);
    return "stops";
  } catch (error) {
    if (error.code !== "vehicles-not-stops") throw error;
    await loadFleet(file, origin);
    return "vehicles";
  }
}

/** Reads stops through the server, so that files mean the same here as everywhere. */
async function loadStops(file, origin, vehicles) {
  const form = new FormData();
  const isTable = /\.csv$/i.test(origin.name);
  form.append("customers", new File([file], origin.name));
  const withFleet = () => form.append("vehicles", json({ format: "hcvrp-fleet", version: 1, vehicles }, "fleet.json"));
  if (isTable) withFleet();
  const view = await api.post("/v1/instances", form).catch((error) => {
    if (isTable || error.code !== "fleet-missing") throw error;
    withFleet(); // benchmark files may have none
    return api.post("/v1/instances", form);
  });
  const [places, others] = await apart(view);
  const notes = { places, stops: others, fleet: isTable ? day.notes.fleet : [] };
  const home = view.depot_row && !origin.isAsked ? ` The depot is ${view.depot_row}.` : "";
  const found = plural(view.instance.customers.length, "stop") + (isTable ? "" : ` and ${plural(view.instance.vehicles.length, "vehicle")}`);
  replace(`${readFrom(found, origin)}.${home}`, () => day.load(view, { keepFleet: isTable, name: origin.title, notes }));
}

async function loadFleet(file, origin) {
  if (!day.customers.length) throw new api.Refusal("these are vehicles: bring the stops first.");
  await check("stops");
  const form = new FormData();
  form.append("customers", json(day.instance, "day.json"));
  form.append("vehicles", new File([file], origin.name));
  const view = await api.post("/v1/instances", form);
  const [places, others] = await apart(view);
  const notes = { places, stops: day.notes.stops, fleet: others };
  replace(`${readFrom(plural(view.instance.vehicles.length, "vehicle"), origin)}.`, () => day.load(view, { notes }));
}

const readFrom = (found, { name }) => `${found} read${name === PASTED ? "" : ` from ${name}`}`;

/** Has `change` put another day in place of this one, and says so with the way back. */
function replace(words, change) {
  const before = day.state;
  change();
  showDay();
  say(words, () => replace("The day is as it was before.", () => day.restore(before)));
}

const removeAll = () => replace("All stops are removed.", () => day.clear());

const json = (document, name) => new File([JSON.stringify(document)], name);

/** Asks again whether the stops are where they were meant to be. */
async function checkPlaces() {
  if (!day.onGlobe) return;
  const { customers } = day;
  const places = await aboutPlaces(day.instance);
  if (day.customers !== customers) return; // another day meanwhile
  day.notes = { ...day.notes, places };
  showNotes();
}

/** The notes that the server has on a document: it has no columns that could be unused. */
async function aboutPlaces(instance) {
  const asked = api.post("/v1/instances", { instance: { ...instance, vehicles: ANY_FLEET } });
  return asked.then((view) => view.notes, () => []); // a cell may be half typed
}

/** The notes of a view: those about places, and those about its file, which no edit changes. */
async function apart({ instance, notes }) {
  const places = notes.length ? await aboutPlaces(instance) : [];
  return [places, notes.filter((note) => !places.includes(note))];
}

function showNotes() {
  const { places, stops, fleet } = day.notes;
  by("notes").textContent = [...places, ...stops, ...fleet].map(sentence).join(" ");
  by("notes").hidden = !by("notes").textContent;
}

// Runs -------------------------------------------------------------------------------------------

/** What is asked of the server, with the choices of the form. */
function orderOf(objective, instance) {
  return {
    instance, objective,
    method: by("method").value,
    time_limit: figure("seconds"),
    seed: figure("seed"),
    certify: instance.customers.length > certified ? 0 : figure("certify"),
  };
}

const start = async (order) => open(await api.post("/v1/jobs", order));

/** Shows a run beside at most one other. */
async function open(job) {
  const { instance, points } = await api.get(`/v1/jobs/${job.id}/instance`);
  if (runs.length === 2) close(runs[0]);
  const run = new Run({
    job, instance, points, tell, untell,
    onClose: forget,
    onEdit: doing(edit),
    onStatus: () => jobs.list().catch(tell),
    onDraw: () => runs.forEach((each) => each.drawGantt()),
    scale: () => Math.max(...runs.map((each) => each.latest)),
  });
  runs.push(run);
  by("runs").append(run.root);
  arrange();
  return run;
}

/** The day of a plan, to be changed and planned anew. */
async function edit({ job: { notes }, instance, points }) {
  const view = { instance: structuredClone(instance), points };
  const [places, others] = await apart({ instance, notes });
  replace("The day of this plan can be changed now.", () => day.load(view, { notes: { places, stops: others } }));
}

function close(run) {
  run.leave();
  forget(run);
}

function forget(run) {
  runs.splice(runs.indexOf(run), 1);
  arrange();
}

function arrange() {
  by("runs").dataset.count = runs.length;
  by("day").hidden = runs.length > 0;
  by("run-tools").hidden = runs.length === 0;
  by("other").hidden = runs.length !== 1;
  runs.forEach((run) => { run.show(); run.drawGantt(); });
  jobs.list().catch(tell);
}

function showDay() {
  while (runs.length) close(runs[0]);
}

// Wiring -----------------------------------------------------------------------------------------

by("file").addEventListener("change", doing(async ({ target }) => {
  const file = target.files[0];
  target.value = "";
  if (file) await read(file, { name: file.name, title: file.name.replace(/\.\w+$/, "").slice(0, LONGEST_TITLE) });
}));
by("paste").addEventListener("click", () => {
  by("paste-dialog").returnValue = ""; // Esc leaves the last one
  by("paste-dialog").showModal();
});
by("paste-dialog").addEventListener("close", doing(async ({ target }) => {
  if (target.returnValue === "take" && by("paste-text").value.trim()) await read(new Blob([by("paste-text").value]), { name: PASTED });
}));
by("click").addEventListener("click", ({ currentTarget }) => {
  clicking = !clicking;
  currentTarget.setAttribute("aria-pressed", String(clicking));
  by("day").classList.toggle("clicking", clicking);
  if (clicking && day.distances) removeAll();
  showDay();
  drawDay();
});
map.svg.addEventListener("click", (event) => { if (clicking && !day.distances) day.put(map.unplace(event)); });
by("demo").addEventListener("change", doing(async ({ target }) => {
  if (!target.value) return;
  const view = await api.get(`/v1/demo-data/${target.value}`);
  replace("The example is here.", () => day.load(view));
}));
by("stops-details").addEventListener("toggle", ({ target }) => { if (target.open) drawStops(); });
by("add-stop").addEventListener("click", doing(() => {
  if (day.distances) throw new api.Refusal("Stops cannot be added to a distance table here.");
  day.add();
}));
by("clear").addEventListener("click", doing(removeAll));
by("add-vehicle").addEventListener("click", () => {
  day.addVehicle({ name: `vehicle ${day.fleet.length + 1}`, capacity: 100, count: 1 }, VAN_SPEEDS);
  changed();
});
by("setup").addEventListener("submit", doing(async (event) => {
  event.preventDefault();
  by("start").disabled = true;
  try {
    await check("stops");
    await check("fleet");
    const order = orderOf(by("setup").elements.objective.value, day.instance);
    unsay();
    showDay();
    await start(order);
    by("plan").scrollIntoView();
  } finally {
    by("start").disabled = !day.isReady;
  }
}));
by("other").addEventListener("click", doing(async () => {
  const [run] = runs;
  await start(orderOf(run.job.objective === "min-max" ? "min-sum" : "min-max", run.instance));
}));
by("back").addEventListener("click", showDay);
by("more").addEventListener("click", doing(() => jobs.more()));
by("jobs").addEventListener("click", doing(async ({ target }) => {
  if (target.dataset.job) await open(await api.get(`/v1/jobs/${target.dataset.job}`));
}));

async function begin() {
  restoreKept(day);
  changed();
  const [{ demos }, { methods, default: usual, limits, ...tiles }] = await Promise.all([api.get("/v1/demo-data"), api.get("/v1/policies")]);
  by("demo").insertAdjacentHTML("beforeend", demos.map((d) => `<option value="${d.name}">${escape(d.summary)}</option>`).join(""));
  by("method").innerHTML = methods.map((m) =>
    `<option value="${m.name}"${m.name === usual ? " selected" : ""}>${m.name}: ${escape(m.summary)}</option>`).join("");
  certified = limits.certified;
  for (const id of ["seconds", "certify"]) by(id).max = limits.seconds;
  useTiles(tiles);
  changed();
  await jobs.list();
}

begin().catch(tell);
