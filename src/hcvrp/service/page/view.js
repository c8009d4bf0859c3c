// Where one looks on a map: zoom and pan by mouse, touch, keyboard and buttons.

const LEAST = 1 / 4;
const MOST = 200;
const STEP = 1.5;
const DRAG = 5; // pixels before a press becomes a drag and no longer a click

const BUTTONS = [["+", "Zoom in", STEP], ["−", "Zoom out", 1 / STEP], ["⤢", "Show all", 0]];

/** A magnification `k` and an offset (x, y) in the units of the drawing's view box. */
export class View {
  constructor(svg, onChange) {
    this.svg = svg;
    this.onChange = onChange;
    this.size = [1, 1];
    this.pointers = new Map();
    this.reset();
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) svg.addEventListener(kind, (event) => this.release(event));
    svg.addEventListener("click", (event) => this.swallow(event), { capture: true });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.after(this.buttons());
  }

  buttons() {
    const bar = document.createElement("div");
    bar.className = "zoom noprint";
    for (const [sign, words, factor] of BUTTONS) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: sign, title: words });
      button.setAttribute("aria-label", words);
      button.addEventListener("click", () => (factor ? this.zoom(factor) : this.reset()));
      bar.append(button);
    }
    return bar;
  }

  get middle() {
    return this.size.map((length) => length / 2);
  }

  apply([x, y]) {
    return [x * this.k + this.x, y * this.k + this.y];
  }

  undo([x, y]) {
    return [(x - this.x) / this.k, (y - this.y) / this.k];
  }

  /** The place of a pointer in the view box. */
  within({ clientX, clientY }) {
    const point = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  reset() {
    this.set(1, 0, 0);
  }

  set(k, x, y) {
    this.k = Math.min(MOST, Math.max(LEAST, k));
    [this.x, this.y] = [x, y].map((offset, axis) => kept(offset, this.size[axis] * (1 - this.k)));
    this.svg.style.touchAction = this.k > 1 ? "none" : "pan-x pan-y"; // as a whole it lets the page scroll
    this.onChange();
  }

  /** Zooms so that the place `at` stays where it is. */
  zoom(factor, at = this.middle) {
    const k = Math.min(MOST, Math.max(LEAST, this.k * factor));
    const [x, y] = this.undo(at);
    this.set(k, at[0] - x * k, at[1] - y * k);
  }

  pan(x, y) {
    this.set(this.k, this.x + x, this.y + y);
  }

  /** Brings a place of the drawing into sight. */
  reveal(place) {
    const outside = this.apply(place).some((at, axis) => at < 0 || at > this.size[axis]);
    if (outside) this.set(this.k, ...this.middle.map((half, axis) => half - place[axis] * this.k));
  }

  /** The wheel scrolls the page unless the map was clicked first, or Ctrl is held (a pinch is that, too). */
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.svg) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002) * (event.ctrlKey ? 3 : 1)), this.within(event));
  }

  press(event) {
    this.pointers.set(event.pointerId, this.within(event));
    if (this.pointers.size === 1) {
      this.pressed = [event.clientX, event.clientY];
      this.dragged = false;
    }
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const far = Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]);
    if (!this.dragged && far < DRAG && this.pointers.size === 1) return;
    if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
    this.dragged = true;
    const now = this.within(event);
    const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) this.zoom(distance(now, other) / (distance(before, other) || 1), other);
    else this.pan(now[0] - before[0], now[1] - before[1]);
  }

  release(event) {
    this.pointers.delete(event.pointerId);
  }

  /** The click that ends a drag means nothing. */
  swallow(event) {
    if (this.dragged) event.stopImmediatePropagation();
    this.dragged = false;
  }

  key(event) {
    const pan = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") this.zoom(STEP);
    else if (event.key === "-") this.zoom(1 / STEP);
    else if (event.key === "0") this.reset();
    else if (pan && event.shiftKey) this.pan(...pan.map((way, axis) => (way * this.size[axis]) / 8));
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** The offset kept so that the drawing neither leaves the frame nor hangs in a corner of it. */
const kept = (offset, room) => Math.min(Math.max(0, room), Math.max(Math.min(0, room), offset));
