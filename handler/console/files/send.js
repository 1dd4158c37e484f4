import { curl } from "./curl.js";
import { wireHeaders } from "./request.js";

// More of an answer is not kept, however long it goes on.
const maxBytes = 64 << 20;

/**
 * withCookies runs calls while the cookies of a request are set. A page cannot write
 * the Cookie field, so it sets session cookies for the path of the call alone. One of
 * the site's own is neither replaced nor removed.
 */
export async function withCookies(request, run) {
  const path = new URL(request.url).pathname;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const attributes = `; Path=${path.replaceAll(";", "%3B")}; SameSite=Strict${secure}`;
  const own = new Set(document.cookie.split("; ").map((cookie) => cookie.split("=")[0]));
  const set = request.cookies.filter(([name]) => !own.has(name));
  for (const [name] of request.cookies) {
    if (own.has(name)) request.notes.push(`The site has a cookie ${name} already, which is sent instead`);
  }
  for (const [name, value] of set) document.cookie = `${name}=${value}${attributes}`;
  try {
    return await run();
  } finally {
    for (const [name] of set) document.cookie = `${name}=; Max-Age=0${attributes}`;
  }
}

/**
 * send makes the call and never throws: what goes wrong is in the record. live, if
 * there is one, is told of the beginning of the answer and of each piece.
 */
export async function send(request, signal, live) {
  const record = {
    method: request.method, url: request.url, curl: curl(request), notes: [...request.notes],
    status: 0, statusText: "", headers: [], bytes: new Uint8Array(), ms: 0, at: 0, error: "",
  };
  const end = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => { timedOut = true; end.abort(); }, request.timeout * 1000);
  const stop = () => end.abort();
  signal?.addEventListener("abort", stop);
  const start = performance.now();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: wireHeaders(request.headers),
      body: request.parts ? multipart(request.parts) : request.body,
      credentials: request.sendsCookies ? "same-origin" : "omit",
      cache: "no-store",
      mode: "same-origin",
      referrerPolicy: "no-referrer",
      signal: end.signal,
    });
    Object.assign(record, { status: response.status, statusText: response.statusText, headers: [...response.headers], at: performance.now() });
    if (response.redirected) record.notes.push(`Redirected to ${response.url}`);
    live?.begin(record);
    if (isStream(response)) clearTimeout(timer); // it goes on until somebody stops it
    record.bytes = await readAll(response, record.notes, end, live);
  } catch (error) {
    const reason = timedOut ? `No answer within ${request.timeout} s` : signal?.aborted ? "Stopped" : failure(error);
    if (record.status) record.notes.push(`The answer is not complete: ${reason}`);
    else record.error = reason;
    if (error.read) record.bytes = error.read;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
  record.ms = performance.now() - start;
  record.at ||= performance.now();
  return record;
}

const isStream = (response) => /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");

function failure(error) {
  return `The call failed: ${error.message}. The server cannot be reached, or the browser does not allow the call`;
}

function multipart(parts) {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === "string" || value instanceof File) form.append(name, value);
    else form.append(name, value, ""); // no file was chosen
  }
  return form;
}

/** readAll reads a body; what was read of one that breaks off is in the error. */
async function readAll(response, notes, end, live) {
  if (!response.body) return new Uint8Array();
  const chunks = [];
  let length = 0;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      live?.add(value);
      length += value.length;
      if (length >= maxBytes) {
        notes.push(`Only the first ${length} bytes were read`);
        end.abort();
        break;
      }
    }
  } catch (error) {
    const broken = new Error(error.message);
    broken.read = joined(chunks, length);
    throw broken;
  }
  return joined(chunks, length);
}

function joined(chunks, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
