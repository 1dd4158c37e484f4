import { byId } from "./dom.js";

/** Endpoints is the list of all endpoints with its search. */
export class Endpoints {
  constructor() {
    this.items = [...document.querySelectorAll("#endpoints .endpoint")].map((button) => ({
      button,
      row: button.parentElement,
      id: button.dataset.endpoint,
      text: `${button.dataset.endpoint} ${button.textContent} ${button.dataset.tags}`.toLowerCase(),
      shown: true,
    }));
    // Groups within groups come behind them, so an inner one is decided first.
    this.groups = [...document.querySelectorAll("#endpoints .tag")];
    this.versions = [...document.querySelectorAll("#endpoints .group")];
    this.byId = new Map(this.items.map((item) => [item.id, item]));

    const search = byId("search");
    search.addEventListener("input", () => this.filter(search.value));
    search.addEventListener("keydown", (event) => this.#onSearchKey(event));
    byId("endpoints").addEventListener("keydown", (event) => this.#onListKey(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      event.preventDefault();
      search.focus();
      search.select();
    });
    if (search.value) this.filter(search.value); // a browser keeps it when it loads the page again
  }

  has(id) {
    return this.byId.has(id);
  }

  /** onOpen is called with the endpoint that somebody chooses. */
  onOpen(open) {
    byId("endpoints").addEventListener("click", (event) => {
      const button = event.target.closest(".endpoint");
      if (button) open(button.dataset.endpoint);
    });
  }

  /** mark shows which endpoint is open. */
  mark(id) {
    this.current?.button.removeAttribute("aria-current");
    this.current = this.byId.get(id);
    this.current?.button.setAttribute("aria-current", "true");
    if (this.current?.shown) this.current.button.scrollIntoView({ block: "nearest" });
  }

  /** filter shows the endpoints that have all words. It reads nothing of the layout. */
  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const item of this.items) {
      const shown = words.every((word) => item.text.includes(word));
      if (shown) found++;
      if (shown !== item.shown) {
        item.shown = shown;
        item.row.hidden = !shown;
      }
    }
    for (const section of [...this.groups, ...this.versions]) {
      const some = section.querySelector("li:not([hidden])") !== null;
      if (section.hidden === some) section.hidden = !some;
    }
    byId("none-found").hidden = found > 0 || this.items.length === 0;
    const all = this.items.length;
    byId("found").textContent = words.length ? `${found} of ${all} endpoints` : `${all} endpoints`;
  }

  #visible() {
    return this.items.filter((item) => item.shown);
  }

  #onSearchKey(event) {
    const first = this.#visible()[0];
    if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.button.focus();
    } else if (event.key === "Enter" && first) {
      first.button.click();
    } else if (event.key === "Escape" && event.target.value) {
      event.preventDefault();
      event.target.value = "";
      this.filter("");
    }
  }

  #onListKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const visible = this.#visible();
    const at = visible.findIndex((item) => item.button === document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    (visible[at + step]?.button ?? (step < 0 ? byId("search") : visible[at].button)).focus();
  }
}

const isField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
