// Made-up words of a WordPiece vocabulary.

/** A word by its id: letters only, so that the tokenizer does not divide it. */
export const wordOf = (id) =>
  [...id.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");

/** vocab.txt of `size` lines. */
export function vocabulary(size) {
  const lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  while (lines.length < size) lines.push(wordOf(lines.length));
  return `${lines.join("\n")}\n`;
}
