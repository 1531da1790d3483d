/** Checks of JSON that JSON.parse leaves out, and the numbers of Python's json that it does not read. */

/** A text of JSON. Written without a choice inside the repetition, which takes stack for each letter. */
export const TEXT = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const TEXTS = new RegExp(TEXT, "g");
const TOKENS = new RegExp(`${TEXT}|[{}[\\],:]`, "g");

/** Texts, which may hold the words as well, so that they are passed over. */
const WORDS = new RegExp(`${TEXT}|-?\\b(?:NaN|Infinity)\\b`, "g");

/** JSON of what Python's json has written: its NaN and Infinity as texts, which are refused where a number is needed. */
export const jsonOfPython = (text: string): string =>
  text.replace(WORDS, (each) => (each[0] === '"' ? each : `"${each}"`));

/** The first key that an object of `text`, which is JSON, holds twice; undefined if there is none. */
export function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token[0] === '"' && isKey) {
      const keys = open.at(-1)!;
      const key = JSON.parse(token) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    isKey = (token === "{" || token === ",") && open.at(-1) !== undefined;
  }
  return undefined;
}

/** True if `text`, which is JSON, holds a number with a point or an exponent, or half of a surrogate pair. */
export function hasOddValues(text: string): boolean {
  const numbers = text.replace(TEXTS, '""');
  return /[.eE](?=[\d+-])/.test(numbers) || [...text.matchAll(TEXTS)].some(([each]) => !isWellFormed(each));
}

const isWellFormed = (token: string): boolean => !/\p{Surrogate}/u.test(JSON.parse(token) as string);
