/** A regular expression that finds any of some texts. */

/** Characters of a regular expression that mean more than themselves. A "-" may not be escaped with the flag `u`. */
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The longest text first, since it is what a tokenizer finds. */
export const patternOf = (texts: readonly string[]): string =>
  [...texts]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join("|");
