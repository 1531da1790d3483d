// Traces that a page's JavaScript must not hold: bundlers and SSR stumble over Node, pages over code from text. A member
// that is called "node" is none, and a module is named behind a quotation mark.
import { readFileSync } from "node:fs";

const FORBIDDEN = [/["'`]node:/, /\brequire\s*\(/, /\bprocess\b/, /\bnew Function\b/, /\beval\s*\(/, /\b__dirname\b/];

export function checkWebFile(file, { importMeta }) {
  // Not the inlined module, whose base64 may spell anything.
  const text = readFileSync(file, "utf8").replace(/"[A-Za-z0-9+/=]{1000,}"/g, '""');
  for (const pattern of importMeta ? FORBIDDEN : [...FORBIDDEN, /\bimport\.meta\b/]) {
    const found = text.match(pattern);
    if (found === null) continue;
    const context = text.slice(Math.max(0, found.index - 60), found.index + 60);
    throw new Error(`${file} must not contain ${pattern}, but does: ...${context}...`);
  }
}
