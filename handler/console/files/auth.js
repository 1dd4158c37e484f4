// Credentials are kept in memory alone, by the names of their fields, so that they
// survive another endpoint and nothing else.
const kept = new Map();

/** startAuthorization fills in what is known and follows the choice. */
export function startAuthorization(form) {
  for (const field of fields(form)) {
    if (kept.has(field.name)) field.value = kept.get(field.name);
    field.addEventListener("input", () => {
      kept.set(field.name, field.value);
      for (const same of fields(form)) {
        if (same !== field && same.name === field.name) same.value = field.value;
      }
    });
  }
  const choice = form.elements["auth:choice"];
  if (!choice) return;
  const show = () => {
    for (const way of form.querySelectorAll(".way")) {
      way.hidden = way.disabled = way.dataset.way !== choice.value;
    }
  };
  choice.addEventListener("change", show);
  show();
}

const fields = (form) => [...form.querySelectorAll('#authorization [name^="auth:"]')].filter((field) => field.name !== "auth:choice");

/** readAuthorization is what is filled in for the chosen way. */
export function readAuthorization(form) {
  const way = form.querySelector(".way:not([disabled])");
  const credentials = [];
  for (const field of way ? way.querySelectorAll('[name^="auth:"]') : []) {
    const [, kind, ...rest] = field.name.split(":");
    const name = rest.join(":");
    if (kind === "basic" && name === "password") {
      credentials.at(-1).password = field.value; // it follows its user
    } else if (kind === "basic") {
      credentials.push({ kind, user: field.value, password: "" });
    } else {
      credentials.push({ kind, name, in: field.dataset.in, value: field.value });
    }
  }
  return credentials;
}
