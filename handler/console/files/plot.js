import { byId, svg } from "./dom.js";

const height = 240;
const area = { left: 40, right: 614, top: 14, bottom: 172 };
const lane = 194; // where refused and failed calls are

/** Plot draws the calls of a burst over time. */
export class Plot {
  /** rate and n tell how long the burst is to last, 0: nobody knows. */
  constructor(n, rate) {
    this.points = []; // {at, kind}
    this.expected = rate > 0 ? n / rate : 0;
    this.drawing = 0;
    byId("plot-card").hidden = false;
    byId("plot").dataset.state = "busy";
    this.width = Math.max(280, byId("plot").clientWidth); // texts keep their size
    area.right = this.width - 26;
    this.#draw();
  }

  /** add takes a call in; the plot is drawn anew with the next frame. */
  add(at, kind) {
    this.points.push({ at, kind });
    this.drawing ||= requestAnimationFrame(() => this.#draw());
  }

  /** done draws the whole. */
  done() {
    cancelAnimationFrame(this.drawing);
    this.expected = 0;
    this.#draw();
    byId("plot").dataset.state = "done";
  }

  count(kind) {
    return this.points.filter((p) => p.kind === kind).length;
  }

  #draw() {
    this.drawing = 0;
    const points = this.points.toSorted((a, b) => a.at - b.at);
    const accepted = this.count("accepted");
    const seconds = scale(Math.max(points.at(-1)?.at ?? 0, this.expected, 0.05));
    const calls = scale(Math.max(accepted, 4), true);
    const x = (at) => area.left + (at / seconds.end) * (area.right - area.left);
    const y = (n) => area.bottom - (n / calls.end) * (area.bottom - area.top);
    const text = this.summary();
    byId("plot").replaceChildren(svg("svg", { viewBox: `0 0 ${this.width} ${height}`, role: "img", "aria-label": text },
      ...axes(seconds, calls, x, y), ...marks(points, x, y)));
    byId("plot-text").textContent = text;
  }

  summary() {
    const failed = this.count("failed");
    return `${this.count("accepted")} accepted, ${this.count("refused")} refused${failed ? `, ${failed} failed` : ""}`;
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
  let accepted = 0;
  for (const { at, kind } of points) {
    if (kind === "accepted") {
      line.push(`L${x(at).toFixed(1)} ${y(accepted).toFixed(1)}`);
      accepted++;
      line.push(`L${x(at).toFixed(1)} ${y(accepted).toFixed(1)}`);
      dots.push(svg("circle", { class: "accepted", cx: x(at).toFixed(1), cy: y(accepted).toFixed(1), r: 3.2 }));
    } else {
      const [cx, d] = [x(at), 3.4];
      const shape = kind === "refused"
        ? `M${cx - d} ${lane - d}L${cx + d} ${lane + d}M${cx - d} ${lane + d}L${cx + d} ${lane - d}`
        : `M${cx} ${lane - d}L${cx + d} ${lane + d}L${cx - d} ${lane + d}Z`;
      dots.push(svg("path", { class: kind, d: shape }));
    }
  }
  if (points.length) line.push(`L${x(points.at(-1).at).toFixed(1)} ${y(accepted).toFixed(1)}`);
  return accepted ? [svg("path", { class: "total", d: line.join("") }), ...dots] : dots;
}

/** scale is an axis with about five round steps. */
function scale(max, whole = false) {
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  return { step, end: Math.ceil((max / step) * 0.9999) * step };
}
