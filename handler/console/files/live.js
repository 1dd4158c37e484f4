import { contentType, showBeginning } from "./answer.js";
import { decoderOf, pile, shownOfLine } from "./body.js";
import { byId } from "./dom.js";

const patience = 500; // ms; what is there before is shown as a whole
const shownLive = 1 << 20; // characters

/** Live shows an answer while it comes: an event stream at once, others that take long. */
export class Live {
  #text = ""; // what is not shown yet
  #shown = 0;
  #line = 0; // characters since the last line break
  #bytes = 0;
  #started = false;

  /** begin takes the status and the header fields. */
  begin(record) {
    this.record = record;
    this.decoder = decoderOf(contentType(record));
    if (/^text\/event-stream\b/i.test(contentType(record))) this.#start();
    else this.timer = setTimeout(() => this.#start(), patience);
  }

  /** add takes a piece of the body. */
  add(bytes) {
    this.#bytes += bytes.length;
    try {
      if (this.#shown + this.#text.length < shownLive) this.#text += this.decoder?.decode(bytes, { stream: true }) ?? "";
    } catch {
      this.decoder = null; // it is no text
    }
    if (this.#started) this.#show();
  }

  /** end leaves the rest to what shows whole answers. */
  end() {
    clearTimeout(this.timer);
    this.#started = false;
  }

  #start() {
    if (byId("answer").dataset.state !== "busy") return;
    this.#started = true;
    showBeginning(this.record);
    this.#show();
  }

  #show() {
    if (byId("answer").dataset.state !== "busy") return; // another answer is looked at
    const body = byId("body");
    byId("size").textContent = `${this.#bytes} B so far`;
    const following = body.scrollHeight - body.scrollTop - body.clientHeight < 8;
    const text = this.#text.slice(0, Math.max(0, shownLive - this.#shown));
    this.#text = "";
    const broken = text.lastIndexOf("\n");
    this.#line = broken < 0 ? this.#line + text.length : text.length - broken - 1;
    if (this.#line > shownOfLine || pile.test(text) || this.#shown >= shownLive) {
      this.#shown = shownLive;
      byId("body-note").textContent = "The rest is shown when the answer has ended.";
      byId("body-note").hidden = false;
      return;
    }
    this.#shown += text.length;
    if (text) body.append(text);
    if (following) body.scrollTop = body.scrollHeight;
  }
}
