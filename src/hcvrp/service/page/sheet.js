// A printable page per driver: the trips with their stops, deliveries and times.

import * as api from "./api.js";
import { tripTables } from "./charts.js";
import { escape, number, plural } from "./look.js";
import { onGlobe, vehicleNames } from "./map.js";

const by = (id) => document.getElementById(id);

function draw(instance, plan) {
  const clock = chosenClock();
  const names = vehicleNames(instance);
  const driving = names.map((_, v) => v).filter((v) => plan.trips.some((trip) => trip.vehicle === v));
  by("sheets").innerHTML = driving.map((v) => {
    const trips = plan.trips.filter((trip) => trip.vehicle === v);
    const stops = trips.reduce((sum, trip) => sum + trip.stops.length, 0);
    return `<article class="driver"><p class="muted">${escape(instance.name ?? "")}</p><h2>${escape(names[v])}</h2>` +
      `<p>${plural(trips.length, "trip")}, ${plural(stops, "stop")}, back at ${clock(plan.vehicle_times[v])}</p>` +
      `${tripTables(v, { plan, customers: instance.customers, clock })}</article>`;
  }).join("");
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
  const job = new URLSearchParams(location.search).get("job");
  const [{ instance }, plan] = await Promise.all([api.get(`/v1/jobs/${job}/instance`), api.get(`/v1/jobs/${job}/plan`)]);
  if (onGlobe(instance)) by("unit").value = "60"; // kilometres, so presumably km/h
  for (const id of ["unit", "dawn"]) by(id).addEventListener("change", () => draw(instance, plan));
  draw(instance, plan);
}

by("print").addEventListener("click", () => print());
begin().catch((error) => {
  by("notice").textContent = error.message;
  by("notice").hidden = false;
});
