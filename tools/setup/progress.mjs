// One line when a step begins, one when it ends, and a heartbeat on those that take long.

/** A failure whose message is for the reader: one sentence that says what to do. Printed without a stack. */
export class SetUpError extends Error {
  name = "SetUpError";
}

const HEARTBEAT_SECONDS = 15;

export function seconds(milliseconds) {
  const value = milliseconds / 1000;
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 90) return `${Math.round(value)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs `work(note)`, and returns its result and how long it took. `note(text)` tells how far it is; a line that begins with
 * `prefix` repeats the latest note now and then.
 */
export async function withHeartbeat(prefix, work) {
  const begun = Date.now();
  let latest = "";
  const heartbeat = setInterval(() => {
    say(`${prefix}${seconds(Date.now() - begun)} so far${latest ? `: ${latest}` : ""}`);
  }, HEARTBEAT_SECONDS * 1000);
  try {
    const result = await work((text) => {
      latest = text;
    });
    return { result, took: seconds(Date.now() - begun) };
  } finally {
    clearInterval(heartbeat);
  }
}

/** Runs `work(note)` under a title. A text that it returns (`return "6.0.5"`) ends the closing line. */
export async function step(title, work) {
  say(`  ${title} ...`);
  const { result, took } = await withHeartbeat(`    ${title}: `, work);
  say(`  ${title}: done in ${took}${typeof result === "string" ? ` (${result})` : ""}`);
  return result;
}
