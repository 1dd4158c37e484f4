// What a call consists of, made from what is filled in. No document is needed here.

/** Mistake is why a form cannot be sent. */
export class Mistake extends Error {}

/**
 * build makes a request: url, method, headers as pairs, cookies as pairs, and one of
 * body, a text, and parts, the pairs of a multipart form. Every value is encoded
 * once. It throws a Mistake when a browser cannot send what is filled in.
 */
export function build(input) {
  const request = { method: input.method, headers: [], cookies: [], body: undefined, parts: undefined, notes: [], timeout: input.timeout };
  const query = [];
  const form = [];
  let files = false;
  for (const value of input.values) {
    const sent = kept(value);
    switch (value.in) {
      case "query": query.push(...named(value, sent)); break;
      case "form": form.push(...named(value, sent)); break;
      case "file":
        form.push(...named(value, sent.map((file) => file ?? new Blob([]))));
        files ||= sent.length > 0;
        break;
      case "header": if (sent.length) addHeader(request, value.name, sent.join(", ")); break;
      case "cookie": for (const text of sent) addCookie(request, value.name, text); break;
      case "json":
      case "raw":
        if (sent.length) {
          request.body = sent[0];
          addHeader(request, "Content-Type", value.mediaType);
        }
        break;
    }
  }
  for (const credential of input.credentials) authorize(request, query, credential);
  if (files) {
    request.parts = form;
  } else if (form.length) {
    request.body = encodePairs(form);
    addHeader(request, "Content-Type", "application/x-www-form-urlencoded");
  }
  request.sendsCookies = input.cookies || request.cookies.length > 0;
  request.path = fillPath(input.path, input.values);
  request.url = joinQuery(input.origin + input.root + request.path, query);
  addOwnHeaders(request, input.headers);
  checkBrowser(request);
  return request;
}

/** kept are the values that are sent: empty ones only where the form says so. */
function kept(value) {
  const isEmpty = (v) => v === null || v === "";
  return value.omit ? value.values.filter((v) => !isEmpty(v)) : value.values;
}

/** named are the pairs of a value; the elements of a list are sent as name[]. */
function named(value, sent) {
  const name = value.multi ? `${value.name}[]` : value.name;
  return sent.map((v) => [name, v]);
}

/** encode is a text as it stands in a query, in a form, and in a segment of a path.
    Browsers escape ' in a query, so that it is done before the URL is shown. */
const encode = (text) => encodeURIComponent(text.toWellFormed?.() ?? text).replaceAll("'", "%27");

export const encodePairs = (pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");

/** joinQuery adds pairs to a URL that may have a query and a fragment. */
export function joinQuery(url, pairs) {
  if (!pairs.length) return url;
  const hash = url.indexOf("#");
  const [front, fragment] = hash < 0 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  let join = "?";
  if (front.includes("?")) join = /[?&]$/.test(front) ? "" : "&";
  return front + join + encodePairs(pairs) + fragment;
}

/** fillPath puts the variables into a path such as v1/books/{id}. */
function fillPath(path, values) {
  return path.split("/").map((segment) => {
    const [, name, rest] = /^\{(.*?)(\.\.\.)?\}$/.exec(segment) ?? [];
    if (name === undefined) return encode(segment);
    const value = values.find((v) => v.in === "path" && v.name === name);
    const text = value?.values[0] ?? "";
    if (text === "" && !rest && (value?.omit ?? true)) throw new Mistake(`The variable ${name} of the path is empty`);
    const segments = rest ? text.split("/") : [text];
    for (const s of segments) {
      if (s === "." || s === "..") throw new Mistake(`The variable ${name} cannot be "${s}": browsers resolve it away`);
    }
    return segments.map(encode).join("/");
  }).join("/");
}

function authorize(request, query, credential) {
  switch (credential.kind) {
    case "bearer":
      if (credential.value) addHeader(request, "Authorization", `Bearer ${credential.value}`);
      break;
    case "basic":
      if (credential.user || credential.password) addHeader(request, "Authorization", `Basic ${base64(`${credential.user}:${credential.password}`)}`);
      break;
    case "http":
      if (credential.value) addHeader(request, "Authorization", `${credential.name} ${credential.value}`);
      break;
    case "apiKey":
      if (!credential.value) break;
      if (credential.in === "query") query.push([credential.name, credential.value]);
      else if (credential.in === "cookie") addCookie(request, credential.name, credential.value);
      else addHeader(request, credential.name, credential.value);
  }
}

/** base64 is that of the text as UTF-8 (RFC 7617, section 2.1). */
function base64(text) {
  return btoa(latin1(text));
}

/** latin1 has a character for each byte of the text as UTF-8. */
function latin1(text) {
  let bytes = "";
  for (const b of new TextEncoder().encode(text)) bytes += String.fromCharCode(b);
  return bytes;
}

function addHeader(request, name, value) {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new Mistake(`"${name}" cannot be the name of a header field`);
  if (/[\0\r\n]/.test(value)) throw new Mistake(`The header field ${name} cannot have a value of several lines`);
  request.headers.push([name, value.trim()]);
}

function addCookie(request, name, value) {
  if (/[\0-\x1f\x7f;]/.test(name + value) || /=/.test(name) || name === "" || value.trim() !== value) {
    throw new Mistake(`The cookie ${name} cannot have this value: no spaces around it, no ; and no control characters`);
  }
  request.cookies.push([name, value]);
}

/** addOwnHeaders reads the lines of a person; they replace fields of the form. */
function addOwnHeaders(request, text) {
  const own = [];
  for (const line of text.split("\n").map((l) => l.trim()).filter(Boolean)) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Mistake(`"${line}" is no header field: write Name: value`);
    own.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  request.headers = request.headers.filter(([name]) => !names.has(name.toLowerCase()));
  for (const [name, value] of own) addHeader(request, name, value);
}

// The fields that a page cannot set (Fetch, "forbidden request-header").
const forbidden = new Set(["accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
  "connection", "content-length", "cookie", "cookie2", "date", "dnt", "expect", "host", "keep-alive", "origin", "referer",
  "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "via"]);

function checkBrowser(request) {
  if (["CONNECT", "TRACE", "TRACK"].includes(request.method)) throw new Mistake(`A browser sends no ${request.method}: use the curl command`);
  if (["GET", "HEAD"].includes(request.method) && (request.parts || request.body !== undefined)) {
    throw new Mistake(`A browser sends no body with ${request.method}`);
  }
  for (const [name] of request.headers) {
    if (forbidden.has(name.toLowerCase()) || /^(proxy|sec)-/i.test(name)) request.notes.push(`The browser does not let a page send ${name}`);
  }
}

/** wireHeaders are the fields as fetch takes them, each byte of UTF-8 a character. */
export const wireHeaders = (headers) => headers.map(([name, value]) => [name, latin1(value)]);
