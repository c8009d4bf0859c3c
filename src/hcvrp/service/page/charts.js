// The Gantt chart, a vehicle's trips in words, and the cost curve.

import { brief, clock, clockTicks, colour, escape, marker, number, plural, textOn, ticks, tint } from "./look.js";

const share = (time, end) => `${((100 * time) / (end || 1)).toFixed(2)}%`;

/** A row per vehicle, a segment per trip; the rows are buttons. Times may be in `hours`, speeds in km/h then. */
export function gantt(root, { vehicles, names, plan, chosen, end, hours }) {
  const word = clock(hours);
  const latest = Math.max(...plan.vehicle_times);
  const marks = hours ? clockTicks(end) : ticks(end);
  const step = share(marks.at(-1) / Math.max(1, marks.length - 1), end);
  const rows = vehicles.map((vehicle, v) => {
    const trips = plan.trips.filter((trip) => trip.vehicle === v);
    const time = plan.vehicle_times[v];
    return `<li><button type="button" class="vehicle${time === latest ? " longest" : ""}" data-vehicle="${v}"` +
      ` aria-pressed="${v === chosen}" style="--colour:${colour(v)}"><span class="who">` +
      `<svg class="key" viewBox="-8 -8 16 16" aria-hidden="true">${marker(v, 0, 0, 5.5)}</svg>` +
      `<span class="name">${escape(names[v])}</span><span class="caption">${caption(vehicle, hours)}</span></span>` +
      `<span class="bar">${trips.map((t) => segment(t, end, word)).join("")}</span>` +
      `<span class="time">${trips.length ? word(time) : "stays"}</span></button></li>`;
  });
  root.style.setProperty("--step", step);
  root.innerHTML = `<ol>${rows.join("")}</ol><div class="axis" aria-hidden="true"><div>` +
    marks.map((t) => `<span style="left:${share(t, end)}">${hours ? word(t) : brief(t)}</span>`).join("") +
    `</div><span class="unit">${hours ? "h:mm" : "time"}</span></div>`;
}

function caption({ capacity, speed = 1 }, hours) {
  return `capacity ${brief(capacity)}, ${hours ? `${brief(speed)} km/h` : `speed ${brief(speed)}`}`;
}

function segment(trip, end, word) {
  const background = tint(trip.vehicle, trip.trip);
  const facts = `trip ${trip.trip + 1}: ${plural(trip.stops.length, "stop")}, load ${brief(trip.load)},` +
    ` from ${word(trip.start)} to ${word(trip.end)}`;
  return `<span style="left:${share(trip.start, end)};width:${share(trip.end - trip.start, end)};` +
    `background:${background};color:${textOn(background)}" title="${facts}">${trip.trip + 1}</span>`;
}

/** The trips of one vehicle as tables, with times as `word` words them, and the `details` of those names.
 * On paper each page of a table begins with what `title` makes of the trip's number. */
export function tripTables(vehicle, { customers, plan, word, details = [], title = null }) {
  const trips = plan.trips.filter((trip) => trip.vehicle === vehicle);
  if (!trips.length) return "<p>Stays at the depot.</p>";
  return trips.map((trip) => {
    let load = trip.load;
    const rows = trip.stops.map((customer, k) => {
      const { name, demand, details: known = {} } = customers[customer - 1];
      const told = Object.entries(known).filter(([about, text]) => text && details.includes(about))
        .map(([about, text]) => `<small>${escape(about)}: <b>${escape(text)}</b></small>`);
      load -= demand;
      return `<tr><td>${k + 1}</td><td>${escape(name ?? `stop ${customer}`)}${told.join("")}</td><td>${brief(demand)}</td>` +
        `<td>${brief(Math.abs(load) < 1e-9 ? 0 : load)}</td><td>${word(trip.arrivals[k])}</td></tr>`;
    });
    return `<table><caption>Trip ${trip.trip + 1}: leaves at ${word(trip.start)} with ${brief(trip.load)},` +
      ` back at ${word(trip.end)}</caption><colgroup>${"<col>".repeat(5)}</colgroup><thead>${title ? paperRow(title(trip.trip + 1)) : ""}<tr><th scope="col">#</th><th scope="col">Stop</th>` +
      `<th scope="col">Deliver</th><th scope="col">On board</th><th scope="col">Arrival</th></tr></thead>` +
      `<tbody>${rows.join("")}</tbody></table>`;
  }).join("");
}

/** Browsers repeat the head of a table on each page. */
const paperRow = (text) => `<tr class="paper"><th colspan="5">${escape(text)}</th></tr>`;

/** Cost, as `word` words it, against seconds as steps; the proven bound below where there is one. */
export function curve(svg, { points, bound, seconds, word }) {
  const width = Math.max(280, svg.clientWidth || 640); // drawn as wide as it is shown, so that letters keep their size
  const [height, left, right, bottom] = [150, 64, 20, 24];
  const last = Math.max(seconds, points.at(-1)?.[0] ?? 0, 0.1);
  const costs = points.map((p) => p[1]);
  const high = Math.max(...costs);
  const low = Math.min(...costs, bound ?? Infinity);
  const room = (high - low || high || 1) * 0.08;
  const x = (t) => (left + ((width - left - right) * t) / last).toFixed(1);
  const y = (c) => (8 + ((height - bottom - 8) * (high + room - c)) / (high - low + 2 * room)).toFixed(1);
  const path = points.map(([t, c], k) => (k ? `H${x(t)}V${y(c)}` : `M${x(t)} ${y(c)}`)).join("") + `H${x(last)}`;
  const marks = ticks(last).map((t) =>
    `<text class="tick" x="${x(t)}" y="${height - 5}">${Number(t.toPrecision(6))} s</text>`);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Cost from ${word(high)} down to ${word(costs.at(-1))} in ${number(last)} seconds`);
  svg.innerHTML = `<path class="axis-line" d="M${left} 8V${height - bottom}H${width - right}"/>` +
    `<text class="tick end" x="${left - 6}" y="${Number(y(high)) + 4}">${word(high)}</text>` +
    (word(low) === word(high) ? "" : `<text class="tick end" x="${left - 6}" y="${Number(y(low)) + 4}">${word(low)}</text>`) +
    (bound === null ? "" : `<path class="bound" d="M${left} ${y(bound)}H${width - right}"/>`) +
    `<path class="cost" d="${path}"/>` + marks.join("");
}
