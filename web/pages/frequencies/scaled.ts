import { significant } from "../../text/format.js";

/** The effect of a rule on theta: "÷ 8", "× 1.2", "as it was". */
export function scaled(by: number): string {
  if (by === 0) return "still";
  if (Math.abs(by - 1) < 5e-4) return "as it was";
  return by < 1 ? `÷ ${significant(1 / by)}` : `× ${significant(by)}`;
}
