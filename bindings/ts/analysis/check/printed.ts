/** Numbers as programs print them. */
import { failure } from "../../module/errors.js";

const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf|infinity)\b/gi;

/** A word with its number, as in `dtype=torch.float32` or `device='cuda:0'`, says something about the numbers. */
const REMARKS = /\b(?:dtype|device|requires_grad|grad_fn|size|shape)\s*=\s*[^,)\]]*/gi;

function toNumber(word: string): number {
  const lower = word.toLowerCase();
  if (lower.includes("nan")) return Number.NaN;
  if (lower.includes("inf")) return lower.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(word);
}

/**
 * The numbers of a printed tensor, array or list: `print(inv_freq)` of PyTorch or NumPy, JSON, or one number a line.
 *
 * @throws RangeError where it is abbreviated with "..." (set PyTorch's or NumPy's print options), or holds no number.
 */
export function parsePrintedNumbers(text: string): number[] {
  if (typeof text !== "string")
    throw failure("type", "parsePrintedNumbers", "`text` is not a text", { argument: "text" });
  if (/\.\.\.|\u2026/.test(text)) {
    throw failure(
      "range",
      "parsePrintedNumbers",
      '`text` is abbreviated with "..."; allowed: all numbers, as inv_freq.tolist() prints them',
    );
  }
  const numbers = (text.replace(REMARKS, "").match(NUMBER) ?? []).map(toNumber);
  if (numbers.length === 0)
    throw failure("range", "parsePrintedNumbers", "`text` holds no number", { argument: "text" });
  return numbers;
}
