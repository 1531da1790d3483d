/** A page of a site, divided at its headings. */

export interface Section {
  /** The heading; "" for text before the first. */
  heading: string;
  /** The part of the address behind "#"; "" where the heading has none. */
  anchor: string;
  text: string;
}

export interface Page {
  title: string;
  sections: Section[];
}

/** Collects the sections of a page. Those without text are left out. */
export class Sections {
  readonly all: Section[] = [];
  #last: Section = { heading: "", anchor: "", text: "" };

  begin(heading: string, anchor: string): void {
    this.end();
    this.#last = { heading, anchor, text: "" };
  }

  add(text: string): void {
    this.#last.text += text;
  }

  /** To be called after the last text, too. */
  end(): void {
    const text = tidy(this.#last.text);
    if (text !== "") this.all.push({ ...this.#last, text });
    this.#last = { heading: "", anchor: "", text: "" };
  }
}

/** Words with one space between them, in lines; an empty line divides paragraphs. */
const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", shy: "", copy: "\u00a9", reg: "\u00ae" },
  ...{ ndash: "\u2013", mdash: "\u2014", hellip: "\u2026", middot: "\u00b7", times: "\u00d7", deg: "\u00b0" },
  ...{ lsquo: "\u2018", rsquo: "\u2019", ldquo: "\u201c", rdquo: "\u201d", laquo: "\u00ab", raquo: "\u00bb" },
};

/** Character references by number, and the usual ones by name; others stay as they are written. */
export const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    // Half a surrogate pair is no character, and no address can hold it.
    return code <= 0x10ffff && (code & ~0x7ff) !== 0xd800 ? String.fromCodePoint(code) : whole;
  });
