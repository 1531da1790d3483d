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
 * Runs `work(note)` under a title. `note(text)` tells how far it is; the heartbeat repeats the latest note, and a note
 * given last as the result (`return "6.0.5"`) ends the closing line.
 */
export async function step(title, work) {
  const begun = Date.now();
  let latest = "";
  say(`  ${title} ...`);
  const heartbeat = setInterval(() => {
    say(`    ${title}: ${seconds(Date.now() - begun)} so far${latest ? `, ${latest}` : ""}`);
  }, HEARTBEAT_SECONDS * 1000);
  try {
    const result = await work((text) => {
      latest = text;
    });
    say(`  ${title}: done in ${seconds(Date.now() - begun)}${typeof result === "string" ? ` (${result})` : ""}`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}
