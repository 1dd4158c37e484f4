import { display, statusLine } from "./body.js";
import { byId, element, onCopy } from "./dom.js";
import { showPicture } from "./picture.js";

let shown = null;
let slow = 0; // shows the button that stops a call

const patience = 500; // ms

/** startAnswer makes the buttons of the answer work. */
export function startAnswer() {
  onCopy(byId("copy-body"), () => byId("body").textContent);
  onCopy(byId("copy-curl"), () => byId("curl").textContent);
  byId("download").addEventListener("click", download);
}

/** showBusy says that a call is on its way. */
export function showBusy(request, curl) {
  const answer = byId("answer");
  answer.hidden = false;
  answer.dataset.state = "busy";
  byId("status").textContent = "Sending…";
  delete byId("status").dataset.kind;
  setText("time", "");
  setText("size", "");
  setText("curl", curl);
  showParts(true);
  clearTimeout(slow);
  slow = setTimeout(() => { byId("stop").hidden = false; }, patience);
}

/** showBeginning shows what is known before the body is there. */
export function showBeginning(record) {
  byId("stop").hidden = false;
  byId("download").hidden = byId("body-note").hidden = true;
  showPicture(null);
  setText("body", "");
  showStatus(record);
  showHeaders(record.headers);
}

/** showAnswer shows a record. */
export function showAnswer(record) {
  shown = record;
  const answer = byId("answer");
  answer.hidden = false;
  clearTimeout(slow);
  byId("stop").hidden = true;
  showParts(record.sent !== false);
  showStatus(record);
  setText("time", record.sent === false ? "" : `${Math.round(record.ms)} ms`);
  setText("size", record.error ? "" : `${record.bytes.length} B`);
  setText("curl", record.curl);
  showNotes(record.notes);
  showHeaders(record.headers);
  showPicture(record.error ? null : record.bytes, contentType(record));
  const body = display(record.bytes, contentType(record));
  setText("body", body.text);
  setText("body-note", body.note);
  byId("body-note").hidden = body.note === "";
  byId("download").hidden = !body.more;
  answer.dataset.state = "done";
}

/** hideAnswer takes away the answer of another endpoint. */
export function hideAnswer() {
  shown = null;
  clearTimeout(slow);
  showPicture(null);
  byId("stop").hidden = byId("answer").hidden = true;
  byId("answer").dataset.state = "idle";
  byId("retry-after").hidden = true;
}

function setText(id, text) {
  byId(id).textContent = text;
}

/** showParts shows body, header fields and command, which a call that was not sent
    does not have. */
function showParts(sent) {
  for (const part of byId("answer").querySelectorAll(".part")) part.hidden = !sent;
}

function showStatus({ error, status, statusText }) {
  setText("status", error || statusLine(status, statusText));
  byId("status").dataset.kind = error ? "error" : `${Math.floor(status / 100)}xx`;
}

function showHeaders(headers) {
  byId("headers").tBodies[0].replaceChildren(...headers.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, ...breakable(name, /(?<=-)/)), element("td", {}, ...breakable(value, /(?<=[;,])/)))));
}

/** breakable lets a line break where the text can be cut. */
const breakable = (text, at) => text.split(at).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));

function showNotes(notes) {
  byId("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
  byId("notes").hidden = notes.length === 0;
}

export const contentType = (record) => record.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";

/** download gives the bytes as a file of no type, which no browser opens as a page. */
function download() {
  if (!shown) return;
  const url = URL.createObjectURL(new Blob([shown.bytes], { type: "application/octet-stream" }));
  const link = element("a", { href: url, download: fileName(contentType(shown)) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fileName(type) {
  const subtype = /^[a-z]+\/([a-z0-9]+)/.exec(type.toLowerCase())?.[1] ?? "bin";
  return `answer.${{ plain: "txt", javascript: "js", octet: "bin" }[subtype] ?? subtype}`;
}
