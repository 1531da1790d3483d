/**
 * Sections of a Markdown file, with the anchors that GitHub gives to headings. Only what stands in the way of words is
 * taken away: a sign that stays costs a search nothing. No pattern looks at a character from more than a few beginnings: what is
 * between two signs holds no third that begins anew. So the time grows with the length of a line, also where nothing is closed.
 */
import { decoded, type Page, Sections } from "./page.js";

/** A link or a picture. A picture may stand in a link. */
const LINK = /!?\[([^[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/g;

/** The text of a line without the signs of Markdown. */
function plain(line: string): string {
  const text = line
    .replace(/^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s+)+(?:\[[ xX]\]\s+)?/, "")
    .replace(LINK, "$1")
    .replace(LINK, "$1")
    .replace(/<((?:https?:|mailto:)[^<>\s]+)>/g, "$1")
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/(?<!`)`+([^`]+)`+/g, "$1")
    .replace(/(?<!\\)(\*{1,3}|~~)(?=\S)([^*~]+?)(?<!\\)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}])(_{1,3})(?=\S)([^_]+?)\1(?![\p{L}\p{N}])/gu, "$2")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return decoded(text);
}

const isRow = (line: string): boolean => /^\s*\|/.test(line);
/** Rules between parts and below the head of a table, and where references lead. */
const isSign = (line: string): boolean =>
  /^ {0,3}(?:[-*_]\s*){3,}$/.test(line) || /^\|?(?::?-+:?\|)+(?::?-+:?)?$/.test(line.replace(/\s/g, ""));
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
  const named = /^title:(.*)$/m.exec(matter)?.[1]?.trim() ?? "";
  let title = /^(["'])(.+)\1$/.exec(named)?.[2] ?? named;
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
  // Behind the last end of a comment none is closed.
  const end = body.lastIndexOf("-->") + 3;
  const shown = body.slice(0, end).replace(/<!--[\s\S]*?-->/g, "") + body.slice(end);
  for (const line of shown.split(/\r?\n/)) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined || marks !== undefined) {
      release();
      if (fence === undefined) fence = marks;
      else if (marks?.startsWith(fence) && line.trim() === marks) fence = undefined;
      else sections.add(`${line}\n`);
      continue;
    }
    const [, hashes, heading = ""] = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line.trimEnd()) ?? [];
    if (hashes !== undefined) {
      release();
      begin(
        plain(
          heading
            .trim()
            .replace(/(?:^|[ \t])#+$/, "")
            .trim(),
        ),
        hashes.length,
      );
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
