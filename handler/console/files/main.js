import { hideAnswer, showAnswer, showBusy, startAnswer } from "./answer.js";
import { startAuthorization } from "./auth.js";
import { burst, burstSize } from "./burst.js";
import { curl } from "./curl.js";
import { announce, byId, element } from "./dom.js";
import { putDraft, takeDraft } from "./draft.js";
import { Endpoints } from "./endpoints.js";
import { addControl, readForm, startForm } from "./form.js";
import { History } from "./history.js";
import { hideLimits, showLimits } from "./limits.js";
import { Live } from "./live.js";
import { Plot } from "./plot.js";
import { build, Mistake } from "./request.js";
import { send, withCookies } from "./send.js";
import { startTheme } from "./theme.js";

const endpoints = new Endpoints();
const calls = new History(recall);
const drafts = new Map(); // what was filled in, by endpoint
let form = null; // of the endpoint that is open
let running = null; // aborts the call or the burst that is on its way
let opening = 0;

/** root is what stands in front of v1/..., with a prefix that a proxy has added. */
function root() {
  const { base, self } = document.body.dataset;
  const path = location.pathname.replace(/\/$/, "");
  return path.endsWith(`/${self}`) ? path.slice(0, -self.length) : `${base}/`;
}

/** open shows the form of an endpoint, with a record of a call if there is one. */
async function open(id, focus, record) {
  if (!endpoints.has(id)) return;
  const turn = ++opening;
  running?.abort();
  endpoints.mark(id);
  const section = byId("endpoint");
  section.setAttribute("aria-busy", "true");
  let text;
  try {
    const response = await fetch(`${location.origin}${location.pathname}?form=${encodeURIComponent(id)}`, { credentials: "same-origin" });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    text = await response.text();
  } catch (error) {
    if (turn === opening) {
      keep();
      section.replaceChildren(element("p", { class: "warning" }, `The form cannot be loaded: ${error.message}`));
      delete section.dataset.endpoint;
    }
    return;
  } finally {
    if (turn === opening) section.removeAttribute("aria-busy");
  }
  if (turn !== opening) return; // somebody has chosen another one meanwhile
  keep();
  section.innerHTML = text; // made by the server's html/template, of the program's own texts
  section.dataset.endpoint = id;
  form = byId("form");
  startForm(form);
  startAuthorization(form);
  const draft = record?.draft ?? drafts.get(id);
  if (draft) putDraft(form, draft, addControl);
  form.addEventListener("submit", (event) => { event.preventDefault(); call(); });
  byId("burst").addEventListener("click", callMany);
  byId("burst-stop").addEventListener("click", () => running?.abort());
  byId("burst-count").addEventListener("input", labelBurst);
  byId("plot-card").hidden = true;
  byId("plot").dataset.state = "idle";
  if (record) {
    show(record, false);
  } else {
    hideAnswer();
    hideLimits();
  }
  document.title = `${id} · ${document.querySelector("h1").textContent}`;
  if (focus) byId("endpoint-title").focus({ preventScroll: matchMedia("(min-width: 60rem)").matches });
}

/** keep remembers what is filled in until the page is closed. */
function keep() {
  if (form?.isConnected) drafts.set(form.dataset.endpoint, takeDraft(form));
}

/** recall shows a call again, with the form as it was sent. */
async function recall(record) {
  show(record, false);
  const section = byId("endpoint");
  if (section.dataset.endpoint === record.endpoint && !section.hasAttribute("aria-busy")) {
    putDraft(form, record.draft, addControl);
    return;
  }
  history.pushState(null, "", hashOf(record.endpoint)); // the address names what is shown
  await open(record.endpoint, false, record);
}

const hashOf = (id) => `#${encodeURIComponent(id)}`;

function labelBurst() {
  byId("burst").textContent = `Send ×${burstSize(byId("burst-count").value)}`;
}

/** show shows a record and, for one of this form, what it tells of the limits. */
function show(record, fresh) {
  showAnswer(record);
  showLimits(record, record.policies);
  if (!fresh) byId("answer").scrollIntoView({ block: "nearest" });
}

/** prepared is the request that is filled in; a mistake is shown instead of an answer. */
function prepared() {
  try {
    return build(readForm(form, root()));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    hideLimits();
    showAnswer({ error: error.message, sent: false, status: 0, statusText: "", headers: [], notes: [], bytes: new Uint8Array(), curl: "" });
    return null;
  }
}

/** perform runs calls with the buttons in their places. */
async function perform(request, run) {
  running?.abort();
  const own = running = new AbortController();
  const [buttons, stop] = [[byId("send"), byId("burst")], byId("burst-stop")];
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  stop.disabled = false;
  showBusy(request, curl(request));
  try {
    await withCookies(request, () => run(own.signal));
  } finally {
    for (const button of buttons) button.removeAttribute("aria-disabled");
    stop.disabled = true;
    if (running === own) running = null;
  }
}

/** ofForm is what a record has of the form that it was sent from. */
const ofForm = () => ({ endpoint: form.dataset.endpoint, draft: takeDraft(form), policies: JSON.parse(form.dataset.policies) });

async function call() {
  if (running) return;
  const request = prepared();
  if (!request) return;
  const own = ofForm();
  const turn = opening;
  await perform(request, async (signal) => {
    const live = new Live();
    const record = Object.assign(await send(request, signal, live), own);
    live.end();
    calls.add(record);
    if (turn !== opening) return;
    show(record, true);
    byId("status").scrollIntoView({ block: "nearest" });
  });
}

async function callMany() {
  if (running) return;
  const request = prepared();
  if (!request) return;
  const own = ofForm();
  const n = burstSize(byId("burst-count").value);
  const rate = Number(byId("burst-rate").value);
  const turn = opening;
  let last = null;
  let frame = 0;
  await perform(request, async (signal) => {
    const plot = new Plot(n, rate);
    byId("plot-card").scrollIntoView({ block: "nearest" });
    await burst(request, n, rate, signal, (record, at) => {
      last = Object.assign(record, own);
      plot.add(at, record);
      frame ||= requestAnimationFrame(() => { frame = 0; if (turn === opening) showLimits(last, own.policies); });
    });
    cancelAnimationFrame(frame);
    if (last) calls.add(last, `×${plot.points.length}: ${plot.summary()}`);
    if (turn !== opening) return;
    if (last) show(last, true);
    else hideAnswer();
    plot.done();
    announce(plot.summary());
  });
}

/** openHash opens the endpoint that the address names. */
function openHash(focus) {
  let id;
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined; // no address of ours
  }
  return id === byId("endpoint").dataset.endpoint ? undefined : open(id, focus);
}

startTheme();
startAnswer();
byId("stop").addEventListener("click", () => running?.abort());
byId("origin").textContent = location.origin + root().replace(/\/$/, "");
endpoints.onOpen((id) => {
  const hash = hashOf(id);
  if (location.hash === hash) open(id, true);
  else location.hash = hash;
});
addEventListener("hashchange", () => openHash(true));
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address keeps the endpoint
  byId("main").focus();
});
await openHash(false);
document.documentElement.dataset.ready = "true";
