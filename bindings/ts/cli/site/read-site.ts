/** The texts of a folder: pages by their addresses, divided at their headings. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { about, FileError, parseJson, readText } from "../files.js";
import { readHtml } from "./html.js";
import { readMarkdown } from "./markdown.js";
import type { Page } from "./page.js";

/** A section of a page, with its address. */
export interface Passage {
  address: string;
  /** Titles of the page and of the section. */
  title: string;
  text: string;
}

export interface SiteOptions {
  /** Before each address. */
  base: string;
  /** The end of addresses of pages that are made from Markdown; undefined where the files are the pages. */
  extension: string | undefined;
}

type Reader = (file: string, source: string, options: SiteOptions) => Passage[];

/** A path as a part of an address. */
export const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function passagesOf({ title, sections }: Page, address: string): Passage[] {
  return sections.map(({ heading, anchor, text }) => ({
    address: anchor === "" ? address : `${address}#${encodeURIComponent(anchor)}`,
    title: [title, heading].filter((each, i, all) => each !== "" && all.indexOf(each) === i).join(" \u00b7 "),
    text,
  }));
}

/** The first page of the site has no path: "" would be the address of the index. */
const under = (base: string, path: string): string => base + encoded(path) || "./";

/** Servers show index.html for the address of its folder. */
const ofFolder = (path: string): string => path.replace(/(^|\/)index\.html?$/, "$1");

const stemOf = (file: string): string => file.replace(/\.\w+$/, "");

const html: Reader = (file, source, { base }) => passagesOf(readHtml(source), under(base, ofFolder(file)));

/** The page that is made of a Markdown file, without its end. */
const madeOf = (file: string): string => stemOf(file).replace(/(^|\/)README$/, "$1index");

const markdown: Reader = (file, source, { base, extension }) => {
  const { title, sections } = readMarkdown(source);
  const stem = madeOf(file);
  const page = /(^|\/)index$/.test(stem) ? stem.slice(0, -"index".length) : stem + extension;
  return passagesOf({ title: title || stemOf(file), sections }, under(base, extension === undefined ? file : page));
};

const plainText: Reader = (file, source, { base }) =>
  source.trim() === "" ? [] : [{ address: under(base, file), title: stemOf(file), text: source.trim() }];

/** `text` and `address` of each line, and `title` where there is one. */
const jsonLines: Reader = (file, source, { base }) =>
  source.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const where = `${file}, line ${i + 1}`;
    const { text, address, title } = parseJson(where, line) as Record<string, unknown>;
    if (typeof text !== "string") throw new FileError(where, "has no `text`; allowed: a text");
    if (typeof address !== "string") throw new FileError(where, "has no `address`; allowed: a text");
    const isWhole = /^(\/|[a-z][a-z\d+.-]*:)/i.test(address);
    return text.trim() === ""
      ? []
      : [{ address: isWhole ? address : base + address, title: String(title ?? ""), text }];
  });

const READERS: Readonly<Record<string, Reader>> = {
  ...{ html, htm: html, md: markdown, markdown, txt: plainText, jsonl: jsonLines, ndjson: jsonLines },
};

/** The licences beside a copy of the element, which are no pages. */
const NOTICES = /^(THIRD-PARTY|\w+\.LICENSE)\.txt$/;

/**
 * Paths of files below a folder, with "/" between their parts. Links, names that begin with a dot and the element's licences
 * are left out, and folders of models, whose vocabulary may be a .txt file.
 */
async function filesBelow(folder: string, path = ""): Promise<string[]> {
  const entries = await about(join(folder, path), readdir(join(folder, path), { withFileTypes: true }));
  if (entries.some(({ name }) => name.endsWith(".safetensors"))) return [];
  const hasElement = entries.some(({ name }) => name === "search.LICENSE.txt");
  const found = entries.map(async (entry) => {
    const name = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return filesBelow(folder, name);
    return entry.isFile() && !(hasElement && NOTICES.test(entry.name)) ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

export async function readSite(folder: string, options: SiteOptions): Promise<{ files: number; passages: Passage[] }> {
  const below = new Set(await filesBelow(folder));
  const files = [...below].flatMap((file) => {
    const reader = READERS[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""];
    const isSource = reader === markdown && options.extension === undefined && below.has(`${madeOf(file)}.html`);
    return reader === undefined || isSource ? [] : [{ file, reader }];
  });
  if (files.length === 0) {
    const kinds = Object.keys(READERS).map((kind) => `.${kind}`);
    throw new FileError(folder, `has no file to read; allowed: ${kinds.join(", ")}`);
  }
  files.sort((a, b) => (a.file < b.file ? -1 : 1));
  const passages: Passage[] = [];
  for (const { file, reader } of files) {
    passages.push(...reader(file, await readText(join(folder, file)), options));
  }
  return { files: files.length, passages };
}
