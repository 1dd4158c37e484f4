import { send } from "./send.js";

const maxCalls = 1000;
const concurrent = 6; // as many connections as browsers open to one host
const concurrentPaced = 50;

/** burstSize is the number of calls that a person asks for, within its bounds. */
export const burstSize = (text) => Math.min(maxCalls, Math.max(1, Math.floor(Number(text)) || 1));

/**
 * burst makes n calls, rate of them a second, 0: as fast as possible. onAnswer gets
 * each with the seconds since the start at which it was sent. Aborting the signal
 * ends it.
 */
export async function burst(request, n, rate, signal, onAnswer) {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < n && !signal.aborted) {
      const i = next++;
      if (rate > 0) await sleepUntil(start + (i / rate) * 1000, signal);
      if (signal.aborted) return;
      const at = (performance.now() - start) / 1000;
      const record = await send(request, signal);
      if (record.error !== "Stopped") onAnswer(record, at);
    }
  };
  const workers = Math.min(n, rate > 0 ? concurrentPaced : concurrent);
  await Promise.all(Array.from({ length: workers }, worker));
}

function sleepUntil(time, signal) {
  const ms = time - performance.now();
  if (ms <= 0) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
