import { byId, element } from "./dom.js";
import { quotas, retryAfter, sameName } from "./quota.js";

const gauges = new Map(); // by the name of the policy
let wait = null; // when to try again
let timer = 0;

/** hideLimits takes away the gauges of another endpoint. */
export function hideLimits() {
  gauges.clear();
  byId("limits").replaceChildren();
  byId("limits-card").hidden = true;
  byId("retry-after").hidden = true;
  wait = null;
}

/** showLimits shows what an answer tells of the limits; policies describe them. */
export function showLimits(record, policies) {
  const all = quotas(record.headers);
  for (const [name, gauge] of gauges) {
    if (!all.some((quota) => quota.name === name)) {
      gauge.root.remove();
      gauges.delete(name);
    }
  }
  for (const quota of all) {
    let gauge = gauges.get(quota.name);
    if (!gauge) {
      gauge = makeGauge(quota.name);
      gauges.set(quota.name, gauge);
    }
    byId("limits").append(gauge.root); // in the order of the answer
    update(gauge, quota, record.at, policies.find((p) => sameName(quota.name, p.name)));
  }
  byId("limits-card").hidden = all.length === 0;
  const seconds = record.status === 429 || record.status === 503 ? retryAfter(record.headers) : null;
  wait = seconds === null ? null : record.at + seconds * 1000;
  tick();
  if (!timer) timer = setInterval(tick, 200);
}

function makeGauge(name) {
  const gauge = {
    numbers: element("span", { class: "numbers" }),
    fill: element("div", { class: "fill" }),
    about: element("span", { class: "about" }),
    countdown: element("span", { class: "countdown" }),
  };
  gauge.root = element("div", { class: "gauge", role: "meter", "aria-label": `Rate limit ${name}`, "aria-valuemin": "0", "data-policy": name },
    element("div", { class: "gauge-head" }, element("strong", {}, name), gauge.numbers),
    element("div", { class: "track" }, gauge.fill),
    element("div", { class: "gauge-foot" }, gauge.about, gauge.countdown));
  return gauge;
}

function update(gauge, quota, at, policy) {
  const { root } = gauge;
  const remaining = quota.remaining ?? 0;
  const limit = quota.limit ?? Math.max(remaining, 1);
  root.dataset.remaining = quota.remaining ?? "";
  root.dataset.limit = quota.limit ?? "";
  root.dataset.reset = quota.reset ?? "";
  root.setAttribute("aria-valuemax", String(Math.max(limit, remaining)));
  root.setAttribute("aria-valuenow", String(remaining));
  const share = limit > 0 ? Math.min(1, remaining / limit) : 0;
  root.dataset.level = remaining === 0 ? "empty" : share <= 0.25 ? "low" : "good";
  gauge.fill.style.inlineSize = `${(share * 100).toFixed(1)}%`;
  gauge.numbers.textContent = `${quota.remaining ?? "?"} of ${quota.limit ?? "?"}`;
  gauge.about.textContent = [policy?.key, policy?.algorithm, quota.window === null ? "" : `${quota.window} s`].filter(Boolean).join(" · ");
  gauge.until = quota.reset === null ? null : at + quota.reset * 1000;
}

/** tick moves the countdowns. Texts change once a second. */
function tick() {
  const now = performance.now();
  let running = false;
  const left = (until) => {
    const seconds = Math.max(0, Math.ceil((until - now) / 1000));
    running ||= seconds > 0;
    return seconds;
  };
  for (const { root, countdown, numbers, until } of gauges.values()) {
    const seconds = until === null ? null : left(until);
    setText(countdown, seconds === null ? "" : seconds > 0 ? `resets in ${seconds} s` : "reset");
    const text = `${numbers.textContent} left${seconds ? `, resets in ${seconds} s` : ""}`;
    if (root.getAttribute("aria-valuetext") !== text) root.setAttribute("aria-valuetext", text);
  }
  const retry = byId("retry-after");
  retry.hidden = wait === null;
  if (wait !== null) {
    const seconds = left(wait);
    setText(retry, seconds > 0 ? `Try again in ${seconds} s` : "Try again now");
    retry.dataset.over = String(seconds === 0);
  }
  if (!running && timer) {
    clearInterval(timer);
    timer = 0;
  }
}

function setText(of, text) {
  if (of.textContent !== text) of.textContent = text;
}
