// A run's name: readable, and different whenever anything about the run is.
import { createHash } from "node:crypto";

/** One spelling per value, whatever the order in which members were written. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

export function keyOf(panel, arm, settings) {
  const hash = createHash("sha256").update(canonical(settings)).digest("hex").slice(0, 16);
  return `${panel.id}.${arm.id}.${settings.learning_rate}.${settings.seed}.${hash}`;
}
