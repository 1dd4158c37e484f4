// What was filled in, kept in memory until the page is closed. Credentials are not in
// it: auth.js has them.

const isKept = ({ name }) => name && (!name.startsWith("auth:") || name === "auth:choice");

/** takeDraft is what is filled in: the states of the controls by their names. */
export function takeDraft(form) {
  const draft = new Map();
  for (const control of form.elements) {
    if (!isKept(control)) continue;
    if (!draft.has(control.name)) draft.set(control.name, []);
    draft.get(control.name).push({ hidden: control.hidden, checked: control.checked, value: control.value, files: control.files && [...control.files] });
  }
  return draft;
}

/** putDraft fills a form in. more makes another control of a name. */
export function putDraft(form, draft, more) {
  for (const [name, states] of draft) {
    const controls = [...form.elements].filter((control) => control.name === name);
    while (controls.length && controls.length < states.length) controls.push(more(form, name));
    controls.forEach((control, i) => put(control, states[i] ?? { hidden: true, value: "", files: [] }));
  }
}

function put(control, { hidden, checked, value, files }) {
  if (control.dataset.multi !== undefined) control.hidden = hidden;
  if (control.type === "checkbox") {
    control.checked = checked;
  } else if (control.type === "file") {
    const chosen = new DataTransfer();
    for (const file of files) chosen.items.add(file);
    control.files = chosen.files;
  } else {
    control.value = value;
  }
  if (control.name === "auth:choice") control.dispatchEvent(new Event("change"));
}
