// Small helpers for the document. Texts only ever become text nodes.

/** byId finds an element of the page. */
export const byId = (id) => document.getElementById(id);

/** element makes an element with attributes and children, texts among them. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const svgNamespace = "http://www.w3.org/2000/svg";

/** svg is element for drawings. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(svgNamespace, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children);
  return made;
}

/** announce tells those who do not see the page. */
export function announce(text) {
  byId("announce").textContent = text;
}

/** copy puts text into the clipboard, also on pages without a secure context. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
    area.value = text;
    document.body.append(area);
    const before = document.activeElement;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    if (!done) {
      announce("It cannot be copied here");
      return false;
    }
  }
  announce("Copied");
  return true;
}

/** onCopy makes a button copy what text returns. */
export function onCopy(button, text) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    if (!(await copy(text()))) return;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}
