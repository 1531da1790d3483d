import type { RopeReading } from "ropewalk";
import type { Found } from "./checked.js";
import { configDiff } from "./config-diff.js";
import { signOf } from "./sign.js";

const marks = { green: "🟢", amber: "🟡", red: "🔴" } as const;
const signs = { same: " ", removed: "-", added: "+" } as const;

/** A number without groups of digits, as it stands in configurations. */
export const plain = (value: number): string => String(Number(value.toPrecision(7)));

/** The rows of readers that read the same, as one. */
function rowsOf(readings: readonly RopeReading[]): string[] {
  const rows = new Map<string, string[]>();
  for (const { reader, layerType, rule, base, pairing, magnitude } of readings) {
    const row = [layerType ?? "all", rule, plain(base), pairing, plain(magnitude)].join(" | ");
    rows.set(row, [...(rows.get(row) ?? []), reader]);
  }
  return Array.from(rows, ([row, readers]) => `| ${readers.join(", ")} | ${row} |`);
}

/** The verdict for an issue or a pull request. */
export function markdownOf({ report, config }: Found, command: string): string {
  const { light, says } = signOf(report);
  const { length, readings, fix } = report;
  const diff =
    config && fix
      ? configDiff(config as Record<string, unknown>, fix as Record<string, unknown>)
          .map(({ kind, text }) => `${signs[kind]} ${text}`)
          .join("\n")
      : "";
  const parts = [
    `**${marks[light]} ${says}**`,
    report.verdict,
    readings.length > 0 &&
      [
        "| readers | layers | rule | base | pairing | attention scaling |",
        "| --- | --- | --- | --- | --- | --- |",
        ...rowsOf(readings),
      ].join("\n"),
    length && readings.length > 0 && `Compared at ${length.tokens} tokens (${length.from}).`,
    report.differences.length > 0 &&
      diff &&
      `A config.json that all these readers read alike:\n\n\`\`\`diff\n${diff}\n\`\`\``,
    `\`\`\`sh\n${command}\n\`\`\``,
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
