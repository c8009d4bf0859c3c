// The table of earlier plans, up to date while one of them is being made.

import * as api from "./api.js";
import { clock, escape, moment } from "./look.js";
import { FINAL, GOALS, dayOf } from "./run.js";

const PAGE = 12; // earlier plans at a time
const POLLING = 2000; // milliseconds
const HEAD = `<thead><tr><th scope="col">At</th><th scope="col">Day</th><th scope="col">Goal</th>` +
  `<th scope="col" class="right">Time</th><th scope="col">State</th><th><span class="unseen">Show</span></th></tr></thead>`;

const by = (id) => document.getElementById(id);

export class Jobs {
  /** `shown` answers with the ids of the jobs that are shown. */
  constructor(shown) {
    this.shown = shown;
    this.pages = 1;
    this.asked = 0;
  }

  async list() {
    clearTimeout(this.timer);
    this.asked += 1;
    const { asked } = this;
    try {
      const found = await this.fetch();
      if (asked === this.asked) this.draw(found); // else a later answer is on its way, or here
    } finally {
      if (asked === this.asked && this.isOpen) this.timer = setTimeout(() => this.list().catch(() => {}), POLLING);
    }
  }

  async more() {
    this.pages += 1;
    await this.list();
  }

  async fetch() {
    const jobs = [];
    let next = "";
    for (let page = 0; page < this.pages && next !== null; page += 1) {
      const list = await api.get(`/v1/jobs?limit=${PAGE}${next && `&before=${next}`}`);
      jobs.push(...list.jobs);
      next = list.next;
    }
    return { jobs, next };
  }

  draw({ jobs, next }) {
    this.isOpen = jobs.some((job) => !FINAL.includes(job.status));
    by("past").hidden = jobs.length === 0;
    by("more").hidden = next === null;
    const rows = jobs.map((job) => this.row(job)).join("");
    if (rows === this.drawn) return;
    this.drawn = rows;
    const { job } = document.activeElement?.dataset ?? {};
    by("jobs").innerHTML = `${HEAD}<tbody>${rows}</tbody>`;
    if (job) by("jobs").querySelector(`[data-job="${job}"]`)?.focus();
  }

  row(job) {
    const shown = this.shown();
    const here = shown.includes(job.id);
    return `<tr><td>${moment(job.created)}</td><td>${escape(dayOf(job))}</td><td>${GOALS[job.objective]}</td>` +
      `<td class="right">${job.cost === null ? "–" : clock(job.hours)(job.cost)}</td><td>${job.status}</td>` +
      `<td><button type="button" data-job="${job.id}" ${here ? "disabled" : ""}>${here ? "shown" : shown.length ? "Compare" : "Show"}</button></td></tr>`;
  }
}
