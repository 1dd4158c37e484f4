import { byId, element } from "./dom.js";
import { statusLine } from "./body.js";

const maxCalls = 100;
const maxKept = 64 << 20; // bytes of all bodies together

/** History is the list of the calls of the page. */
export class History {
  #calls = [];

  /** recall is called with the record that somebody chooses. */
  constructor(recall) {
    this.recall = recall;
  }

  /** add puts a call in front. times tells of a burst. */
  add(record, times = "") {
    const kind = record.error ? "error" : `${Math.floor(record.status / 100)}xx`;
    const button = element("button", { type: "button" },
      element("span", { class: `method ${record.method.toLowerCase()}` }, record.method),
      element("span", { class: "url" }, element("span", { class: "origin-part" }, location.origin), record.url.slice(location.origin.length)),
      element("span", { class: "meta" },
        element("span", { class: "outcome", "data-kind": kind }, record.error ? "failed" : statusLine(record.status, record.statusText)),
        element("span", { class: "ms" }, [times, `${Math.round(record.ms)} ms`].filter(Boolean).join(" · "))));
    button.addEventListener("click", () => this.#choose(button, record));
    const row = element("li", {}, button);
    byId("history").prepend(row);
    byId("history-card").hidden = false;
    this.#calls.unshift({ record, row });
    this.#trim();
    this.#mark(button);
  }

  #choose(button, record) {
    this.#mark(button);
    this.recall(record);
  }

  #mark(button) {
    this.current?.removeAttribute("aria-current");
    this.current = button;
    button.setAttribute("aria-current", "true");
  }

  #trim() {
    const kept = () => this.#calls.reduce((sum, { record }) => sum + record.bytes.length, 0);
    while (this.#calls.length > maxCalls || this.#calls.length > 1 && kept() > maxKept) this.#calls.pop().row.remove();
  }
}
