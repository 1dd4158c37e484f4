import { byId, svg } from "./dom.js";

const height = 240;
const area = { left: 40, right: 614, top: 14, bottom: 172 };
const lane = 194; // where the calls are that did not pass

/** Plot draws the calls of a burst over time. */
export class Plot {
  /** rate and n tell how long the burst is to last, 0: nobody knows. */
  constructor(n, rate) {
    this.points = []; // {at, kind, passed}
    this.statuses = new Map(); // how many answers had each
    this.expected = rate > 0 ? n / rate : 0;
    this.drawing = 0;
    byId("plot-card").hidden = false;
    byId("plot").dataset.state = "busy";
    this.width = Math.max(280, byId("plot").clientWidth); // texts keep their size
    area.right = this.width - 26;
    this.#draw();
  }

  /** add takes a call in; the plot is drawn anew with the next frame. */
  add(at, { error, status }) {
    const passed = !error && status !== 429;
    const kind = status === 429 ? "refused" : error || status >= 400 ? "failed" : "accepted";
    this.points.push({ at, kind, passed });
    const name = error ? "no answer" : String(status);
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    this.drawing ||= requestAnimationFrame(() => this.#draw());
  }

  /** done draws the whole. */
  done() {
    cancelAnimationFrame(this.drawing);
    this.expected = 0;
    this.#draw();
    byId("plot").dataset.state = "done";
  }

  count(is) {
    return this.points.filter(is).length;
  }

  #draw() {
    this.drawing = 0;
    const points = this.points.toSorted((a, b) => a.at - b.at);
    const passed = this.count((p) => p.passed);
    const seconds = scale(Math.max(points.at(-1)?.at ?? 0, this.expected, 0.05));
    const calls = scale(Math.max(passed, 4), true);
    const x = (at) => area.left + (at / seconds.end) * (area.right - area.left);
    const y = (n) => area.bottom - (n / calls.end) * (area.bottom - area.top);
    const text = this.summary();
    byId("plot").replaceChildren(svg("svg", { viewBox: `0 0 ${this.width} ${height}`, role: "img", "aria-label": text },
      ...axes(seconds, calls, x, y), ...marks(points, x, y)));
    byId("plot-text").textContent = text;
  }

  /** summary tells what the limits let pass, and what became of it. */
  summary() {
    const statuses = [...this.statuses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${n} × ${name}`);
    const text = `${this.count((p) => p.passed)} passed the limits, ${this.count((p) => p.kind === "refused")} refused`;
    return statuses.length ? `${text}: ${statuses.join(", ")}` : text;
  }
}

function axes(seconds, calls, x, y) {
  const drawn = [];
  for (let n = 0; n <= calls.end + calls.step / 2; n += calls.step) {
    drawn.push(svg("line", { class: "grid", x1: area.left, x2: area.right, y1: y(n), y2: y(n) }),
      svg("text", { class: "tick", x: area.left - 8, y: y(n) + 4, "text-anchor": "end" }, String(Math.round(n))));
  }
  drawn.push(svg("line", { class: "lane", x1: area.left, x2: area.right, y1: lane, y2: lane }));
  for (let s = 0; s <= seconds.end + seconds.step / 2; s += seconds.step) {
    drawn.push(svg("line", { class: "axis", x1: x(s), x2: x(s), y1: lane + 10, y2: lane + 15 }),
      svg("text", { class: "tick", x: x(s), y: lane + 30, "text-anchor": "middle" }, `${Number(s.toFixed(3))} s`));
  }
  drawn.push(svg("line", { class: "axis", x1: area.left, x2: area.right, y1: lane + 10, y2: lane + 10 }));
  return drawn;
}

function marks(points, x, y) {
  const line = [`M${x(0)} ${y(0)}`];
  const dots = [];
  let count = 0;
  for (const { at, kind, passed } of points) {
    if (passed) {
      line.push(`L${x(at).toFixed(1)} ${y(count).toFixed(1)}`);
      count++;
      line.push(`L${x(at).toFixed(1)} ${y(count).toFixed(1)}`);
    }
    const [cx, cy, d] = [x(at), passed ? y(count) : lane, 3.4];
    const shapes = {
      accepted: () => svg("circle", { class: kind, cx: cx.toFixed(1), cy: cy.toFixed(1), r: 3.2 }),
      refused: () => svg("path", { class: kind, d: `M${cx - d} ${cy - d}L${cx + d} ${cy + d}M${cx - d} ${cy + d}L${cx + d} ${cy - d}` }),
      failed: () => svg("path", { class: kind, d: `M${cx} ${cy - d}L${cx + d} ${cy + d}L${cx - d} ${cy + d}Z` }),
    };
    dots.push(shapes[kind]());
  }
  if (points.length) line.push(`L${x(points.at(-1).at).toFixed(1)} ${y(count).toFixed(1)}`);
  return count ? [svg("path", { class: "total", d: line.join("") }), ...dots] : dots;
}

/** scale is an axis with about five round steps. */
function scale(max, whole = false) {
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  return { step, end: Math.ceil((max / step) * 0.9999) * step };
}
