// Structured field values (RFC 9651), as far as lists go. No document is needed here.

/**
 * parseList reads the lines of a field, joined by commas, as a list of {value,
 * params}. A value is a number, a boolean, a text, bytes as Uint8Array, or a list of
 * items. It throws a SyntaxError for anything else.
 */
export function parseList(text) {
  const p = new Parser(text);
  const members = [];
  p.skip(" ");
  while (!p.done()) {
    members.push(p.member());
    p.skip(" \t");
    if (p.done()) return members;
    p.expect(",");
    p.skip(" \t");
    if (p.done()) throw p.error("a member is missing");
  }
  return members;
}

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  done() { return this.at >= this.text.length; }
  peek() { return this.text[this.at] ?? ""; }
  error(what) { return new SyntaxError(`${what} at ${this.at}`); }

  skip(characters) {
    while (!this.done() && characters.includes(this.peek())) this.at++;
  }

  expect(character) {
    if (this.peek() !== character) throw this.error(`"${character}" is missing`);
    this.at++;
  }

  match(pattern, what) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw this.error(`${what} is missing`);
    this.at = pattern.lastIndex;
    return found[0];
  }

  member() {
    return this.peek() === "(" ? this.inner() : this.item();
  }

  inner() {
    const value = [];
    this.expect("(");
    for (;;) {
      this.skip(" ");
      if (this.peek() === ")") break;
      value.push(this.item());
      if (this.peek() !== " " && this.peek() !== ")") throw this.error("a space is missing");
    }
    this.expect(")");
    return { value, params: this.params() };
  }

  item() {
    return { value: this.bare(), params: this.params() };
  }

  params() {
    const params = new Map();
    while (this.peek() === ";") {
      this.at++;
      this.skip(" ");
      const key = this.match(/[a-z*][a-z0-9_.*-]*/y, "a key");
      let value = true;
      if (this.peek() === "=") {
        this.at++;
        value = this.bare();
      }
      params.delete(key); // the last one stands, in its place
      params.set(key, value);
    }
    return params;
  }

  bare() {
    const c = this.peek();
    if (c === '"') return this.string();
    if (c === ":") return this.bytes();
    if (c === "?") return this.match(/\?[01]/y, "a boolean") === "?1";
    if (c === "@") return this.date();
    if (c === "%") return this.display();
    if (/[0-9-]/.test(c)) return this.number();
    return this.match(/[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:\/-]*/y, "a value");
  }

  number() {
    const text = this.match(/-?[0-9]+(\.[0-9]+)?/y, "a number");
    const [whole, fraction] = text.replace("-", "").split(".");
    if (fraction === undefined ? whole.length > 15 : whole.length > 12 || fraction.length > 3) throw this.error("a number is too long");
    if (this.peek() === ".") throw this.error("a digit is missing");
    return Number(text);
  }

  date() {
    this.expect("@");
    const seconds = this.number();
    if (!Number.isInteger(seconds)) throw this.error("a date has a fraction");
    return seconds;
  }

  string() {
    return this.match(/"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y, "a string").slice(1, -1).replace(/\\(.)/g, "$1");
  }

  bytes() {
    const encoded = this.match(/:[A-Za-z0-9+\/=]*:/y, "a byte sequence").slice(1, -1);
    try {
      return Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
    } catch {
      throw this.error("a byte sequence is no base64");
    }
  }

  display() {
    const text = this.match(/%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"/y, "a display string").slice(2, -1);
    try {
      return decodeURIComponent(text);
    } catch {
      throw this.error("a display string is no UTF-8");
    }
  }
}
