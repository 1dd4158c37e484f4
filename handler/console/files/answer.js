import { byId, element, onCopy } from "./dom.js";
import { display, statusLine } from "./body.js";

let shown = null;

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
}

/** showAnswer shows a record. */
export function showAnswer(record) {
  shown = record;
  const answer = byId("answer");
  answer.hidden = false;
  const status = byId("status");
  status.textContent = record.error || statusLine(record.status, record.statusText);
  status.dataset.kind = record.error ? "error" : `${Math.floor(record.status / 100)}xx`;
  setText("time", record.sent === false ? "" : `${Math.round(record.ms)} ms`);
  setText("size", record.error ? "" : `${record.bytes.length} B`);
  setText("curl", record.curl);
  showNotes(record.notes);
  byId("headers").tBodies[0].replaceChildren(...record.headers.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));
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
  byId("answer").hidden = true;
  byId("answer").dataset.state = "idle";
  byId("retry-after").hidden = true;
}

function setText(id, text) {
  byId(id).textContent = text;
}

function showNotes(notes) {
  byId("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
  byId("notes").hidden = notes.length === 0;
}

const contentType = (record) => record.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";

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
