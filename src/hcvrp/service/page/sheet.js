// A printable sheet per driver, of one page or more: the trips with their stops, deliveries and times, and what else is known of a stop.

import * as api from "./api.js";
import { tripTables } from "./charts.js";
import { escape, number, plural } from "./look.js";
import { vehicleNames } from "./map.js";

const by = (id) => document.getElementById(id);

/** The sheets of a plan made on that `date`. */
function draw(instance, plan, date) {
  const word = chosenClock();
  const names = vehicleNames(instance);
  const details = [...by("details").querySelectorAll(":checked")].map((box) => box.value);
  const driving = names.map((_, v) => v).filter((v) => plan.trips.some((trip) => trip.vehicle === v));
  by("sheets").innerHTML = driving.map((v) => {
    const trips = plan.trips.filter((trip) => trip.vehicle === v);
    const stops = trips.reduce((sum, trip) => sum + trip.stops.length, 0);
    const day = [instance.name, `planned on ${date}`].filter(Boolean).join(", ");
    const title = (trip) => `${names[v]}, trip ${trip}; ${day}`;
    return `<article class="driver"><p class="muted">${escape(day)}</p><h2>${escape(names[v])}</h2>` +
      `<p>${plural(trips.length, "trip")}, ${plural(stops, "stop")}, back at ${word(plan.vehicle_times[v])}</p>` +
      `${tripTables(v, { plan, customers: instance.customers, word, details, title })}</article>`;
  }).join("");
}

/** A box for each name among the details of the stops, to leave out what drivers need not know. */
function offer(customers) {
  const names = [...new Set(customers.flatMap(({ details = {} }) => Object.keys(details)))];
  by("details").hidden = !names.length;
  by("details").insertAdjacentHTML("beforeend", names.map((name) =>
    `<label><input type="checkbox" value="${escape(name)}" checked> ${escape(name)}</label>`).join(""));
}

/** Times as figures, or as times of day where their unit is known. */
function chosenClock() {
  const minutes = Number(by("unit").value);
  const [hour, minute] = by("dawn").value.split(":").map(Number);
  by("dawn").disabled = !minutes;
  if (!minutes || Number.isNaN(minute)) return number;
  return (time) => {
    const all = Math.round(time * minutes) + 60 * hour + minute;
    const day = Math.floor(all / 1440);
    return `${String(Math.floor(all / 60) % 24).padStart(2, "0")}:${String(all % 60).padStart(2, "0")}${day ? ` +${day} d` : ""}`;
  };
}

async function begin() {
  const job = `/v1/jobs/${new URLSearchParams(location.search).get("job")}`;
  const [{ hours, created }, { instance }, plan] = await Promise.all([job, `${job}/instance`, `${job}/plan`].map(api.get));
  const date = new Date(1000 * created).toLocaleDateString();
  if (hours) by("unit").value = "60";
  offer(instance.customers);
  for (const id of ["unit", "dawn", "details"]) by(id).addEventListener("change", () => draw(instance, plan, date));
  draw(instance, plan, date);
}

by("print").addEventListener("click", () => print());
begin().catch((error) => {
  by("notice").textContent = error.message;
  by("notice").hidden = false;
});
