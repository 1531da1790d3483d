import { significant } from "../../text/format.js";

/** The effect of a rule on theta: "÷ 8", "× 1.2", "unchanged". */
export function scaled(by: number): string {
  if (by === 0) return "still";
  if (Math.abs(by - 1) < 5e-4) return "unchanged";
  return by < 1 ? `÷ ${significant(1 / by)}` : `× ${significant(by)}`;
}
