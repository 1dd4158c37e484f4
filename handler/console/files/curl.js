// The call as a command line for a POSIX shell.

/**
 * quote makes one word of a text, whatever is in it. Control characters that a
 * terminal would act upon when they are pasted are written as escapes.
 */
export function quote(text) {
  if (/^[A-Za-z0-9/][A-Za-z0-9_/:.,@%+=-]*$/.test(text)) return text;
  if (!/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  let out = "$'";
  for (const c of text) {
    const code = c.codePointAt(0);
    if (c === "'" || c === "\\") out += `\\${c}`;
    else if (c === "\n") out += "\\n";
    else if (code < 0x20 || code === 0x7f) out += `\\${code.toString(8).padStart(3, "0")}`;
    else if (/[\x80-\x9f\u2028-\u202e\u2066-\u2069]/.test(c)) out += `\\u${code.toString(16).padStart(4, "0")}`;
    else out += c;
  }
  return `${out}'`;
}

/** curl is the command that makes the same call. */
export function curl(request) {
  const hasBody = request.parts || request.body !== undefined;
  let method = "";
  if (request.method === "HEAD") method = "--head ";
  else if (request.method !== (hasBody ? "POST" : "GET")) method = `-X ${quote(request.method)} `;
  const words = [method + quote(request.url)];
  for (const [name, value] of request.headers) {
    words.push(`-H ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  if (request.cookies.length) words.push(`-H ${quote(`Cookie: ${cookieLine(request.cookies)}`)}`);
  for (const [name, value] of request.parts ?? []) {
    if (typeof value === "string") words.push(`--form-string ${quote(`${name}=${value}`)}`);
    else words.push(`-F ${quote(`${name}=@"${fileName(value)}"${value.type ? `;type=${value.type}` : ""}`)}`);
  }
  if (request.body !== undefined) words.push(`--data-raw ${quote(request.body)}`);
  return `curl ${words.join(" \\\n  ")}`;
}

/** cookieLine is the Cookie field (RFC 6265, section 4.2.1). */
export const cookieLine = (cookies) => cookies.map(([name, value]) => `${name}=${value}`).join("; ");

/** fileName is a name within the double quotes that curl reads. */
const fileName = (file) => (file.name ?? "/dev/null").replace(/[\\"]/g, "\\$&");
