// One run on the page: its figures, map, Gantt chart and curve, live until it ends.

import * as api from "./api.js";
import { curve, gantt, tripTables } from "./charts.js";
import { clock, escape, moment, plural, sentence } from "./look.js";
import { RouteMap, onGlobe, places, vehicleNames } from "./map.js";

export const GOALS = {
  "min-max": "Finish as early as possible",
  "min-sum": "Least total time",
};
const STATES = {
  queued: "Waiting for its turn",
  running: "Looking for better routes",
  proving: "The plan is ready; proving how good it is",
  done: "Finished",
  cancelled: "Stopped",
  failed: "Failed",
};
export const FINAL = ["done", "cancelled", "failed"];
const SPEAKING_SECONDS = 5;
const TELLING = 0.5; // a bound further away than this says nothing

/** What a job's day is called: by its name, or by its size. */
export const dayOf = (job) => job.name ?? plural(job.customers, "stop");

const percent = (share, decimals = 2) => `${(100 * share).toFixed(decimals)} %`;

export class Run {
  constructor({ job, instance, points, tell, untell, onClose, onDraw, onEdit, onStatus, scale }) {
    Object.assign(this, { job, instance, tell, untell, onDraw, onStatus, scale });
    this.word = clock(job.hours);
    this.names = vehicleNames(instance);
    this.points = places(instance) ?? points;
    this.curve = [];
    this.plan = null;
    this.chosen = null;
    this.spoken = 0;
    this.began = performance.now() - 1000 * job.seconds;
    this.watching = new AbortController();
    this.root = document.getElementById("run-template").content.firstElementChild.cloneNode(true);
    this.find = (selector) => this.root.querySelector(selector);
    this.map = new RouteMap(this.find(".map"), (vehicle) => this.choose(vehicle));
    this.wire(onClose, onEdit);
    this.find("h2").innerHTML = `${GOALS[job.objective]} <small>${escape(dayOf(job))}, ${moment(job.created)}</small>`;
    this.find(".notes").textContent = job.notes.map(sentence).join(" ");
    this.find(".notes").hidden = job.notes.length === 0;
    this.drawMap();
    this.show();
    this.clock = setInterval(() => this.show(), 500);
    this.watch();
  }

  get isFinal() {
    return FINAL.includes(this.job.status);
  }

  /** When the last vehicle is back. */
  get latest() {
    return this.plan ? Math.max(...this.plan.vehicle_times) : 0;
  }

  wire(onClose, onEdit) {
    this.find(".halt").addEventListener("click", () => this.stop());
    this.find(".close").addEventListener("click", () => { this.leave(); onClose(this); });
    this.find(".edit").addEventListener("click", () => onEdit(this));
    this.find(".sheet").addEventListener("click", () => open(`sheet.html?job=${this.job.id}`));
    for (const button of this.root.querySelectorAll("[data-file]")) {
      button.addEventListener("click", () =>
        api.download(`/v1/jobs/${this.job.id}/solution?format=${button.dataset.file}`).catch((e) => this.tell(e)));
    }
    this.find(".gantt").addEventListener("click", (event) => {
      const row = event.target.closest("[data-vehicle]");
      if (row) this.choose(Number(row.dataset.vehicle));
    });
  }

  async watch() {
    await api.follow(this.job.id, (kind, data) => this.take(kind, data), this.watching.signal, (...what) => this.lose(...what));
  }

  /** The server does not answer, and until it does no time is counted; or it has no more to say. */
  lose(error, isGone) {
    const since = this.away?.since ?? performance.now();
    this.away = { since, error, words: isGone ? "Not followed any more" : "Waiting for the server" };
    this.tell(error);
    this.show();
  }

  found() {
    if (this.away) this.untell(this.away.error);
    this.away = null;
  }

  leave() {
    this.watching.abort();
    clearInterval(this.clock);
    this.root.remove();
  }

  async stop() {
    this.find(".halt").disabled = true;
    try {
      await api.remove(`/v1/jobs/${this.job.id}`);
    } catch (error) {
      this.tell(error);
      this.find(".halt").disabled = false;
    }
  }

  take(kind, data) {
    this.found();
    if (kind === "job") {
      const before = this.job.status;
      this.began = performance.now() - 1000 * data.seconds;
      this.job = data;
      if (data.status !== before) this.onStatus();
      if (this.isFinal) this.end();
    } else {
      this.plan = data;
      this.curve.push(...data.curve);
      this.job = { ...this.job, cost: data.cost, bound: data.bound, gap: data.gap, improvements: data.number };
      if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = null; this.drawPlan(); });
      this.speak(`${GOALS[this.job.objective]}: a plan of ${this.word(data.cost)}`);
    }
    this.show();
  }

  end() {
    clearInterval(this.clock);
    this.spoken = 0;
    const cost = this.job.cost === null ? "" : ` with ${this.word(this.job.cost)}`;
    this.speak(`${GOALS[this.job.objective]}: ${STATES[this.job.status].toLowerCase()}${cost}`);
  }

  /** Says something to screen readers, but not with every improvement. */
  speak(sentence) {
    const now = performance.now() / 1000;
    if (now - this.spoken < SPEAKING_SECONDS) return;
    this.spoken = now;
    document.getElementById("spoken").textContent = sentence;
  }

  choose(vehicle) {
    this.chosen = this.chosen === vehicle ? null : vehicle;
    this.map.highlight(this.chosen);
    for (const row of this.root.querySelectorAll(".vehicle")) {
      row.setAttribute("aria-pressed", String(Number(row.dataset.vehicle) === this.chosen));
    }
    this.drawTrips();
    const trips = this.plan.trips.filter((trip) => trip.vehicle === this.chosen).length;
    const words = this.chosen === null ? "All vehicles" : `${this.names[this.chosen]}: ${plural(trips, "trip")}`;
    document.getElementById("spoken").textContent = words;
  }

  show() {
    const { job, plan, away } = this;
    const total = job.time_limit + job.certify;
    const seconds = this.isFinal ? job.seconds : Math.min(total, ((away?.since ?? performance.now()) - this.began) / 1000);
    this.find(".state").textContent = away ? away.words : STATES[job.status] + (job.reason ? `: ${job.reason}` : "");
    this.root.dataset.state = job.status;
    this.find("progress").value = job.status === "done" ? 1 : job.status === "queued" ? 0 : seconds / total;
    this.find(".halt").hidden = this.isFinal;
    this.find(".halt").textContent = job.status === "proving" ? "That is enough" : "Stop now, keep the plan";
    for (const button of this.root.querySelectorAll("[data-file], .sheet")) button.disabled = !plan;
    this.find(".figures").innerHTML = (plan ? this.figures() : [])
      .map(([term, value, main]) => `<div${main ? ' class="main"' : ""}><dt>${term}</dt><dd>${value}</dd></div>`).join("");
    if (this.curve.length) this.drawCurve(seconds);
    this.find(".curve").hidden = !this.curve.length;
  }

  drawCurve(seconds) {
    const bound = this.isTelling ? this.job.bound : null;
    curve(this.find(".curve svg"), { points: this.curve, bound, seconds, word: this.word });
  }

  /** Whether the bound is near enough to say something. */
  get isTelling() {
    return typeof this.job.gap === "number" && this.job.gap < TELLING;
  }

  figures() {
    const { job, plan } = this;
    const used = new Set(plan.trips.map((t) => t.vehicle)).size;
    const gap = job.gap === 0 ? "the best there is" : `<span title="No plan is better by more than this.">${percent(job.gap)}</span>`;
    return [
      ["Last vehicle back", this.word(Math.max(...plan.vehicle_times)), job.objective === "min-max"],
      ["Total time", this.word(plan.vehicle_times.reduce((a, b) => a + b, 0)), job.objective === "min-sum"],
      ["Better than the first plan by", percent(this.curve[0][1] ? 1 - job.cost / this.curve[0][1] : 0, 1)],
      ["On the road", `${plural(used, "vehicle")}, ${plural(plan.trips.length, "trip")}`],
      ...(this.isTelling ? [[job.gap === 0 ? "Proven" : "Proven within", gap]] : []),
    ];
  }

  drawMap() {
    const note = this.instance.depot ? "" : "No coordinates: places estimated from the distances.";
    const { customers, distances } = this.instance;
    this.map.draw({
      points: this.points, customers, note, vehicles: this.names, trips: this.plan?.trips ?? [], word: this.word,
      globe: onGlobe(this.instance), measured: distances === undefined,
    });
  }

  drawPlan() {
    this.drawMap();
    this.onDraw();
    this.drawTrips();
  }

  /** The Gantt chart; two runs side by side share one scale. */
  drawGantt() {
    const { plan, names, chosen } = this;
    if (!plan) return;
    const focused = document.activeElement?.closest?.(".vehicle");
    const keep = focused && this.root.contains(focused) ? focused.dataset.vehicle : null;
    const { vehicles } = this.instance;
    gantt(this.find(".gantt"), { vehicles, names, plan, chosen, end: this.scale(), hours: this.job.hours });
    if (keep !== null) this.find(`.vehicle[data-vehicle="${keep}"]`)?.focus();
  }

  drawTrips() {
    const { plan, names, chosen } = this;
    const hint = '<p class="hint">Choose a vehicle to see its trips.</p>';
    this.find(".trips").innerHTML = !plan ? "" : chosen === null ? hint
      : `<h3>${escape(names[chosen])}</h3>${tripTables(chosen, { plan, customers: this.instance.customers, word: this.word })}`;
  }
}
