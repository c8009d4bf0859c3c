// A printable page per driver: the trips with their stops, deliveries and times.

import * as api from "./api.js";
import { tripTables } from "./charts.js";
import { escape } from "./look.js";
import { vehicleNames } from "./map.js";

async function begin() {
  const job = new URLSearchParams(location.search).get("job");
  const [{ instance }, plan] = await Promise.all([api.get(`/v1/jobs/${job}/instance`), api.get(`/v1/jobs/${job}/plan`)]);
  const names = vehicleNames(instance);
  const driving = names.map((_, v) => v).filter((v) => plan.trips.some((trip) => trip.vehicle === v));
  document.getElementById("sheets").innerHTML = driving.map((v) =>
    `<article class="driver"><p class="muted">${escape(instance.name ?? "")}</p>` +
    `${tripTables(v, { names, plan, customers: instance.customers })}</article>`).join("");
}

document.getElementById("print").addEventListener("click", () => print());
begin().catch((error) => {
  document.getElementById("notice").textContent = error.message;
  document.getElementById("notice").hidden = false;
});
