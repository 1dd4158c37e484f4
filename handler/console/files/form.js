import { readAuthorization } from "./auth.js";

/** startForm makes the buttons of a form work. */
export function startForm(form) {
  form.addEventListener("click", (event) => {
    const example = event.target.closest("button.example");
    if (example) {
      const area = form.querySelector(`#${CSS.escape(example.dataset.for)}`);
      area.value = example.dataset.value;
      area.focus();
    }
    const add = event.target.closest("button.add");
    if (add) (reveal(form, add.dataset.add) ?? addControl(form, add.dataset.add)).focus();
  });
  for (const type of ["input", "change"]) {
    form.addEventListener(type, ({ target }) => {
      if (target.dataset.multi === undefined || target.value === "") return;
      if (controlsOf(form, target.name).findLast((control) => !control.hidden) === target) reveal(form, target.name);
    });
  }
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

/** reveal shows the next control of a parameter of several values, if one waits. */
function reveal(form, name) {
  const next = controlsOf(form, name).find((control) => control.hidden);
  if (next) next.hidden = false;
  return next;
}

/** addControl gives a parameter of several values one control more. */
export function addControl(form, name) {
  const controls = controlsOf(form, name);
  const last = controls.at(-1);
  const more = last.cloneNode(true);
  more.value = "";
  more.id = `${controls[0].id}-${controls.length}`;
  more.setAttribute("aria-label", last.getAttribute("aria-label").replace(/\d+$/, String(controls.length + 1)));
  last.after(more);
  return more;
}

const controlsOf = (form, name) => [...form.elements].filter((control) => control.name === name);

/** readForm is what is filled in, as plain data for the request. */
export function readForm(form, root) {
  return {
    root,
    origin: location.origin,
    method: form.dataset.method,
    path: form.dataset.path,
    values: readValues(form),
    credentials: readAuthorization(form),
    headers: form.elements["common:headers"].value,
    timeout: seconds(form.elements["common:timeout"].value),
    cookies: form.elements["common:credentials"].checked,
  };
}

/** seconds is a time-out: 30 unless a number says otherwise, at most a day. */
function seconds(text) {
  const number = Number(text);
  return number > 0 ? Math.min(number, 86_400) : 30;
}

const sources = new Set(["path", "query", "header", "cookie", "form", "file", "json", "raw"]);

function readValues(form) {
  const all = new Map();
  for (const control of form.elements) {
    const [source, ...rest] = control.name.split(":");
    if (!sources.has(source) || control.hidden) continue;
    if (!all.has(control.name)) {
      all.set(control.name, {
        in: source,
        name: rest.join(":"),
        multi: control.dataset.multi !== undefined,
        omit: isOmitting(form, control.name),
        mediaType: control.dataset.mediaType,
        values: [],
      });
    }
    const { values } = all.get(control.name);
    if (source === "file") values.push(...(control.files.length ? control.files : [null]));
    else values.push(control.value);
  }
  return [...all.values()];
}

const isOmitting = (form, name) => controlsOf(form, `omit:${name}`)[0]?.checked ?? true;
