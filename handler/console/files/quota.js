// What the fields of an answer tell of the rate limits. No document is needed here.

import { parseList } from "./sfv.js";

/**
 * quotas joins RateLimit and RateLimit-Policy by the names of the policies. What is
 * not known is null. Fields that cannot be read tell nothing.
 */
export function quotas(headers) {
  const all = new Map();
  const quotaOf = (name) => {
    if (!all.has(name)) all.set(name, { name, remaining: null, limit: null, window: null, reset: null });
    return all.get(name);
  };
  for (const { value, params } of list(headers, "ratelimit-policy")) {
    Object.assign(quotaOf(value), { limit: count(params.get("q")), window: count(params.get("w")) });
  }
  for (const { value, params } of list(headers, "ratelimit")) {
    Object.assign(quotaOf(value), { remaining: count(params.get("r")), reset: count(params.get("t")) });
  }
  return [...all.values()];
}

function list(headers, name) {
  const lines = headers.filter(([n]) => n.toLowerCase() === name).map(([, value]) => value);
  try {
    return parseList(lines.join(", ")).filter(({ value }) => typeof value === "string");
  } catch {
    return [];
  }
}

const count = (value) => (typeof value === "number" && value >= 0 ? value : null);

/** retryAfter is how many seconds to wait, or null when the answer does not say. */
export function retryAfter(headers, now = Date.now()) {
  const value = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1].trim();
  if (!value) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}

/** sameName compares the name in a field with that of a policy, which may have had
    characters that no field can hold. */
export function sameName(inField, ofPolicy) {
  return inField.toLowerCase() === ofPolicy.replace(/[^\x20-\x7e]/g, "").toLowerCase();
}
