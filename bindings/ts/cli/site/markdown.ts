/**
 * Sections of a Markdown file, with the anchors that GitHub gives to headings. Only what stands in the way of words is
 * taken away: a sign that stays costs a search nothing.
 */
import { decoded, type Page, Sections } from "./page.js";

/** The text of a line without the signs of Markdown. */
function plain(line: string): string {
  const text = line
    .replace(/^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s+)+(?:\[[ xX]\]\s+)?/, "")
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<((?:https?:|mailto:)[^>\s]+)>/g, "$1")
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/`+([^`]+)`+/g, "$1")
    .replace(/(?<!\\)(\*{1,3}|~~)(?=\S)([^*~]+?)(?<!\\)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}])(_{1,3})(?=\S)([^_]+?)\1(?![\p{L}\p{N}])/gu, "$2")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return decoded(text);
}

const isRow = (line: string): boolean => /^\s*\|/.test(line);
/** Rules between parts and below the head of a table, and where references lead. */
const isSign = (line: string): boolean =>
  /^ {0,3}(?:[-*_]\s*){3,}$/.test(line) || /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$/.test(line);
const isReference = (line: string): boolean => /^ {0,3}\[[^\]]+\]:\s/.test(line);

/** As GitHub makes it, and as often as it stands in a page. */
function anchors(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };
}

export function readMarkdown(source: string): Page {
  const [, matter = "", body = ""] = /^(?:---\r?\n([\s\S]*?)\r?\n---\r?\n)?([\s\S]*)$/.exec(source)!;
  let title = /^title:\s*(["']?)(.+?)\1\s*$/m.exec(matter)?.[2] ?? "";
  const sections = new Sections();
  const anchorOf = anchors();
  let fence: string | undefined;
  /** A line that a line of signs below it makes a heading. */
  let waiting: string | undefined;
  const release = (): void => {
    if (waiting !== undefined) sections.add(`${waiting}\n`);
    waiting = undefined;
  };
  const begin = (heading: string, level: number): void => {
    if (title === "" && level === 1) title = heading;
    sections.begin(heading, anchorOf(heading));
  };
  for (const line of body.replace(/<!--[\s\S]*?-->/g, "").split(/\r?\n/)) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined || marks !== undefined) {
      release();
      if (fence === undefined) fence = marks;
      else if (marks?.startsWith(fence) && line.trim() === marks) fence = undefined;
      else sections.add(`${line}\n`);
      continue;
    }
    const [, hashes, heading = ""] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
    if (hashes !== undefined) {
      release();
      begin(plain(heading), hashes.length);
    } else if (waiting !== undefined && /^ {0,3}(?:=+|-+)\s*$/.test(line)) {
      const text = waiting;
      waiting = undefined;
      begin(text, line.includes("=") ? 1 : 2);
    } else {
      release();
      if (isSign(line) || isReference(line)) continue;
      const text = plain(isRow(line) ? line.replaceAll("|", " ") : line);
      if (text.trim() === "") sections.add("\n");
      else waiting = text;
    }
  }
  release();
  sections.end();
  return { title, sections: sections.all };
}
