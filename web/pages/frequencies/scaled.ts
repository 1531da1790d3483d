import { significant } from "../../text/format.js";

/** The effect of a rule on theta: "÷ 8", "× 1.2", "kept". */
export function scaled(by: number): string {
  if (by === 0) return "still";
  if (Math.abs(by - 1) < 5e-4) return "kept";
  return by < 1 ? `÷ ${significant(1 / by)}` : `× ${significant(by)}`;
}
