// What is shown of the bytes of an answer. No document is needed here.

const shownWhole = 1 << 20; // bytes; of longer ones the beginning is shown
const shownOfMore = 256 << 10;

/** Of a line, no more is shown: browsers lay it out as a whole, and some texts slowly. */
export const shownOfLine = 100_000;

/** pile is more marks on one character than a browser lays out in good time. */
export const pile = /\p{M}{100}/u;

/**
 * display tells how a body is shown: its text, a note beside it, and whether the
 * whole of it can only be had as a file.
 */
export function display(bytes, contentType) {
  const mediaType = contentType.split(";")[0].trim().toLowerCase();
  if (bytes.length === 0) return { text: "", note: "", more: false };
  const text = decode(bytes, contentType, mediaType);
  if (text === null) {
    return { text: `${bytes.length} bytes of ${mediaType || "an unknown type"}`, note: "", more: true };
  }
  const isJSON = /[\/+]json$/.test(mediaType);
  if (bytes.length > shownWhole) {
    return beginning(isJSON ? indent(text, shownOfMore) : text, bytes, shownOfMore);
  }
  const pretty = isJSON ? prettyJSON(text) : null;
  if (pretty === "null") return { text: "", note: "The body is null.", more: false };
  if (pretty?.length > shownWhole) return beginning(pretty, bytes, shownOfMore);
  const shown = pretty ?? text;
  if (fitting(shown, shown.length) < shown.length) return beginning(shown, bytes, shown.length);
  return { text: shown, note: isJSON && pretty === null ? "This is no valid JSON." : "", more: false };
}

const beginning = (text, bytes, max) => ({
  text: text.slice(0, fitting(text, max)), note: `The body has ${bytes.length} bytes. Its beginning is shown.`, more: true,
});

/** fitting is how much of a text is shown: at most max, and nothing that takes long. */
function fitting(text, max) {
  const found = text.slice(0, max).search(pile);
  if (found >= 0) max = Math.min(max, found + 100);
  for (let from = 0; from < max;) {
    const end = text.indexOf("\n", from);
    const next = end < 0 ? text.length : end + 1;
    if (next - from > shownOfLine) return Math.min(max, from + shownOfLine);
    from = next;
  }
  return Math.min(max, text.length);
}

const textual = /^text\/|[\/+](json|xml|yaml|javascript|ecmascript|csv|toml|x-ndjson|jsonl|x-www-form-urlencoded)$|^application\/(graphql|sql|http)$/;

/** decode is the text of the bytes, or null when they are none. */
function decode(bytes, contentType, mediaType) {
  try {
    return decoderOf(contentType, mediaType)?.decode(bytes) ?? null;
  } catch {
    return null;
  }
}

/** decoderOf decodes what is a text by its type, or may be one without a type. */
export function decoderOf(contentType, mediaType = contentType.split(";")[0].trim().toLowerCase()) {
  if (mediaType && !textual.test(mediaType)) return null;
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: !mediaType });
  } catch {
    return new TextDecoder("utf-8", { fatal: !mediaType });
  }
}

/**
 * prettyJSON is JSON with four spaces for each level, or null when it is none. It is
 * not whole when there is more of it than is shown.
 */
export function prettyJSON(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return indent(text, shownWhole + 1);
}

/**
 * indent lays JSON out anew. Numbers stay as they are written, members keep their
 * order, and texts lose escapes that they do not need. It stops behind max
 * characters.
 */
function indent(text, max) {
  const token = /[{}[\],:]|[^\s"{}[\],:]+/gsy;
  const space = /\s*/y;
  let out = "";
  let level = 0;
  let at = 0;
  const line = () => `\n${"    ".repeat(Math.min(level, 50))}`;
  let opened = false;
  while (out.length < max) {
    space.lastIndex = at;
    space.exec(text);
    at = space.lastIndex;
    let t;
    if (text[at] === '"') {
      const end = endOfText(text, at);
      t = text.slice(at, Math.min(end, at + max + 1)); // more is not shown
      at = end;
    } else {
      token.lastIndex = at;
      t = token.exec(text)?.[0];
      at = token.lastIndex;
    }
    if (t === undefined) break;
    const closes = t === "}" || t === "]";
    if (closes) level = Math.max(level - 1, 0);
    if (opened && !closes || closes && !opened) out += line();
    opened = t === "{" || t === "[";
    if (opened) level++;
    if (t === ",") out += `,${line()}`;
    else if (t === ":") out += ": ";
    else if (t[0] === '"' && t.includes("\\")) out += unescaped(t);
    else out += t;
  }
  return out.length > max ? out.slice(0, max) : out;
}

/** endOfText is where the text that begins at start has its end. */
function endOfText(text, start) {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === "\\") before--;
    if ((quote - before) % 2 === 1) return quote + 1; // its backslashes are pairs
  }
  return text.length;
}

/** unescaped is a text of JSON with the escapes that it needs and no others. */
function unescaped(t) {
  try {
    return JSON.stringify(JSON.parse(t));
  } catch {
    return t; // a broken one stays as it is
  }
}

const phrases = {
  200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content",
  206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
  307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required",
  403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
  410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
  415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request",
  422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
  428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
  500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
};

/** statusLine is a status in words; HTTP/2 sends none. */
export const statusLine = (status, text) => `${status} ${text || phrases[status] || ""}`.trim();
