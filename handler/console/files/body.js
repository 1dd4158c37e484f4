// What is shown of the bytes of an answer. No document is needed here.

const shownWhole = 1 << 20; // bytes; of longer ones the beginning is shown
const shownOfMore = 256 << 10;

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
    return beginning(isJSON ? indent(text, shownOfMore) : text, bytes);
  }
  if (!isJSON) return { text, note: "", more: false };
  const pretty = prettyJSON(text);
  if (pretty === null) return { text, note: "This is no valid JSON.", more: false };
  if (pretty.length > shownWhole) return beginning(pretty, bytes);
  if (pretty === "null") return { text: "", note: "The body is null.", more: false };
  return { text: pretty, note: "", more: false };
}

const beginning = (text, bytes) => ({
  text: text.slice(0, shownOfMore), note: `The body has ${bytes.length} bytes. Its beginning is shown.`, more: true,
});

const textual = /^text\/|[\/+](json|xml|yaml|javascript|ecmascript|csv|toml|x-ndjson|jsonl|x-www-form-urlencoded)$|^application\/(graphql|sql|http)$/;

/** decode is the text of the bytes, or null when they are none. */
function decode(bytes, contentType, mediaType) {
  if (mediaType && !textual.test(mediaType)) return null;
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  let decoder;
  try {
    decoder = new TextDecoder(charset, { fatal: !mediaType });
  } catch {
    decoder = new TextDecoder("utf-8", { fatal: !mediaType });
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
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
  const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gsy;
  const space = /\s*/y;
  let out = "";
  let level = 0;
  let at = 0;
  const line = () => `\n${"    ".repeat(Math.min(level, 50))}`;
  let opened = false;
  while (out.length < max) {
    space.lastIndex = at;
    space.exec(text);
    token.lastIndex = space.lastIndex;
    const t = token.exec(text)?.[0];
    if (t === undefined) break;
    at = token.lastIndex;
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
