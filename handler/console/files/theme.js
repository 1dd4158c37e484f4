import { byId } from "./dom.js";

// The choice of a theme is all that the console stores.
const key = "sallyport-console-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function stored() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // the browser stores nothing for this page
  }
}

function store(theme) {
  try {
    localStorage.setItem(key, theme);
  } catch { /* it holds until the page is closed */ }
}

function show(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

const ofSystem = () => (system.matches ? "dark" : "light");

/** startTheme shows the stored theme, else that of the system. */
export function startTheme() {
  const choice = stored();
  show(choice === "dark" || choice === "light" ? choice : ofSystem());
  system.addEventListener("change", () => { if (!stored()) show(ofSystem()); });
  byId("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    show(theme);
    store(theme);
  });
}
